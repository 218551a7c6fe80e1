"""Temporary: temporary files and folders, and the removal of those that a killed run left behind.

A process that makes one holds a lock on it. The kernel releases the lock when the process ends, also if it is killed: a
file that nobody locks is left over. Windows has no such locks: there the files of a killed run stay.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import tempfile
import threading
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import TypeVar

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

SUFFIX = ".samedevice-tmp"
"""How the name of a file ends while it is being written."""
FOLDER = "samedevice-run-"
"""How the name of a run's folder begins."""

Made = TypeVar("Made")


def write_atomically(path: Path, text: str, durably: bool = True) -> None:
    """Write a file by way of a temporary one beside it, which is removed if that fails. Raises OSError.

    `durably` waits some milliseconds for the disk, so that the file outlives a power cut.
    """
    descriptor, temporary = _until_held(
        lambda: tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.", suffix=SUFFIX)
    )
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8", errors="backslashreplace", newline="\n") as file:
            file.write(text)
            file.flush()
            if durably:
                os.fsync(descriptor)
            os.chmod(temporary, path.stat().st_mode & 0o777 if path.exists() else 0o644)
            if fcntl is None:
                file.close()  # Windows moves no open file; elsewhere the lock is held until it is moved
            os.replace(temporary, path)
    except BaseException:
        with contextlib.suppress(FileNotFoundError):  # it may have been moved just before
            os.unlink(temporary)
        raise


@contextlib.contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Hold a folder's lock, so that one process at a time changes what is in it. Raises OSError."""
    descriptor = os.open(folder if fcntl else os.devnull, os.O_RDONLY)
    try:
        if fcntl is not None:
            with contextlib.suppress(OSError):  # some file systems have no locks
                fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


class Folder:
    """A folder for one run. Raises OSError where none can be made."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.descriptor, path = _until_held(self._make)
        self.path = Path(path).resolve()

    def restore(self) -> None:
        """Make it again, empty, if something has removed it; without its lock, the next sweep would, too."""
        with self.lock:
            if not self.path.exists():
                os.close(self.descriptor)
                self.descriptor, _ = _until_held(self._make_again)

    def _make_again(self) -> tuple[int, str]:
        while True:
            self.path.mkdir(exist_ok=True)
            with contextlib.suppress(FileNotFoundError):
                return os.open(self.path if fcntl else os.devnull, os.O_RDONLY), str(self.path)

    @staticmethod
    def _make() -> tuple[int, str]:
        while True:
            path = tempfile.mkdtemp(prefix=FOLDER)
            with contextlib.suppress(FileNotFoundError):  # a sweep was quicker even than this
                return os.open(path if fcntl else os.devnull, os.O_RDONLY), path

    def remove(self) -> None:
        """Remove it, and what is in it; it may be removed twice."""
        shutil.rmtree(self.path, ignore_errors=True)
        if self.descriptor >= 0:
            os.close(self.descriptor)
            self.descriptor = -1


def _until_held(make: Callable[[], tuple[int, str]]) -> tuple[int, str]:
    """What `make` makes, locked; again, if a sweep was quicker than the lock."""
    while True:
        descriptor, path = make()
        if fcntl is not None:
            with contextlib.suppress(OSError):  # some file systems have no locks
                fcntl.flock(descriptor, fcntl.LOCK_EX)
        if os.path.exists(path):
            return descriptor, path
        os.close(descriptor)


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
