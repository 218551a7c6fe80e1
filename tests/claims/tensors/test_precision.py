"""Range and precision: digits, gaps, and where each type ends."""

from __future__ import annotations

import math

import pytest
import torch
from hypothesis import example, given
from hypothesis import strategies as st

from claims.claimlib import FLOATS, INF, INTEGERS, claim

SIXTEEN = pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16], ids=str)


@claim(
    "`float32` holds about 7 decimal digits, `float16` about 3 and nothing above 65504, and `bfloat16` about 2 with the range of `float32`."
)
@pytest.mark.parametrize(("dtype", "digits"), [(torch.float32, 7), (torch.float16, 3), (torch.bfloat16, 2)], ids=str)
@given(st.floats(1, 1000))
def test_digits(dtype: torch.dtype, digits: int, value: float) -> None:
    assert digits <= -math.log10(torch.finfo(dtype).eps / 2) < digits + 1
    error = abs(torch.tensor(value, dtype=torch.float64).to(dtype).item() - value)
    assert error <= value * 10**-digits
    assert torch.finfo(torch.float16).max == 65504


@claim("whole numbers beyond 16,777,216 | `int64`, or `float64` up to 9,007,199,254,740,992")
@given(st.integers(0, 2**24), st.integers(0, 2**53))
@example(2**24, 2**53)
def test_whole_numbers(small: int, large: int) -> None:
    assert torch.tensor(small).float().long().item() == small
    assert torch.tensor(large).double().long().item() == large
    assert torch.tensor(2**24 + 1).float().long().item() == 2**24
    assert torch.tensor(2**53 + 1).double().long().item() == 2**53


@claim("It becomes infinity if it is too large for that, and zero if zero is nearest:")
@SIXTEEN
def test_ends(dtype: torch.dtype) -> None:
    info = torch.finfo(dtype)
    most = torch.tensor(info.max, dtype=torch.float64)
    gap = most * info.eps / (2 - info.eps)
    assert (most + 0.49 * gap).to(dtype).item() == info.max
    assert (most + 0.51 * gap).to(dtype).item() == INF
    least = torch.tensor(info.tiny * info.eps, dtype=torch.float64)
    assert (least * 0.49).to(dtype).item() == 0
    assert (least * 0.51).to(dtype).item() == least.item()


@claim("Below the range of full precision, each type has *subnormal* numbers with fewer digits.")
@pytest.mark.parametrize("dtype", FLOATS, ids=str)
def test_subnormal(dtype: torch.dtype) -> None:
    info = torch.finfo(dtype)
    tiny = torch.tensor(info.tiny, dtype=torch.float64)
    following = tiny * (1 + info.eps)
    assert following.to(dtype) > tiny.to(dtype)
    assert 0 < (tiny / 4).to(dtype) < tiny.to(dtype)
    assert (following / 4).to(dtype) == (tiny / 4).to(dtype)  # the last digit is lost


@claim("`bfloat16` has the range of `float32`, `float16` only a small part of it.")
def test_range() -> None:
    half, low, single = map(torch.finfo, (torch.float16, torch.bfloat16, torch.float32))
    assert low.tiny == single.tiny
    assert low.max == pytest.approx(single.max, rel=0.01)
    assert half.max < 1e-30 * single.max


@claim("Near 1 it has eight times as many numbers as `bfloat16`:")
def test_eight_times() -> None:
    assert torch.finfo(torch.bfloat16).eps == 8 * torch.finfo(torch.float16).eps


@claim("In `float16` or `bfloat16`, a `float32` value becomes the nearest number of the type.")
@SIXTEEN
@given(value=st.floats(-1000, 1000, width=32))
def test_rounds_to_the_nearest(dtype: torch.dtype, value: float) -> None:
    bits = torch.arange(-(2**15), 2**15).to(torch.int16).view(dtype).float()
    nearest = (bits[bits.isfinite()] - value).abs().min()
    assert abs(torch.tensor(value).to(dtype).item() - value) == nearest


@claim(
    "If the gap is 2, then adding 1 ends halfway between two numbers, and PyTorch rounds to the one whose last bit is even:"
)
@pytest.mark.parametrize(
    ("dtype", "start"), [(torch.bfloat16, 256), (torch.float16, 2048), (torch.float32, 2**24), (torch.float64, 2**53)]
)
def test_ties_to_even(dtype: torch.dtype, start: int) -> None:
    x = torch.arange(start, start + 40, 2, dtype=torch.int64).to(dtype)
    assert ((x + 1).long() % 4 == 0).all()


@claim("Integers have no gaps, but limits: beyond them, arithmetic wraps around without a message.")
@pytest.mark.parametrize("dtype", INTEGERS, ids=str)
def test_wraps_around(dtype: torch.dtype) -> None:
    least, most = torch.iinfo(dtype).min, torch.iinfo(dtype).max
    assert (torch.tensor(most, dtype=dtype) + 1).item() == least
    assert (torch.tensor(least, dtype=dtype) - 1).item() == most
