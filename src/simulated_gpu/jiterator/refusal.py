"""How a kernel is refused, and the simulated runtime's functions that this package calls."""

from __future__ import annotations

import ctypes
from functools import cache

from ..errors import NotSimulated
from .source import Kernel


@cache
def runtime() -> ctypes.CDLL:
    """Return the functions of runtime/simgpu.h."""
    functions = ctypes.CDLL(None)
    functions.simgpu_capturing.argtypes = [ctypes.c_void_p]
    functions.simgpu_graph_append.argtypes = [ctypes.c_void_p] * 4
    return functions


def refused(kernel: Kernel, why: str) -> NotSimulated:
    """Return the error for a kernel that is not computed, which is noted as other refusals are."""
    runtime().simgpu_unsure(str(kernel).encode())
    return NotSimulated(
        f"{kernel}: the simulated GPU cannot compute it on the CPU ({why}). Write it with PyTorch's own operators, or "
        "run this on a real GPU."
    )
