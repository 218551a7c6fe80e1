"""Sizes for `topk`."""

from __future__ import annotations

import torch

from claims.claimlib import claim, raises


@claim("Without `dim` that is the last one, so `topk(5)` fails on scores of shape `(100, 1)`: pass `dim=0`.")
def test_last_dimension() -> None:
    scores = torch.rand(100, 1)
    raises("selected index k out of range", scores.topk, 5)
    assert scores.topk(5, dim=0).values.shape == (5, 1)
