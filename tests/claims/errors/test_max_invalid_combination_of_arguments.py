"""Reductions along several dimensions."""

from __future__ import annotations

import torch

from claims.claimlib import claim, raises, same

MATRIX = torch.rand(3, 4)


@claim("`keepdim=True` needs a `dim`: use `amax(keepdim=True)`.")
def test_keepdim() -> None:
    raises("invalid combination of arguments", MATRIX.max, keepdim=True)
    assert MATRIX.amax(keepdim=True).shape == (1, 1)


@claim("`max` with a number, such as `matrix.max(1.0)`: use `matrix.clamp(min=1.0)`.")
def test_number() -> None:
    raises("invalid combination of arguments", MATRIX.max, 1.0)
    same(MATRIX.clamp(min=0.5), torch.maximum(MATRIX, torch.tensor(0.5)))
