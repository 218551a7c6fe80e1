"""What asks a tensor for one truth value."""

from __future__ import annotations

import torch
from torch import nn

from claims.claimlib import claim, raises

A, B = torch.ones(2), torch.zeros(2)


@claim("`in`, `list.index`, `max` and `sorted` ask for it too, with a list of tensors.")
def test_lists() -> None:
    for call in (
        lambda: B.clone() in [A, B],
        lambda: [A, B].index(B.clone()),
        lambda: max([A, B]),
        lambda: sorted([A, B]),
    ):
        raises("Boolean value of Tensor with more than one value is ambiguous", call)


@claim("So does `nn.MSELoss(a, b)`, which takes the two tensors for settings: write `nn.MSELoss()(a, b)`.")
def test_loss() -> None:
    raises("Boolean value of Tensor with more than one value is ambiguous", nn.MSELoss, A, B)
    assert nn.MSELoss()(A, B).item() == 1


@claim("`1 < a < 3` is an `and`, too.")
def test_chain() -> None:
    raises("Boolean value of Tensor with more than one value is ambiguous", lambda: 1 < A < 3)
