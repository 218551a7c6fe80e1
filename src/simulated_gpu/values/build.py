"""Compiles the extension that computes values, against the installed PyTorch."""

from __future__ import annotations

import os
import shutil
import sys
import sysconfig
from concurrent.futures import ThreadPoolExecutor
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
    sources = [*SOURCES.glob("*.cpp"), *SOURCES.glob("*.h"), SOURCES.parent.parent / "runtime" / "simgpu.h"]
    return (
        builder.kept(f"values-{sys.implementation.cache_tag}", torch, sources, lambda folder: _build(torch, folder))
        / NAME
    )


def _build(torch: Torch, folder: Path) -> None:
    work = folder / "work"
    work.mkdir()
    common = _compile_headers(torch, work)
    files = sorted(
        SOURCES.glob("*.cpp"), key=lambda path: path.stat().st_size, reverse=True
    )  # the longest do not come last
    progress = builder.Progress(len(files))
    with ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        objects = list(pool.map(lambda source: _compile(torch, common, source, progress), files))
    names = ("torch_cpu", "c10", "c10_cuda", "torch_cuda", "torch_python")
    libraries = [f"-L{torch.folder / 'lib'}", *(f"-l{name}" for name in names)]
    builder.compile_with(["-shared", "-o", str(folder / NAME), *map(str, objects), *libraries])
    shutil.rmtree(work)


def _compile_headers(torch: Torch, work: Path) -> Path:
    """Compile PyTorch's headers once for all files: they cost more than the files themselves."""
    common = work / "common.h"
    shutil.copy(SOURCES / "common.h", common)
    builder.compile_with([*_flags(torch), "-x", "c++-header", str(common), "-o", f"{common}.gch"])
    return common


def _compile(torch: Torch, common: Path, source: Path, progress: builder.Progress) -> Path:
    made = common.parent / (source.stem + ".o")
    builder.compile_with([*_flags(torch), "-include", str(common), "-c", str(source), "-o", str(made)])
    progress.one_more()
    return made


def _flags(torch: Torch) -> list[str]:
    python = Path(sysconfig.get_paths()["include"])
    if not (python / "Python.h").exists():
        raise MachineError(f"Python's headers are not in {python}. Install them: apt-get install python3-dev.")
    include = torch.folder / "include"
    folders = [include, include / "torch" / "csrc" / "api" / "include", python]
    return ["-O1", "-std=c++20", "-fPIC", "-w", "-DAT_PER_OPERATOR_HEADERS", *(f"-isystem{path}" for path in folders)]
