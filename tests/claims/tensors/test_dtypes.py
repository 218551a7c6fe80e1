"""Data types: conversion, range, promotion."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable

import numpy as np
import pytest
import torch
import torch.nn.functional as F
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor

from claims.claimlib import DTYPES, FLOATS, INTEGERS, anything, claim, one_memory, raises, result, same, tensors

METHODS = {
    "double": torch.float64, "float": torch.float32, "half": torch.float16, "bfloat16": torch.bfloat16, "long": torch.int64,
    "int": torch.int32, "short": torch.int16, "char": torch.int8, "byte": torch.uint8, "bool": torch.bool,
    "cfloat": torch.complex64, "cdouble": torch.complex128,
}  # fmt: skip
PAIRS = list(itertools.combinations_with_replacement(DTYPES, 2))
SIXTEEN = pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16], ids=str)


@claim(
    "`x.to(dtype)` returns a tensor of that type; the methods of the table and `x.type(dtype)` do the same.",
    "`x` itself keeps its type.",
)
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.filterwarnings("ignore:Casting complex values to real discards")
@given(x=tensors(extremes=False))
def test_methods_convert(method: str, x: Tensor) -> None:
    before, wanted = x.dtype, METHODS[method]
    same(getattr(x, method)(), x.to(wanted))
    same(x.type(wanted), x.to(wanted))
    assert x.to(wanted).dtype == wanted
    assert x.dtype == before


@claim("If the type is right already, `to` returns the same tensor. `copy=True` makes a copy in any case:")
@given(tensors())
def test_to_the_same_dtype(x: Tensor) -> None:
    assert x.to(x.dtype) is x
    copy = x.to(x.dtype, copy=True)
    assert not one_memory(copy, x)
    same(copy, x)


@claim(
    "A conversion to integers cuts fractions off, and a conversion to `bool` makes everything but zero true, `nan` too:"
)
@given(st.floats(-120, 120, width=32))
def test_cuts_off(value: float) -> None:
    for dtype in (torch.int64, torch.int32, torch.int16, torch.int8):
        assert torch.tensor(value).to(dtype).item() == math.trunc(value)
    assert torch.tensor(value).bool().item() == (value != 0)
    assert torch.tensor([math.nan, math.inf]).bool().all()


@claim(
    "Complex numbers take the complex type of the same precision; whole numbers, booleans and NumPy values have rules of their own."
)
def test_default_of_complex() -> None:
    assert torch.tensor(1j).dtype == torch.complex64
    try:
        torch.set_default_dtype(torch.float64)
        assert [torch.tensor(value).dtype for value in (1j, 1.0, 1, True)] == [
            torch.complex128,
            torch.float64,
            torch.int64,
            torch.bool,
        ]
        assert torch.tensor(np.float32(1)).dtype == torch.float32
    finally:
        torch.set_default_dtype(torch.float32)


@claim(
    "`torch.set_default_dtype` changes the default for floats and complex numbers, also for `torch.zeros`, `torch.rand` and the like:"
)
@SIXTEEN
def test_set_default_dtype(dtype: torch.dtype) -> None:
    try:
        torch.set_default_dtype(dtype)
        made = [
            torch.zeros(1),
            torch.ones(1),
            torch.empty(1),
            torch.rand(1),
            torch.randn(1),
            torch.eye(1),
            torch.full((1,), 1.0),
            torch.linspace(0, 1, 2),
            torch.arange(2.0),
        ]
        assert {x.dtype for x in made} == {dtype}
    finally:
        torch.set_default_dtype(torch.float32)


@claim("If two types meet in arithmetic or a comparison, PyTorch converts both tensors to a common type first.")
def test_common_type() -> None:
    for pair in PAIRS:
        a, b = (torch.tensor([1, 0]).to(dtype) for dtype in pair)
        assert (a * b).dtype == (a + b).dtype == torch.promote_types(*pair)
        assert (a == b).tolist() == [True, True]


@claim(
    "If neither can hold the other, a third type does: `float16` with `bfloat16` gives `float32`, `uint8` with `int8` gives `int16`."
)
def test_third_type() -> None:
    assert torch.promote_types(torch.float16, torch.bfloat16) == torch.float32
    assert torch.promote_types(torch.uint8, torch.int8) == torch.int16


def category(dtype: torch.dtype) -> int:
    """0 for bool, 1 for integers, 2 for floats, 3 for complex numbers."""
    return 3 if dtype.is_complex else 2 if dtype.is_floating_point else int(dtype != torch.bool)


@claim("A Python number, or a tensor without dimensions, does not widen a tensor of the same category.")
def test_scalars_do_not_widen() -> None:
    for pair in list(itertools.product(DTYPES, DTYPES)):
        x, scalar = (torch.ones(size, dtype=dtype) for size, dtype in zip(((2,), ()), pair, strict=True))
        if category(pair[1]) <= category(pair[0]):
            assert (x * scalar).dtype == (x * scalar.item()).dtype == x.dtype


@claim(
    "It counts only if its category is higher.",
    "The integer tensor becomes a float tensor: a Python float brings the default dtype, a tensor its own.",
)
@pytest.mark.parametrize("dtype", INTEGERS, ids=str)
def test_higher_categories_count(dtype: torch.dtype) -> None:
    x = torch.ones(2, dtype=dtype)
    assert (x * 2.0).dtype == torch.float32
    for wide in FLOATS:
        assert (x * torch.tensor(2.0, dtype=wide)).dtype == wide


@claim("Two tensors without dimensions promote like two with dimensions: the larger type wins.")
def test_two_scalars() -> None:
    for pair in PAIRS:
        a, b = (torch.ones((), dtype=dtype) for dtype in pair)
        assert (a * b).dtype == (a[None] * b[None]).dtype


@claim(
    "`/` and `sqrt` give floats, `//` keeps the integers, a comparison gives `bool`, and a sum over booleans counts in `int64`."
)
@pytest.mark.parametrize("dtype", INTEGERS, ids=str)
def test_own_dtype(dtype: torch.dtype) -> None:
    x = torch.tensor([4, 1]).to(dtype)
    assert (x / 2).dtype == (x / x).dtype == x.sqrt().dtype == torch.float32
    assert (x // 2).dtype == (x // x).dtype == dtype
    assert (x > 1).dtype == torch.bool
    assert (x > 1).sum().dtype == torch.int64


@claim("The mean of integers raises an error.")
@pytest.mark.parametrize("dtype", [*INTEGERS, torch.bool], ids=str)
def test_mean_of_integers(dtype: torch.dtype) -> None:
    raises("mean(): could not infer output dtype", torch.ones(2, dtype=dtype).mean)


@claim(
    "Without autocast, a matrix product does not promote, and neither do the layers that use one: they raise an error."
)
def test_products_do_not_promote() -> None:
    for pair in list(itertools.permutations(FLOATS, 2)):
        a, b = (torch.ones(2, 2, dtype=dtype) for dtype in pair)
        image, kernel = (torch.ones(1, 1, 3, 3, dtype=dtype) for dtype in pair)
        calls = (
            (torch.mm, (a, b)),
            (torch.mv, (a, b[0])),
            (torch.dot, (a[0], b[0])),
            (torch.matmul, (a[None], b[None])),
            (F.linear, (a, b)),
            (F.conv2d, (image, kernel)),
        )
        for call, operands in calls:
            assert result(call, *operands) is RuntimeError


@claim("An in-place operation writes into memory that exists, so the type stays.")
def test_in_place_keeps_the_dtype() -> None:
    for pair in list(itertools.product(DTYPES, DTYPES)):
        x, y = (torch.ones(2, dtype=dtype) for dtype in pair)
        if result(x.add_, y) is not RuntimeError:
            assert x.dtype == pair[0]
        x[0] = y[0]
        assert x.dtype == pair[0]


@claim("`torch.allclose` allows for rounding, and needs one dtype.")
def test_allclose_needs_one_dtype() -> None:
    for pair in itertools.combinations(DTYPES, 2):
        assert result(torch.allclose, *(torch.ones(2, dtype=dtype) for dtype in pair)) is RuntimeError
        assert torch.allclose(torch.tensor(0.1) * 3, torch.tensor(0.3))


@claim("Beside `float32`, `int64` becomes `float32` and loses digits: 16,777,217 equals 16,777,216.0.")
def test_digits_of_int64() -> None:
    assert (torch.tensor([16_777_217]) == torch.tensor([16_777_216.0])).item()


@claim("Here the first three types promote with floats only, and `float8` with nothing.")
@pytest.mark.parametrize(
    "dtype", [torch.uint16, torch.uint32, torch.uint64, torch.float8_e4m3fn, torch.float8_e5m2], ids=str
)
def test_newer_types(dtype: torch.dtype) -> None:
    for other in (torch.bool, torch.uint8, torch.int64, torch.float16, torch.float32, torch.complex64):
        works = result(torch.promote_types, dtype, other) is not RuntimeError
        assert works == (not dtype.is_floating_point and other.is_floating_point)


@claim(
    "`requires_grad` | `False` | whether PyTorch records operations to compute gradients; floats and complex numbers only"
)
@anything
def test_requires_grad(dtype: torch.dtype) -> None:
    x = torch.ones(2, dtype=dtype)
    assert not x.requires_grad
    assert (result(x.requires_grad_) is not RuntimeError) == (category(dtype) >= 2)


@claim(
    "`torch.cat`, `torch.where`, `mse_loss` and `l1_loss` promote like arithmetic, without a message (in 2.9 and 2.11, the backward pass of `mse_loss` raises one)."
)
@pytest.mark.parametrize("loss", [F.mse_loss, F.l1_loss])
def test_what_promotes(loss: Callable[[Tensor, Tensor], Tensor]) -> None:
    for pair in PAIRS:
        a, b = (torch.ones(2).to(dtype) for dtype in pair)
        assert torch.cat([a, b]).dtype == torch.promote_types(*pair)
        assert torch.where(torch.tensor([True, False]), a, b).dtype == torch.promote_types(*pair)
    assert loss(torch.ones(2), torch.ones(2).double()).dtype == torch.float64


@claim("The assignment cut 2.7 to 2 without a message, while `counts += 2.7` raises an error.")
@pytest.mark.parametrize("dtype", INTEGERS, ids=str)
@given(st.floats(0, 100))
def test_assignment_cuts(dtype: torch.dtype, value: float) -> None:
    counts = torch.zeros(3, dtype=dtype)
    counts[0] = value
    assert counts[0].item() == int(value)
    raises("can't be cast", counts.__iadd__, value)


@claim("The two types round 0.1 differently; 0.5 is exact in both.")
def test_tenth_and_half() -> None:
    assert torch.tensor(0.1).item() != 0.1
    assert torch.tensor(0.5).item() == 0.5


@claim(
    "`huber_loss` keeps the dtype of its input instead, and its backward pass raises an error: convert the target before."
)
def test_huber() -> None:
    for one, other in ((torch.float32, torch.float64), (torch.float64, torch.float32)):
        loss = F.huber_loss(torch.ones(2, dtype=one, requires_grad=True), torch.ones(2, dtype=other))
        assert loss.dtype == one
        raises("Found dtype", loss.backward)
