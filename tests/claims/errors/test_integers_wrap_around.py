"""Limits of `uint8`."""

from __future__ import annotations

import torch

from claims.claimlib import claim, raises


@claim(
    "The last line shows that `torch.tensor` wraps negative numbers down to -255 too, although it refuses those that are too large."
)
def test_negative() -> None:
    assert torch.tensor([-1, -255], dtype=torch.uint8).tolist() == [255, 1]
    for number in (-256, 256):
        raises("without overflow", torch.tensor, number, dtype=torch.uint8)
