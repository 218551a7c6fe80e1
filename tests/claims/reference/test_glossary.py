"""The glossary: definitions that can be tried."""

from __future__ import annotations

import pytest
import torch
from hypothesis import given
from torch import Tensor, nn

from claims.claimlib import FLOATS, INTEGERS, claim, one_memory, same, tensors


@claim("The elements of a contiguous tensor lie in memory in the order of its shape, without gaps.")
@given(tensors())
def test_contiguous(x: Tensor) -> None:
    steps = [1]
    for size in reversed(x.shape[1:]):
        steps.insert(0, steps[0] * size)
    in_order = all(size <= 1 or step == wanted for size, step, wanted in zip(x.shape, x.stride(), steps, strict=False))
    assert x.is_contiguous() == (in_order or x.numel() == 0)


@claim(
    "A tensor that autograd did not compute: one that you create, such as a parameter, and any tensor that requires no gradient."
)
@given(tensors(gradient=True))
def test_leaf(x: Tensor) -> None:
    assert x.is_leaf
    assert (x + 1).is_leaf == (not x.requires_grad)
    assert nn.Linear(1, 1).weight.is_leaf


@claim(
    "A result beyond the largest number of its dtype: it becomes infinity if the dtype has one, or, in integers, wraps around."
)
@pytest.mark.parametrize("dtype", [*FLOATS, *INTEGERS], ids=str)
def test_overflow(dtype: torch.dtype) -> None:
    info = torch.finfo(dtype) if dtype.is_floating_point else torch.iinfo(dtype)
    x = torch.tensor(info.max, dtype=dtype)
    assert (x * 2).isinf() if dtype.is_floating_point else x + 1 == info.min


@claim(
    "A dictionary with the parameters and persistent buffers of a module by name, or with the state of an optimizer; save it, not the module."
)
def test_state_dict() -> None:
    norm = nn.BatchNorm1d(2)
    norm.register_buffer("table", torch.ones(1), persistent=False)
    names = {name for name, _ in (*norm.named_parameters(), *norm.named_buffers())}
    assert set(norm.state_dict()) == names - {"table"}
    assert set(torch.optim.Adam(norm.parameters()).state_dict()) == {"state", "param_groups"}


@claim("The number of dimensions, `ndim`.")
@given(tensors())
def test_rank(x: Tensor) -> None:
    assert x.ndim == len(x.shape) == x.dim()


@claim(
    "The rule by which tensors of different shapes fit together: PyTorch repeats dimensions of size 1, and missing ones, until the shapes match."
)
@given(tensors(dtypes=[torch.float64], extremes=False))
def test_broadcasting(x: Tensor) -> None:
    wide = x.unsqueeze(0).expand(3, *x.shape)
    same(wide + x, wide + wide)
    assert one_memory(wide, x)
