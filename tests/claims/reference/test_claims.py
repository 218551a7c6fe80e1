"""Claims that were tested: the sentences that say what holds instead."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor, nn

from claims.claimlib import FLOATS, INF, NAN, claim, one_memory, same, tensors


@claim(
    "Each pair of brackets is an operation of its own: `x[:][0]` is not `x[:, 0]`, and reading with a list of indices makes a copy."
)
@given(tensors(shape=(2, 3), extremes=False))
def test_brackets(x: Tensor) -> None:
    same(x[:][0], x[0])
    assert x[:][0].shape != x[:, 0].shape
    assert one_memory(x, x[0])
    assert not one_memory(x, x[[0]])


@claim(
    "Zero times `nan` is `nan`, and so is zero times infinity.",
    "`torch.where` selects and does not multiply, so the second result is clean.",
)
@pytest.mark.parametrize("dtype", FLOATS, ids=str)
def test_zero_times(dtype: torch.dtype) -> None:
    x = torch.tensor([NAN, INF, -INF, 2.0], dtype=dtype)
    assert (x * 0).isnan().tolist() == [True, True, True, False]
    same(torch.where(x == 2, x, 0.0), torch.tensor([0, 0, 0, 2.0], dtype=dtype))


@claim("A change in place does reach the tensor, because `from_numpy` shares the memory; `torch.tensor` copies it.")
@pytest.mark.parametrize("kind", ["float64", "float32", "int64", "uint8"])
def test_in_place(kind: str) -> None:
    array = np.ones(3, dtype=kind)
    shared, copied = torch.from_numpy(array), torch.tensor(array)
    array += 1
    assert (shared.tolist(), copied.tolist()) == ([2, 2, 2], [1, 1, 1])
    array = array + 1
    assert shared.tolist() == [2, 2, 2]


@claim(
    "One seed fixes the whole sequence that follows.",
    "If you set it again, the sequence starts again, and numbers that should be independent become equal.",
)
@given(st.integers(0, 2**63 - 1))
def test_seed(seed: int) -> None:
    def draw() -> list[Tensor]:
        return [torch.rand(2), torch.randn(3), torch.randperm(4).float()]

    torch.manual_seed(seed)
    first, second = draw(), draw()
    torch.manual_seed(seed)
    for a, b in zip(first + second, draw() + draw(), strict=True):
        same(a, b)
    torch.manual_seed(seed)
    same(torch.rand(2), first[0])
    assert not torch.equal(first[0], second[0])


@claim("With nothing between them they compute a single affine map, as one layer would:")
@given(st.lists(st.integers(1, 6), min_size=3, max_size=5))
def test_affine(widths: list[int]) -> None:
    model = nn.Sequential(*(nn.Linear(a, b) for a, b in pairwise(widths))).double()
    zero, eye = torch.zeros(widths[0]).double(), torch.eye(widths[0]).double()
    x = torch.randn(5, widths[0], dtype=torch.float64)
    torch.testing.assert_close(model(x), x @ (model(eye) - model(zero)) + model(zero))


@claim("Scaling changes the `float16` line alone: without it, the gradient becomes zero.")
@given(st.floats(1e-10, 2.9e-8))
def test_scaling(gradient: float) -> None:
    x = torch.tensor([gradient])
    for dtype in (torch.float32, torch.bfloat16, torch.float16):
        plain, scaled = x.to(dtype).float(), (x * 65536).to(dtype).float() / 65536
        assert torch.equal(plain, scaled) == (dtype != torch.float16)
        assert bool(plain == 0) == (dtype == torch.float16)


@claim("With it, each name in a checkpoint gets a prefix, and attributes of the model are out of reach:")
def test_dataparallel() -> None:
    model = nn.Sequential(nn.Linear(2, 2), nn.BatchNorm1d(2))
    model.extra = 3
    wrapped = nn.DataParallel(model)
    assert list(wrapped.state_dict()) == [f"module.{name}" for name in model.state_dict()]
    assert not hasattr(wrapped, "extra")
    assert wrapped.module.extra == 3
