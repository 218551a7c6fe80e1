"""Sizes that are floats."""

from __future__ import annotations

import torch

from claims.claimlib import claim, refuses


@claim("`//` rounds down, so check that nothing is lost: `assert hidden % 2 == 0`.")
def test_rounds() -> None:
    assert 7 // 2 == 3
    assert refuses(torch.nn.Linear, 3, 8 / 2)
    assert torch.nn.Linear(3, 8 // 2).weight.shape == (4, 3)
