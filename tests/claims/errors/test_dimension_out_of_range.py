"""Calls with a dimension of their own."""

from __future__ import annotations

import torch
from torch import nn

from claims.claimlib import claim, raises


@claim(
    "Some calls take a dimension that you do not write: `torch.cosine_similarity(a, b)` and `nn.Flatten()` use `dim=1`, so they raise this on vectors."
)
def test_defaults() -> None:
    raises("Dimension out of range", torch.cosine_similarity, torch.ones(2), torch.ones(2))
    raises("Dimension out of range", nn.Flatten(), torch.ones(2))


@claim("A tensor without dimensions gives the same range, and needs `unsqueeze(0)` once for each dimension.")
def test_zero_dimensions() -> None:
    raises("expected to be in range of [-1, 0], but got 1", torch.tensor(1.0).sum, 1)
    assert torch.tensor(1.0).unsqueeze(0).unsqueeze(0).sum(1).shape == (1,)


@claim("`unsqueeze` and `stack` accept one dimension more, because the new one can come last.")
def test_one_more() -> None:
    assert torch.ones(2).unsqueeze(1).shape == torch.stack([torch.ones(2)], 1).shape == (2, 1)
    raises("Dimension out of range", torch.ones(2).unsqueeze, 2)
