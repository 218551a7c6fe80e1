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
SECONDS = 20
"""What each of the two parts takes on one core of 2026, rounded up."""
OLD = 11
"""PyTorch's headers, in C++20, are known to compile with this version of g++ and newer ones."""


def cache_folder() -> Path:
    """Return the folder where results are kept."""
    base = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    return Path(base) / "simulated-gpu"


def kept(name: str, torch: Torch, sources: Sequence[Path], build: Callable[[Path], None], part: str = "") -> Path:
    """Return the folder with what `build` writes, and build it if these sources were not built here before.

    `build` is called with an empty folder. One process builds it at a time. `part` says what it is where
    the name does not. Raises MachineError without a compiler.
    """
    key = _key(torch, [path.name.encode() + b"\0" + path.read_bytes() for path in sorted(sources)])
    announcement = f"simulated_gpu: compiling {part or name} for PyTorch {torch.version}: about {SECONDS} seconds, once"
    return _kept(f"{name}-{key}", build, announcement)


def kept_code(name: str, torch: Torch, code: str, build: Callable[[Path], None]) -> Path:
    """Do the same with code that is in no file. A moment's work, it is not announced."""
    return _kept(f"{name}-{_key(torch, [code.encode()])}", build, "")


def _kept(name: str, build: Callable[[Path], None], announcement: str) -> Path:
    folder = cache_folder() / name
    if folder.exists():
        return folder
    with _locked(folder.with_name(f"{name}.lock"), announcement):
        if not folder.exists():
            if announcement:
                _say(announcement)
            prefix = f"{UNFINISHED}{name}-"
            for unfinished in folder.parent.glob(f"{prefix}*"):  # of a process that was killed
                shutil.rmtree(unfinished)
            fresh = Path(tempfile.mkdtemp(prefix=prefix, dir=folder.parent))
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
        raise MachineError(f"the compiler could not build the simulated GPU:{_age()}\n{command}\n{said[-4000:]}")


def _age() -> str:
    done = subprocess.run([COMPILER, "-dumpversion"], capture_output=True, text=True)
    version = done.stdout.strip()
    if not version.partition(".")[0].isdigit() or int(version.partition(".")[0]) >= OLD:
        return ""
    return f" {COMPILER} {version} may be too old for PyTorch's headers. Install {COMPILER} {OLD} or newer."


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
def _locked(path: Path, announcement: str) -> Iterator[None]:
    """Hold the lock of one result, and say so where another process holds it for what would be announced."""
    folder = path.parent
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise MachineError(
            f"cannot write to {folder} ({error}). Set XDG_CACHE_HOME to a folder that you may write."
        ) from None
    with open(path, "w") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if announcement:
                _say(f"{announcement}: another process is at it, and this one waits")
            fcntl.flock(file, fcntl.LOCK_EX)
        yield


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)
