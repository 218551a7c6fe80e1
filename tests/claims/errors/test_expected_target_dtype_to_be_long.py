"""Dtypes of class numbers."""

from __future__ import annotations

import torch
from torch.nn.functional import cross_entropy

from claims.claimlib import claim, refuses


@claim("It takes `uint8` (`Byte`) too, but not for images on the CPU or CUDA.")
def test_bytes() -> None:
    assert cross_entropy(torch.rand(2, 3), torch.tensor([0, 1], dtype=torch.uint8)).dim() == 0
    assert refuses(cross_entropy, torch.rand(2, 3, 4, 4), torch.zeros(2, 4, 4, dtype=torch.uint8))
    assert refuses(cross_entropy, torch.rand(2, 3), torch.tensor([0, 1], dtype=torch.int32))
