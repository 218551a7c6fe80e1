"""Triton's interpreter, where it computes with the bits of a number instead of the number.

NumPy has neither bfloat16 nor float8, so Triton's interpreter holds them as integers, and adds these. Here bfloat16 is
computed in float32 and rounded, as a GPU does it, and arithmetic in float8 is refused.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
import triton.language as tl  # type: ignore[import-not-found]
from triton.runtime import interpreter  # type: ignore[import-not-found]

from ..errors import NotSimulated

Handle = Any  # interpreter.TensorHandle
Method = Callable[..., Any]
Numbers = npt.NDArray[Any]

BITS = frozenset(
    "load store masked_load masked_store tensor_pointer_load tensor_pointer_store descriptor_load descriptor_store "
    "descriptor_gather descriptor_scatter bitcast int_to_ptr ptr_to_int addptr fabs select reshape trans expand_dims "
    "broadcast cat join split splat unsplat gather make_block_ptr advance make_tensor_descriptor atomic_cas".split()
)
"""What moves numbers, or masks a bit, is right with their bits."""
CASTS = frozenset("si_to_fp ui_to_fp fp_to_si fp_to_ui fp_ext fp_trunc int_cast fp_to_fp".split())
FLOAT8 = {
    tl.float8e5: torch.float8_e5m2,
    tl.float8e4nv: torch.float8_e4m3fn,
    tl.float8e5b16: torch.float8_e5m2fnuz,
    tl.float8e4b8: torch.float8_e4m3fnuz,
}


def mend() -> None:
    """Have the interpreter compute with numbers. Call it once Triton's interpreter is imported."""
    builder = interpreter.InterpreterBuilder
    for name in dir(builder):
        operation = name.removeprefix("create_")
        if operation != name and operation not in BITS | CASTS:
            setattr(builder, name, _with_numbers(operation, getattr(builder, name)))
    builder.cast_impl = _cast(builder.cast_impl)
    builder.create_fp_to_fp = _cast(builder.create_fp_to_fp)
    builder.get_bf16 = lambda self, value: _rounded(np.array([value], dtype=np.float64))
    interpreter.ReduceScanOpInterface.apply = _reduce(interpreter.ReduceScanOpInterface.apply)


def _with_numbers(operation: str, method: Method) -> Method:
    @functools.wraps(method)
    def call(self: Any, *arguments: Any, **options: Any) -> Any:
        if not any(_is_bfloat16(given) or _is_float8(given) for given in arguments):
            return method(self, *arguments, **options)
        if operation != "dot" and any(map(_is_float8, arguments)):
            _refuse(f"{operation} of float8")
        if operation == "atomic_rmw":
            _refuse("an atomic operation on bfloat16")
        made = method(self, *map(_widen, arguments), **options)
        return made if operation == "dot" else _narrow(made)  # a product's dtype is that of what it is added to

    return call


def _refuse(what: str) -> None:
    raise NotSimulated(
        f"{what}: Triton's interpreter, which runs this kernel on the simulated GPU, would compute with its bits. "
        "Convert it to float32 in the kernel (x.to(tl.float32)), or use a real GPU."
    )


def _element(given: Any) -> Any:
    return given.dtype.scalar if isinstance(given, interpreter.TensorHandle) else None


def _is_bfloat16(given: Any) -> bool:
    return bool(_element(given) == tl.bfloat16)


def _is_float8(given: Any) -> bool:
    element = _element(given)
    return bool(element is not None and element.is_fp8())


def _numbers(given: Handle) -> Numbers:
    """Return the numbers that a handle holds, in float32 where NumPy has not their dtype."""
    element = _element(given)
    if element == tl.bfloat16:
        wide: Numbers = (given.data.astype(np.uint32) << 16).view(np.float32)
        return wide
    if element in FLOAT8:
        bits = torch.from_numpy(np.ascontiguousarray(given.data).reshape(-1))
        return bits.view(FLOAT8[element]).float().numpy().reshape(given.data.shape)
    data: Numbers = given.data
    return data


def _rounded(numbers: Numbers) -> Handle:
    """Return a handle of the nearest numbers in bfloat16, the even one of two."""
    exact = numbers if numbers.dtype.kind == "f" else numbers.astype(np.float64)
    bits = torch.from_numpy(np.array(exact).reshape(-1)).to(torch.bfloat16).view(torch.int16)
    return interpreter.TensorHandle(bits.numpy().view(np.uint16).reshape(numbers.shape), tl.bfloat16)


def _widen(given: Any) -> Any:
    return interpreter.TensorHandle(_numbers(given), tl.float32) if _is_bfloat16(given) else given


def _narrow(made: Any) -> Any:
    """Round what was computed. A comparison's result is a boolean already."""
    return _rounded(made.data) if _element(made) == tl.float32 and made.data.dtype == np.float32 else made


def _cast(method: Method) -> Method:
    @functools.wraps(method)
    def call(self: Any, given: Handle, dtype: Any, *rounding: Any) -> Any:
        target = dtype.scalar
        if not (_is_bfloat16(given) or _is_float8(given) or target == tl.bfloat16 or target.is_fp8()):
            return method(self, given, dtype, *rounding)
        if target.is_fp8() or (_is_float8(given) and _element(given) not in FLOAT8):
            _refuse(f"a conversion of {_element(given)} to {target}")
        if target != tl.bfloat16:
            return interpreter.TensorHandle(_numbers(given).astype(interpreter._get_np_dtype(target)), target)
        if any(mode not in (None, interpreter._ir.ROUNDING_MODE.RTNE) for mode in rounding):
            _refuse("a conversion to bfloat16 that does not round to the nearest")
        return _rounded(_numbers(given))

    return call


def _reduce(method: Method) -> Method:
    @functools.wraps(method)
    def call(self: Any, given: Any) -> Any:
        tensors = given if isinstance(given, tuple) else (given,)
        if any(_is_float8(tensor.handle) for tensor in tensors):
            _refuse("a reduction of float8")
        narrow = [_is_bfloat16(tensor.handle) for tensor in tensors]
        if not any(narrow):
            return method(self, given)
        wide = tuple(_retyped(tensor, _widen(tensor.handle)) for tensor in tensors)
        made = [
            _retyped(tensor, _narrow(tensor.handle)) if is_narrow else tensor
            for tensor, is_narrow in zip(method(self, wide), [*narrow, False], strict=False)
        ]
        return tuple(made) if isinstance(given, tuple) else made[0]

    return call


def _retyped(tensor: Any, handle: Handle) -> Any:
    """Return a tensor of the interpreter's with the shape of another."""
    dtype = handle.dtype.scalar
    return tl.tensor(handle, tl.block_type(dtype, tensor.type.shape) if tensor.type.is_block() else dtype)
