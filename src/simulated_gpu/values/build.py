"""Compiles the extension that computes values, against the installed PyTorch."""

from __future__ import annotations

import sys
import sysconfig
from functools import cache
from pathlib import Path

from .. import builder, installed
from ..errors import MachineError
from ..installed import Torch

SOURCES = Path(__file__).parent / "native"
NAME = "values.so"


@cache
def library() -> Path:
    """Return the compiled extension, built if it was not built before. Raises MachineError if that fails."""
    torch = installed.find()
    sources = [
        *SOURCES.glob("*.cpp"),
        *SOURCES.glob("*.h"),
        SOURCES.parent.parent / "runtime" / "simgpu.h",
        Path(__file__),
    ]
    name = f"values-{sys.implementation.cache_tag}"
    return builder.kept(name, torch, sources, lambda folder: _build(torch, folder), "part 2 of 2, the values") / NAME


def _build(torch: Torch, folder: Path) -> None:
    """Compile all files as one: PyTorch's headers, which cost more than the files themselves, are read once then."""
    together, made = folder / "values.cpp", folder / "values.o"
    files = [SOURCES / "common.h", *sorted(SOURCES.glob("*.cpp"))]
    together.write_text("".join(f'#include "{path}"\n' for path in files))
    builder.compile_with([*_flags(torch), "-c", str(together), "-o", str(made)])
    names = ("torch_cpu", "c10", "c10_cuda", "torch_cuda", "torch_python")
    libraries = [f"-L{torch.folder / 'lib'}", *(f"-l{name}" for name in names)]
    builder.compile_with(["-shared", "-o", str(folder / NAME), str(made), *libraries])
    together.unlink()
    made.unlink()


def _flags(torch: Torch) -> list[str]:
    python = Path(sysconfig.get_paths()["include"])
    if not (python / "Python.h").exists():
        raise MachineError(f"Python's headers are not in {python}. Install them: apt-get install python3-dev.")
    include = torch.folder / "include"
    folders = [include, include / "torch" / "csrc" / "api" / "include", python]
    return ["-O1", "-std=c++20", "-fPIC", "-w", "-DAT_PER_OPERATOR_HEADERS", *(f"-isystem{path}" for path in folders)]
