"""Compiles what is needed below PyTorch, once, and keeps it.

A result is kept in a folder named after the hash of all that leads to it: the sources (the command lines are in them),
PyTorch's version with its build, and the compiler's version.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from .errors import MachineError
from .installed import Torch

COMPILER = "g++"
UNFINISHED = "unfinished-"


def cache_folder() -> Path:
    """Return the folder where results are kept."""
    base = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    return Path(base) / "simulated-gpu"


def kept(name: str, torch: Torch, sources: Sequence[Path], build: Callable[[Path], None]) -> Path:
    """Return the folder with what `build` writes, and build it if these sources were not built here before.

    `build` is called with an empty folder. One process builds at a time. Raises MachineError if there is no compiler.
    """
    key = _key(torch, [path.name.encode() + b"\0" + path.read_bytes() for path in sorted(sources)])
    return _kept(f"{name}-{key}", build, f"simulated_gpu: compiling for PyTorch {torch.version}; this happens once\n")


def kept_code(name: str, torch: Torch, code: str, build: Callable[[Path], None]) -> Path:
    """Do the same with code that is in no file. A moment's work, it is not announced."""
    return _kept(f"{name}-{_key(torch, [code.encode()])}", build, "")


def _kept(name: str, build: Callable[[Path], None], announcement: str) -> Path:
    folder = cache_folder() / name
    if folder.exists():
        return folder
    with _locked(cache_folder()):
        if not folder.exists():
            print(announcement, end="", file=sys.stderr, flush=True)
            for unfinished in folder.parent.glob(f"{UNFINISHED}*"):  # of a process that was killed
                shutil.rmtree(unfinished)
            fresh = Path(tempfile.mkdtemp(prefix=UNFINISHED, dir=folder.parent))
            try:
                build(fresh)
                fresh.chmod(0o755)
                fresh.rename(folder)
            finally:
                shutil.rmtree(fresh, ignore_errors=True)
    return folder


def compile_with(arguments: Sequence[str]) -> None:
    """Run the compiler. Raises MachineError with what it printed if it fails."""
    if said := complaint(arguments):
        command = " ".join([COMPILER, *arguments])
        raise MachineError(f"the compiler could not build the simulated GPU:\n{command}\n{said[-4000:]}")


def complaint(arguments: Sequence[str]) -> str:
    """Run the compiler. Return what it says if it fails, in English, and nothing if it does not."""
    environment = {**os.environ, "LC_ALL": "C"}
    done = subprocess.run([COMPILER, *arguments], capture_output=True, text=True, env=environment)
    return (done.stderr.strip() or f"exit status {done.returncode}") if done.returncode else ""


def _key(torch: Torch, sources: Sequence[bytes]) -> str:
    parts = [*sources, (torch.folder / "version.py").read_bytes(), _compiler_version()]
    return hashlib.sha256(b"\0".join(parts)).hexdigest()[:16]


def _compiler_version() -> bytes:
    for tool in (COMPILER, "nm", "readelf"):
        if shutil.which(tool) is None:
            raise MachineError(
                f"the simulated GPU compiles a small library when it is first used, and there is no {tool} here. "
                "Install the compiler: apt-get install g++, or dnf install gcc-c++."
            )
    return subprocess.run([COMPILER, "--version"], capture_output=True, check=True).stdout


@contextmanager
def _locked(folder: Path) -> Iterator[None]:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise MachineError(
            f"cannot write to {folder} ({error}). Set XDG_CACHE_HOME to a folder that you may write."
        ) from None
    with open(folder / "lock", "w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield
