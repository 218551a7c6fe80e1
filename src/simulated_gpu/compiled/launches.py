"""Launches of compiled kernels: now, behind a pause, or at each replay of a graph, as the runtime says."""

from __future__ import annotations

import ctypes
import itertools
import sys
from collections.abc import Callable
from functools import cache
from typing import Any

import torch

from ..values.build import library

NOW, LATER, IN_GRAPH, NEVER, FAILED = range(5)
"""`simgpu_turn` of simgpu.h."""
ASSERTED = 710
"""CUDA's number of "device-side assert triggered"."""
Kernel = Callable[..., Any]

_kept: dict[int, tuple[str, Kernel, list[Any]]] = {}
_numbers = itertools.count(1)
_Node = ctypes.CFUNCTYPE(None, ctypes.c_void_p)


def launch(name: str, device: int, kernel: Kernel, *arguments: Any) -> None:
    """Launch a kernel on the current stream of a device. Generated code calls this."""
    runtime = _runtime()
    stream = ctypes.c_void_p(torch._C._cuda_getCurrentRawStream(device))
    turn = runtime.simgpu_kernel(name.encode(), stream)
    if turn == NOW:
        _run(name, kernel, arguments)
    elif turn == FAILED:
        torch.cuda.synchronize(device)  # says why
    elif turn != NEVER:
        number = next(_numbers)
        _kept[number] = name, kernel, [_without_hold(argument) for argument in arguments]
        submit = runtime.simgpu_graph_append if turn == IN_GRAPH else runtime.simgpu_put_off
        submit(stream, *_nodes, ctypes.c_void_p(number))


def launch_random(name: str, device: int, kernel: Kernel, *arguments: Any) -> None:
    """Launch a kernel that draws random numbers, which are not those of Triton's kernel."""
    _note("random numbers of torch.compile")
    launch(name, device, kernel, *arguments)


def note_backend() -> None:
    """Note that these kernels are not those that a GPU runs. Generated code calls this when it is loaded."""
    _note("torch.compile, by Inductor's C++ kernels instead of Triton's")


def _note(what: str) -> None:
    _values().simulated_gpu_values_note_unsure(what.encode())


@cache
def _values() -> ctypes.CDLL:
    return ctypes.CDLL(str(library()))


@cache
def _runtime() -> ctypes.CDLL:
    return ctypes.CDLL(None)


def _run(name: str, kernel: Kernel, arguments: Any) -> None:
    """Run it. What a kernel of Triton's asserts on the device is an exception of C++ code."""
    try:
        kernel(*arguments)
    except RuntimeError as error:
        said = str(error).splitlines()[0]
        if "out of bounds" not in said and "out of range" not in said:
            raise
        print(f"Simulated GPU: an assertion of the kernel {name} failed: {said}", file=sys.stderr, flush=True)
        _runtime().simgpu_fail(ASSERTED)


def _run_kept(number: int) -> None:
    _run(*_kept[number])


def _drop_kept(number: int) -> None:
    del _kept[number]


_nodes = _Node(_run_kept), _Node(_drop_kept)
"""What the runtime calls, kept as long as the process."""


def _without_hold(argument: Any) -> Any:
    """Return a tensor over the same memory that does not keep it: PyTorch's allocator may give it to later work."""
    if not isinstance(argument, torch.Tensor) or not argument.is_cuda:
        return argument
    size = argument.untyped_storage().nbytes() - int(argument.storage_offset()) * argument.itemsize
    storage = torch._C._construct_storage_from_data_pointer(argument.data_ptr(), argument.device, size)
    metadata = {
        "nbytes": size,
        "dtype": argument.dtype,
        "storage_offset": 0,
        "size": tuple(argument.size()),
        "stride": tuple(argument.stride()),
    }
    return torch._C._construct_CUDA_Tensor_From_Storage_And_Metadata(metadata, storage)
