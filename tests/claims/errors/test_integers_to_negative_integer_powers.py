"""Negative powers of integers."""

from __future__ import annotations

import torch

from claims.claimlib import claim, raises


@claim(
    "If the exponent is a tensor of integers, as in `10 ** torch.tensor([-1])` too, there is no error, and fractions become 0:"
)
def test_tensor_exponent() -> None:
    raises("Integers to negative integer powers are not allowed", lambda: torch.tensor([10]) ** -1)
    assert (10 ** torch.tensor([-1])).tolist() == [0]
    assert (torch.tensor([1, -1, 2]) ** torch.tensor([-1, -1, -1])).tolist() == [1, -1, 0]
