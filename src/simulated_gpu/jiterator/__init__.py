"""The kernels that a program writes for `torch.cuda.jiterator`: PyTorch checks and launches, the CPU computes."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from .compiled import library
from .loop import make_loop
from .refusal import refused, runtime
from .source import NUMBERS, TYPES, Kernel

if TYPE_CHECKING:
    from torch import Tensor

    Made = Tensor | tuple[Tensor, ...]

FUNCTION = "_cuda_jiterator_compile_and_launch_kernel"
"""The function of `torch._C` that compiles a kernel with NVRTC and launches it. PyTorch has no hook there."""


def install() -> None:
    """Have the values of such kernels computed on the CPU. Call it once torch is imported."""
    import torch

    original = getattr(torch._C, FUNCTION)

    def launch(
        code: str, name: str, by_reference: bool, outputs: int, tensors: Sequence[Tensor], extras: dict[str, Any]
    ) -> Made:
        numbers = {key: _number(value) for key, value in extras.items()}
        with _claimed():
            made: Made = original(code, name, by_reference, outputs, tensors, numbers)
        written = made if isinstance(made, tuple) else (made,)
        if written[0].numel() and not runtime().simgpu_shapes_only():
            dtypes = (_dtype(written[0]), tuple(map(_dtype, tensors)))
            kernel = Kernel(code, name, by_reference, len(written), *dtypes, tuple(map(_kind, numbers.values())))
            _compute(kernel, [*written, *tensors], list(numbers.values()))
        return made

    setattr(torch._C, FUNCTION, launch)


def _number(value: Any) -> Any:
    """Return the number that is in a tensor or of NumPy, which is read only once so."""
    return value.item() if hasattr(value, "item") else value


@contextmanager
def _claimed() -> Iterator[None]:
    """Promise to compute what PyTorch launches within."""
    runtime().simgpu_enter()
    try:
        yield
    finally:
        runtime().simgpu_leave()


def _dtype(tensor: Tensor) -> str:
    return str(tensor.dtype).removeprefix("torch.")


def _kind(number: Any) -> type:
    return type(number) if type(number) in NUMBERS else float


def _compute(kernel: Kernel, operands: Sequence[Tensor], numbers: Sequence[Any]) -> None:
    """Compute now, or at each replay of the graph that the current stream is captured into."""
    import torch

    if unknown := {kernel.common, *kernel.inputs}.difference(TYPES):
        raise refused(kernel, f"it does not know {', '.join(sorted(unknown))}")
    try:
        loop = make_loop(operands, numbers)
    except ValueError as error:
        raise refused(kernel, str(error)) from None
    compiled = library(kernel)
    stream = torch.cuda.current_stream(operands[0].device).cuda_stream
    if runtime().simgpu_capturing(stream):
        kept = compiled.simulated_gpu_keep(ctypes.byref(loop))
        runtime().simgpu_graph_append(
            stream, _address(compiled.simulated_gpu_node), _address(compiled.simulated_gpu_drop), kept
        )
        return
    runtime().simgpu_hurry(b"torch.cuda.jiterator")
    if not compiled.simulated_gpu_kernel(ctypes.byref(loop)):
        raise refused(kernel, "it divides an integer by zero, or with a quotient that is too large")


def _address(function: Any) -> int | None:
    return ctypes.cast(function, ctypes.c_void_p).value
