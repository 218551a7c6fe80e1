"""Positions that are out of range."""

from __future__ import annotations

import torch

from claims.claimlib import claim, raises


@claim("`index_select` says the same of a position, and so does `index_add_` of a vector.")
def test_positions() -> None:
    for position in (3, -1):
        raises("index out of range in self", torch.ones(3, 2).index_select, 0, torch.tensor([position]))
    raises("index out of range in self", torch.ones(3).index_add_, 0, torch.tensor([3]), torch.ones(1))
