"""Floats as an index."""

from __future__ import annotations

import torch

from claims.claimlib import claim, raises

X = torch.tensor([5, 6])


@claim(
    "The index tensor has another dtype, most often a float because `/` made it; `int16` with at least one dimension raises the error too."
)
def test_dtypes() -> None:
    for dtype in (torch.float32, torch.int16):
        raises("tensors used as indices must be", X.__getitem__, torch.tensor([1], dtype=dtype))
    assert X[torch.tensor(1, dtype=torch.int16)].item() == 6


@claim(
    "If the floats are a mask of zeros and ones, convert it with `.bool()`: `.long()` would pick rows 0 and 1, without an error."
)
def test_mask() -> None:
    mask = torch.tensor([0.0, 1.0])
    assert X[mask.bool()].tolist() == [6]
    assert X[mask.long()].tolist() == [5, 6]


@claim("A list of floats raises nothing, and PyTorch cuts off the fractions:")
def test_list() -> None:
    assert X[[0.9, 1.2]].tolist() == [5, 6]
    raises("only integers, slices", lambda: X[1.0])
