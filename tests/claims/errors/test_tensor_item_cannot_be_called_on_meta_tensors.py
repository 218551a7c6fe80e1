"""What reads a value."""

from __future__ import annotations

import pytest
import torch

from claims.claimlib import claim, raises

X = torch.ones(1, device="meta")


@claim("`float(x)`, `if x:` and `torch.allclose` read a value, too.")
@pytest.mark.parametrize("call", [lambda: float(X), lambda: bool(X), lambda: torch.allclose(X, X)])
def test_reads(call: object) -> None:
    raises("Tensor.item() cannot be called on meta tensors", call)
