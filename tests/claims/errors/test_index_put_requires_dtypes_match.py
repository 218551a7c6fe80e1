"""Assignments that convert, and those that do not."""

from __future__ import annotations

import pytest
import torch
from torch import Tensor

from claims.claimlib import claim, raises, refuses

MASK = torch.tensor([True, True, False])


def assign(index: object, value: object) -> Tensor:
    x = torch.zeros(3)
    x[index] = value
    return x


@claim(
    "An assignment by a list, an index tensor, or a mask with several values does not convert, and here the two dtypes differ."
)
@pytest.mark.parametrize("index", [[0, 1], torch.tensor([0, 1]), MASK], ids=["list", "tensor", "mask"])
def test_no_conversion(index: object) -> None:
    for dtype in (torch.float64, torch.float16, torch.int64):
        raises("Index put requires", assign, index, torch.ones(2, dtype=dtype))


@claim("An assignment by a number or a slice converts, and so does a single value for a whole mask.")
def test_conversion() -> None:
    assert assign(0, torch.tensor(1)).tolist() == [1, 0, 0]
    assert assign([0, 1], 2).tolist() == [2, 2, 0]
    assert assign(slice(0, 2), torch.tensor([1, 2])).tolist() == [1, 2, 0]
    assert assign(MASK, torch.tensor(2.0, dtype=torch.float64)).tolist() == [2, 2, 0]


@claim("`index_add_` and `scatter_add_` refuse two dtypes as well, in other words.")
def test_additions() -> None:
    one = torch.ones(1, dtype=torch.float64)
    for call in (torch.zeros(3).index_add_, torch.zeros(3).scatter_add_):
        assert call(0, torch.tensor([0]), torch.ones(1)).dtype == torch.float32
        assert refuses(call, 0, torch.tensor([0]), one)
