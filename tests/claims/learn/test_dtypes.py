"""What the lesson about data types says beside its blocks."""

from __future__ import annotations

import pytest
import torch

from claims.claimlib import DTYPES, anything, claim, one_memory


@claim("`to` leaves `x` as it was, and returns a new tensor, unless `x` has that dtype already:")
@anything
@pytest.mark.filterwarnings("ignore:Casting complex values to real")
def test_convert(dtype: torch.dtype) -> None:
    x = torch.tensor([0, 1, 1]).to(dtype)
    assert x.to(dtype) is x
    for other in DTYPES:
        y = x.to(other)
        assert (x.dtype, y.dtype) == (dtype, other)
        assert one_memory(x, y) == (other == dtype)


@claim("One point among Python's numbers is enough: `torch.tensor([1, 2.5])` is `float32`.")
def test_one_point() -> None:
    assert torch.tensor([1, 2.5]).dtype == torch.tensor([2.5, 1, 2]).dtype == torch.float32
