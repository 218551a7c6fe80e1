"""The values of the simulated GPU: what its kernels would have written, computed on the CPU."""

from __future__ import annotations

import ctypes
import sys
from functools import cache

from ..errors import MachineError, NotSimulated
from ..reporting.lines import NOWHERE, here
from .build import library
from .unsure import unsure

__all__ = ["install", "unsure"]


@cache
def install() -> None:
    """Put the layer's kernels in the place of PyTorch's own under the CUDA key. Call it once torch is imported.

    Raises MachineError if the extension cannot be built, or if the runtime below it is not in place.
    """
    extension = ctypes.PyDLL(str(library()), mode=ctypes.RTLD_LOCAL)
    start = extension.simulated_gpu_values_install
    start.restype = ctypes.c_char_p
    start.argtypes = [ctypes.py_object, ctypes.py_object]
    missing = start(NotSimulated, lambda: here(sys._getframe(1))[0] or NOWHERE)
    if missing:
        raise MachineError(
            f"the simulated runtime has no {missing.decode()}. Start Python with `python -m simulated_gpu`."
        )
