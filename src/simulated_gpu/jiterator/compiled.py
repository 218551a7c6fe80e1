"""Compiles a kernel for the CPU."""

from __future__ import annotations

import ctypes
from functools import cache
from pathlib import Path

from .. import builder, installed
from .refusal import refused
from .source import Kernel, source

NAME = "kernel.so"
# Integers wrap as they do on a GPU, and a division by zero traps on every processor.
FLAGS = (
    *("-shared", "-fPIC", "-O1", "-std=c++17", "-w", "-fmax-errors=1", "-Wl,-z,defs", "-fwrapv"),
    *("-fsanitize=integer-divide-by-zero", "-fsanitize-undefined-trap-on-error"),
)


@cache
def library(kernel: Kernel) -> ctypes.PyDLL:
    """Return a compiled kernel. Raises NotSimulated if the compiler refuses it, MachineError if there is none."""
    torch = installed.find()
    code = source(kernel)
    folder = builder.kept_code("kernel", torch, code, lambda fresh: _build(kernel, code, torch.folder, fresh))
    loaded = ctypes.PyDLL(str(folder / NAME))  # keeps Python's lock: some signals are its own while it runs
    loaded.simulated_gpu_kernel.restype = ctypes.c_bool
    loaded.simulated_gpu_keep.restype = ctypes.c_void_p
    return loaded


def _build(kernel: Kernel, code: str, torch: Path, folder: Path) -> None:
    written = folder / "kernel.cpp"
    written.write_text(code)
    files = [f"-isystem{torch / 'include'}", str(written), "-o", str(folder / NAME)]
    if complaint := builder.complaint([*FLAGS, *files]):
        raise refused(kernel, _first_error(complaint))


def _first_error(complaint: str) -> str:
    lines = complaint.splitlines()
    errors = (line for line in lines if "error: " in line or "undefined reference" in line)
    return next(errors, lines[-1]).strip()
