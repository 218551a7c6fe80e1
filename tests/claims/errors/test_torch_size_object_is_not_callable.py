"""Parentheses behind a value."""

from __future__ import annotations

import pytest
import torch

from claims.claimlib import claim, raises

X = torch.ones(2, 2)


@claim(
    "`'torch.Size' object is not callable` | `x.shape()` | `x.shape`, `x.size()`",
    "`'torch.dtype' object is not callable` | `x.dtype()` | `x.dtype`",
    "`'torch.device' object is not callable` | `x.device()` | `x.device`",
    "`'Tensor' object is not callable` | `x(0)`, `x.T()`, `x.data()` | `x[0]`, `x.T`, `x.data`",
)
@pytest.mark.parametrize(
    ("kind", "call"),
    [
        ("torch.Size", lambda: X.shape()),
        ("torch.dtype", lambda: X.dtype()),
        ("torch.device", lambda: X.device()),
        ("Tensor", lambda: X(0)),
        ("Tensor", lambda: X.T()),
        ("Tensor", lambda: X.data()),
    ],
)
def test_values(kind: str, call: object) -> None:
    raises(f"'{kind}' object is not callable", call)
