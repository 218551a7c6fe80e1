"""A gradient for each sample of a regression, for claims about it."""

from __future__ import annotations

import torch
from torch import Tensor
from torch.func import grad, vmap


def squared_error(w: Tensor, x: Tensor, y: Tensor) -> Tensor:
    """The loss of one sample: `x` and `w` are vectors of one length, `y` is a number."""
    return (x @ w - y) ** 2


def at_once(w: Tensor, x: Tensor, y: Tensor) -> Tensor:
    """The gradients for `w` of `n` samples, `(n, size)`, as the pages compute them."""
    return vmap(grad(squared_error), in_dims=(None, 0, 0))(w, x, y)


def one_by_one(w: Tensor, x: Tensor, y: Tensor) -> Tensor:
    """The same numbers, computed sample by sample."""
    return torch.stack([grad(squared_error)(w, a, b) for a, b in zip(x, y, strict=True)])
