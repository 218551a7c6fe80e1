"""What a compiled kernel is given: where the elements are, and the numbers that come after them."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from torch import Tensor

DIMENSIONS, OPERANDS, EXTRAS = 64, 16, 64


class Loop(ctypes.Structure):
    """`Loop` of elementwise.h."""

    _fields_ = (
        ("elements", ctypes.c_int64),
        ("dimensions", ctypes.c_int64),
        ("operands", ctypes.c_int64),
        ("sizes", ctypes.c_int64 * DIMENSIONS),
        ("strides", ctypes.c_int64 * OPERANDS * DIMENSIONS),
        ("data", ctypes.c_void_p * OPERANDS),
        ("extras", ctypes.c_double * 2 * EXTRAS),
    )


def make_loop(operands: Sequence[Tensor], numbers: Sequence[Any]) -> Loop:
    """Return the loop over the elements of operands, of which the first has the shape of the result.

    Raises ValueError if there is no room for so many dimensions, operands or numbers.
    """
    shape = operands[0].shape
    if len(shape) > DIMENSIONS or len(operands) > OPERANDS or len(numbers) > EXTRAS:
        raise ValueError(f"it has more than {DIMENSIONS} dimensions, {OPERANDS} tensors or {EXTRAS} numbers")
    loop = Loop(operands[0].numel(), len(shape), len(operands))
    loop.sizes[: len(shape)] = shape
    for i, operand in enumerate(operands):
        loop.data[i] = operand.data_ptr()
        for dimension, stride in enumerate(_strides(operand), len(shape) - operand.dim()):
            loop.strides[dimension][i] = stride
    for i, number in enumerate(numbers):
        made = _as_c(number)
        ctypes.memmove(loop.extras[i], ctypes.byref(made), ctypes.sizeof(made))
    return loop


def _strides(operand: Tensor) -> list[int]:
    """Return the strides in bytes, 0 where one element is taken for all."""
    strides = zip(operand.shape, operand.stride(), strict=True)
    return [stride * operand.element_size() if size > 1 else 0 for size, stride in strides]


def _as_c(number: Any) -> Any:
    if isinstance(number, bool):
        return ctypes.c_bool(number)
    if isinstance(number, int):
        return ctypes.c_int64(number)
    if isinstance(number, complex):
        return (ctypes.c_double * 2)(number.real, number.imag)
    return ctypes.c_double(number)
