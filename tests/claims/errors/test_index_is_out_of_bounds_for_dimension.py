"""Positions of `gather` and `scatter_`."""

from __future__ import annotations

import pytest
import torch

from claims.claimlib import claim


@claim("`gather` and `scatter_` raise it as a `RuntimeError`, for a negative index too.")
@pytest.mark.parametrize("position", [3, -1])
def test_gather(position: int) -> None:
    text = f"index {position} is out of bounds for dimension 0 with size 3"
    with pytest.raises(RuntimeError, match=text):
        torch.ones(3).gather(0, torch.tensor([position]))
    with pytest.raises(RuntimeError, match=text):
        torch.ones(3).scatter_(0, torch.tensor([position]), 1.0)
