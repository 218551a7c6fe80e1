"""What the first lesson says beside its blocks."""

from __future__ import annotations

import pytest
import torch

from claims.claimlib import INTEGERS, claim, raises


@claim("`sum`, `mean` and `max` turn many numbers into one; `mean` refuses whole numbers.")
@pytest.mark.parametrize("dtype", INTEGERS, ids=str)
def test_reductions(dtype: torch.dtype) -> None:
    x = torch.tensor([[3, 5], [7, 9]])
    assert [x.float().sum().item(), x.float().mean().item(), x.float().max().item()] == [24, 6, 9]
    raises("could not infer output dtype", x.to(dtype).mean)
