"""Compiles the extension that computes values, against the installed PyTorch."""

from __future__ import annotations

import os
import sysconfig
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from .. import builder, installed
from ..errors import MachineError
from ..installed import Torch

SOURCES = Path(__file__).parent / "native"
NAME = "values.so"


def library() -> Path:
    """Return the compiled extension, built if it was not built before. Raises MachineError if that fails."""
    torch = installed.find()
    sources = [*SOURCES.glob("*.cpp"), *SOURCES.glob("*.h"), SOURCES.parent.parent / "runtime" / "simgpu.h"]
    return builder.kept("values", torch, sources, lambda folder: _build(torch, folder)) / NAME


def _build(torch: Torch, folder: Path) -> None:
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        objects = list(pool.map(lambda source: _compile(torch, source, folder), sorted(SOURCES.glob("*.cpp"))))
    libraries = ["-L" + str(torch.folder / "lib"), "-ltorch_cpu", "-lc10", "-ltorch_python"]
    builder.compile_with(["-shared", "-o", str(folder / NAME), *map(str, objects), *libraries])
    for made in objects:
        made.unlink()


def _compile(torch: Torch, source: Path, folder: Path) -> Path:
    python = Path(sysconfig.get_paths()["include"])
    if not (python / "Python.h").exists():
        raise MachineError(f"Python's headers are not in {python}. Install them: apt-get install python3-dev.")
    include = torch.folder / "include"
    folders = [include, include / "torch" / "csrc" / "api" / "include", python]
    made = folder / (source.stem + ".o")
    flags = ["-O1", "-std=c++20", "-fPIC", "-w", "-DAT_PER_OPERATOR_HEADERS"]
    builder.compile_with([*flags, *(f"-isystem{path}" for path in folders), "-c", str(source), "-o", str(made)])
    return made
