"""Slices that go backwards."""

from __future__ import annotations

import torch

from claims.claimlib import claim, raises


@claim("For `x[::-2]`, flip and then step: `x.flip(0)[::2]`.")
def test_backwards() -> None:
    for size in (0, 1, 4, 5):
        x = torch.arange(size)
        raises("step must be greater than zero", lambda x=x: x[::-2])
        assert x.flip(0)[::2].tolist() == x.tolist()[::-2]
