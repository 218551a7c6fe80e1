"""Reshape, view, squeeze, permute, stack."""

from __future__ import annotations

import torch
from hypothesis import given
from torch import Tensor

from claims.claimlib import claim, same, tensors

VIEWS = ("contiguous", "transposed", "every second", "offset", "expanded")


@claim("The elements keep their order, read row by row.")
@given(tensors())
def test_reshape_keeps_the_order(x: Tensor) -> None:
    same(
        torch.tensor(x.reshape(-1).tolist(), dtype=x.dtype),
        torch.tensor([x[i].item() for i in _places(x)], dtype=x.dtype),
    )


def _places(x: Tensor) -> list[tuple[int, ...]]:
    return [tuple(place) for place in torch.ones(x.shape).nonzero().tolist()]
