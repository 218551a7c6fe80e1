"""What claims are made of: tensors worth trying, and comparisons."""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Sequence
from typing import Any

import pytest
import torch
from hypothesis import strategies as st
from torch import Tensor
from torch.testing import make_tensor

claim = pytest.mark.claim
"""Names the sentences of the page that a test checks, each a literal string."""

FLOATS = (torch.float32, torch.float64, torch.float16, torch.bfloat16)
INTEGERS = (torch.int64, torch.int32, torch.int16, torch.int8, torch.uint8)
COMPLEX = (torch.complex64, torch.complex128)
DTYPES = (*FLOATS, *INTEGERS, torch.bool, *COMPLEX)
LAYOUTS = ("contiguous", "transposed", "every second", "offset", "expanded", "conjugate")
INF, NAN = float("inf"), float("nan")

anything = pytest.mark.parametrize("dtype", DTYPES, ids=str)
"""Runs a test with each common dtype."""
floating = pytest.mark.parametrize("dtype", FLOATS, ids=str)
"""Runs a test with each common dtype of real numbers."""

on_cuda = pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a CUDA GPU, or a simulated one")
"""Marks a test that is about CUDA alone."""
on_two_gpus = pytest.mark.skipif(torch.cuda.device_count() < 2, reason="needs two CUDA GPUs, or simulated ones")
"""Marks a test that is about two GPUs."""


def shapes(least: int = 0, most: int = 3, low: int = 0, high: int = 4) -> st.SearchStrategy[tuple[int, ...]]:
    """Shapes of `least` to `most` dimensions with sizes from `low` to `high`: 0-d, empty, and of one element too."""
    return st.lists(st.integers(low, high), min_size=least, max_size=most).map(tuple)


def laid_out(
    shape: Sequence[int], dtype: torch.dtype, layout: str = "contiguous", device: str | torch.device = "cpu"
) -> Tensor:
    """A tensor of random numbers, its memory laid out in one of `LAYOUTS`."""
    shape = tuple(shape)

    def make(sizes: Sequence[int]) -> Tensor:
        return make_tensor(tuple(sizes), dtype=dtype, device=device)

    if layout == "transposed":
        return make(shape[::-1]).permute(tuple(reversed(range(len(shape)))))
    if layout == "every second":
        return make([2 * size for size in shape])[tuple(slice(None, None, 2) for _ in shape)]
    if layout == "offset":
        return make((2, *shape))[1]
    if layout == "expanded" and shape:
        return make((1, *shape[1:])).expand(shape)
    if layout == "conjugate" and dtype.is_complex:
        return make(shape).conj()
    return make(shape)


@st.composite
def tensors(
    draw: st.DrawFn,
    shape: Sequence[int] | st.SearchStrategy[tuple[int, ...]] | None = None,
    dtypes: Sequence[torch.dtype] = DTYPES,
    layouts: Sequence[str] = LAYOUTS,
    extremes: bool = True,
    gradient: bool = False,
    device: str | torch.device = "cpu",
) -> Tensor:
    """Tensors worth trying: any shape, dtype and layout; inf, nan, -0.0 or an integer's extremes among the numbers.

    Args:
        shape: a shape, or a strategy for shapes; by default 0 to 3 dimensions of 0 to 4.
        dtypes: what to choose from.
        layouts: what to choose from.
        extremes: whether a number may be inf, nan, -0.0 or the least or largest integer.
        gradient: whether it may require a gradient.
        device: where it is.
    """
    sizes = draw(shapes()) if shape is None else draw(shape) if isinstance(shape, st.SearchStrategy) else shape
    dtype = draw(st.sampled_from(dtypes))
    torch.manual_seed(draw(st.integers(0, 7)))
    x = laid_out(sizes, dtype, draw(st.sampled_from(layouts)), device)
    if extremes and x.numel() and draw(st.booleans()):
        x[(0,) * x.dim()] = draw(st.sampled_from(_extremes(dtype)))
    if gradient and (dtype.is_floating_point or dtype.is_complex) and draw(st.booleans()):
        x = x.detach().requires_grad_()
    return x


def _extremes(dtype: torch.dtype) -> list[Any]:
    if dtype == torch.bool:
        return [True, False]
    if dtype.is_floating_point or dtype.is_complex:
        return [INF, -INF, NAN, -0.0, torch.finfo(dtype).max]
    return [torch.iinfo(dtype).min, torch.iinfo(dtype).max]


def same(actual: Any, expected: Any, rtol: float = 0, atol: float = 0) -> None:
    """Fail unless both have one shape, dtype, device and values; nan equals nan."""
    torch.testing.assert_close(actual, expected, rtol=rtol, atol=atol, equal_nan=True)


def close(actual: Any, expected: Any) -> None:
    """Fail unless both have one shape, dtype and device, and the same values but for rounding; nan equals nan."""
    torch.testing.assert_close(actual, expected, equal_nan=True)


def one_memory(a: Tensor, b: Tensor) -> bool:
    """Whether both use one storage; other than `data_ptr()`, it tells empty tensors apart."""
    return bool(a.untyped_storage()._cdata == b.untyped_storage()._cdata)


def raises(message: str, call: Callable[..., object], *arguments: Any, **options: Any) -> None:
    """Fail unless the call raises an error whose text contains the message."""
    with pytest.raises(Exception, match=re.escape(message)):
        call(*arguments, **options)


def refuses(call: Callable[..., object], *arguments: Any, **options: Any) -> bool:
    """Whether the call raises an error."""
    found = result(call, *arguments, **options)
    return isinstance(found, type) and issubclass(found, Exception)


def result(call: Callable[..., Any], *arguments: Any, **options: Any) -> Any:
    """What a call returns, or the class of what it raises; warnings do not matter."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return call(*arguments, **options)
        except Exception as error:
            return type(error)
