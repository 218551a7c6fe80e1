"""Masks of integers."""

from __future__ import annotations

import torch

from claims.claimlib import claim, raises


@claim("`~mask` does not help: for integers it flips each bit, and the result holds integers again.")
def test_not() -> None:
    mask = torch.tensor([1, 0])
    assert (~mask).tolist() == [-2, -1]
    raises("only supports boolean masks", torch.ones(2).masked_fill, ~mask, 0)


@claim(
    "As an index, integers 0 and 1 are positions and no mask, and they raise no error (`uint8` alone is still a mask, with a warning)."
)
def test_index() -> None:
    assert torch.tensor([5, 6])[torch.tensor([1, 0])].tolist() == [6, 5]
