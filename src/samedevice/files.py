"""files: writes files whole, keeps in them what can be made again, and removes what a killed run left behind.

A process that makes a temporary file or folder holds a lock on it. The kernel releases the lock when the process ends,
also if it is killed: a file that nobody locks is left over. Windows has no such locks: there the files of a killed run
stay.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import shutil
import tempfile
import threading
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

from samedevice.project import PACKAGE

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

SUFFIX = ".samedevice-tmp"
"""How the name of a file ends while it is being written."""
FOLDER = "samedevice-run-"
"""How the name of a run's folder begins."""
RUNNER = (
    "devices.py",
    "nvidia.py",
    "running/worker.py",
    "running/observing/__init__.py",
    "running/results.py",
    "running/machine.py",
    "running/processes.py",
    "running/matplotlibrc",
    "outputs/output.py",
    "outputs/cleaning.py",
)
"""The files of the engine that decide what the output of a block is."""


def hold(path: Path | str) -> int:
    """A descriptor that holds a lock on a file or folder, perhaps after a wait; -1 if a sweep has removed it before."""
    with contextlib.suppress(FileNotFoundError):
        descriptor = os.open(path if fcntl else os.devnull, os.O_RDONLY)
        if fcntl is not None:
            with contextlib.suppress(OSError):  # some file systems have no locks
                fcntl.flock(descriptor, fcntl.LOCK_EX)
        if os.path.exists(path):
            return descriptor
        os.close(descriptor)
    return -1


def write_atomically(path: Path, text: str, durably: bool = True) -> None:
    """Write a file by way of a temporary one beside it, which is removed if that fails. Raises OSError.

    `durably` waits some milliseconds for the disk, so that the file outlives a power cut.
    """
    while True:
        descriptor, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.", suffix=SUFFIX)
        lock = hold(temporary)
        if lock >= 0:
            break
        os.close(descriptor)
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8", errors="backslashreplace", newline="\n") as file:
            file.write(text)
            file.flush()
            if durably:
                os.fsync(descriptor)
        os.chmod(temporary, path.stat().st_mode & 0o777 if path.exists() else 0o644)
        os.replace(temporary, path)
    except BaseException:
        with contextlib.suppress(FileNotFoundError):  # it may have been moved just before
            os.unlink(temporary)
        raise
    finally:
        os.close(lock)


@contextlib.contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Hold a folder's lock, so that one process at a time changes what is in it. Raises OSError."""
    lock = hold(folder)
    try:
        yield
    finally:
        os.close(lock)


class Folder:
    """A folder for one run. Raises OSError where none can be made."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.held = -1
        while self.held < 0:
            self.path = Path(tempfile.mkdtemp(prefix=FOLDER)).resolve()
            self.held = hold(self.path)

    def restore(self) -> None:
        """Make it again, empty, if something has removed it; without its lock, the next sweep would, too."""
        with self.lock:
            while not self.path.exists():
                self._let_go()
                self.path.mkdir(exist_ok=True)
                self.held = hold(self.path)

    def remove(self) -> None:
        """Remove it, and what is in it; it may be removed twice."""
        shutil.rmtree(self.path, ignore_errors=True)
        self._let_go()

    def _let_go(self) -> None:
        if self.held >= 0:
            os.close(self.held)
        self.held = -1


def sweep(found: Iterable[Path]) -> None:
    """Remove the temporary files and folders of this user, among those given, that no process uses. Raises nothing."""
    if fcntl is None:
        return
    for path in found:
        with contextlib.suppress(OSError):
            descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW)
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                if os.fstat(descriptor).st_uid == os.getuid():
                    shutil.rmtree(path) if path.is_dir() else path.unlink()
            finally:
                os.close(descriptor)


def writable(folder: Path) -> bool:
    """Whether a file can be made in a folder, which need not be there yet."""
    there = next(path for path in (folder, *folder.parents) if path.exists())
    return os.access(there, os.W_OK)


def sweep_files(folder: Path) -> None:
    """Remove the files below `folder` that a killed run was writing."""
    sweep(folder.rglob(f".*{SUFFIX}"))


def sweep_folders() -> None:
    """Remove the folders of runs that were killed together with all that they had started."""
    sweep(Path(tempfile.gettempdir()).glob(f"{FOLDER}*"))


def key(*data: str) -> str:
    """Hash of the data that something is made from, and of the engine that makes it."""
    return digest("\0".join([engine(PACKAGE), *map(digest, data)]))


def digest(text: str) -> str:
    """Hash of a text."""
    return hashlib.sha256(text.encode("utf-8", "backslashreplace")).hexdigest()


@cache
def engine(folder: Path) -> str:
    """Hash of the engine's own files: who changes the engine must not be shown what the old one made."""
    files = sorted(path for suffix in ("py", "j2") for path in folder.rglob(f"*.{suffix}"))
    return digest("\0".join(digest(path.read_text(encoding="utf-8")) for path in files))


@cache
def runner() -> str:
    """Hash of the files that decide what the output of a block is."""
    return digest("\0".join((PACKAGE / name).read_text(encoding="utf-8") for name in RUNNER))


def find(path: Path, key: str) -> Any:
    """What is kept in a file under this key; None if there is nothing, or it cannot be read."""
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
        return found["found"] if found["key"] == key else None
    except (OSError, ValueError, KeyError, TypeError):
        return None


def keep(path: Path, key: str, found: Any) -> None:
    """Keep something that JSON can hold, in place of what the file held; nothing, where nothing can be written."""
    with contextlib.suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(path, json.dumps({"key": key, "found": found}), durably=False)


def find_or_make(path: Path, key: str, make: Callable[[], Any]) -> Any:
    """What is kept; made, and kept, if it is not there."""
    found = find(path, key)
    if found is None:
        found = make()
        keep(path, key, found)
    return found


def ignore(folder: Path) -> None:
    """Have git ignore a folder, by a file in it: nobody has to name it in a file of his own."""
    path = folder / ".gitignore"
    with contextlib.suppress(OSError):
        if not path.exists():
            folder.mkdir(parents=True, exist_ok=True)
            path.write_text("*\n", encoding="utf-8")
