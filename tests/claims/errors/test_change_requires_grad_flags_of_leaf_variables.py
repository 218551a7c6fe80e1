"""The flag of a result."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn.utils import parametrizations

from claims.claimlib import claim, raises


def result() -> Tensor:
    return torch.ones(2, requires_grad=True) * 2


@claim(
    "`y.requires_grad = True` raises the same message: write `y = y.detach().requires_grad_()` to start anew there, or `y.retain_grad()` to see the gradient of `y` itself."
)
def test_true() -> None:
    raises("you can only change requires_grad flags of leaf variables.", setattr, result(), "requires_grad", True)
    assert result().detach().requires_grad_().is_leaf
    y = result()
    y.retain_grad()
    y.sum().backward()
    assert y.grad is not None


@claim(
    "The weight of a layer with `weight_norm` or pruning is such a result as well: freeze the layer with `layer.requires_grad_(False)`."
)
def test_weight_norm() -> None:
    layer = parametrizations.weight_norm(nn.Linear(2, 2))
    raises("you can only change requires_grad flags", setattr, layer.weight, "requires_grad", False)
    assert not any(parameter.requires_grad for parameter in layer.requires_grad_(False).parameters())
