"""What an embedding takes."""

from __future__ import annotations

import pytest
import torch
from torch import nn

from claims.claimlib import DTYPES, claim, refuses


@claim("It takes `int64` (`Long`) and `int32` (`Int`); `int16`, `uint8` and `bool` raise this too.")
@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_dtypes(dtype: torch.dtype) -> None:
    assert refuses(nn.Embedding(4, 2), torch.tensor([0, 1]).to(dtype)) == (dtype not in (torch.int64, torch.int32))


@claim("an empty list: `torch.tensor([])` is `float32` | `torch.tensor([], dtype=torch.long)`")
def test_empty() -> None:
    assert torch.tensor([]).dtype == torch.float32
    assert nn.Embedding(4, 2)(torch.tensor([], dtype=torch.long)).shape == (0, 2)
