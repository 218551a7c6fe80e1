"""Brackets and names of options."""

from __future__ import annotations

import torch

from claims.claimlib import claim, raises


@claim(
    "Options need their names: `torch.tensor([1.0], torch.float32)` raises the message with `2 were given`, and `torch.tensor([1.0], dtype=torch.float32)` works."
)
def test_options() -> None:
    raises("takes 1 positional argument but 2 were given", torch.tensor, [1.0], torch.float32)
    assert torch.tensor([1.0], dtype=torch.float16).dtype == torch.float16


@claim("`torch.zeros(1, 2, 3)` works without brackets, because there the numbers are sizes.")
def test_zeros() -> None:
    assert torch.zeros(1, 2, 3).shape == torch.zeros((1, 2, 3)).shape == (1, 2, 3)
