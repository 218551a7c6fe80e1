"""observing: notes, in a file, which files a Python process opens below a folder, and whether it used a device; and,
in the process itself, which line of a page printed what.

A page's process calls `watch`. The Python programs that it starts call it by `sitecustomize.py` in this folder, which
is on their PYTHONPATH; their interpreter need not have this package. So this file imports next to nothing.
"""

from __future__ import annotations

import atexit
import os
import sys
from collections.abc import Callable
from types import FrameType, TracebackType
from typing import Any

LOG, FOLDER, USED = "SAMEDEVICE_LOG", "SAMEDEVICE_FOLDER", "SAMEDEVICE_USED"
"""The variables that tell a program where to note, which folder to observe, and the expression that a device's use is
known by; it may name `torch`."""
OPENED, WRITTEN, USE = "r", "w", "u"
"""What a line of the file begins with: a file was opened to read, or to write; the device was used."""
WRITES = os.O_WRONLY | os.O_RDWR


def watch(log: str, folder: str, used: str) -> Callable[[str], None]:
    """Note from now on, until this process and those that it forks end.

    Call what is returned to note in another file from then on.
    """
    descriptor = os.open(log, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
    below, known = folder + os.sep, set[tuple[str, str]]()

    def note(kind: str, name: Any) -> None:
        try:
            path = os.path.abspath(os.fsdecode(name))
            if path.startswith(below) and "\n" not in path and (kind, path) not in known:
                known.add((kind, path))
                os.write(descriptor, f"{kind} {path}\n".encode("utf-8", "surrogateescape"))
        except (TypeError, ValueError, OSError):  # no name, or a working directory that is gone
            pass

    def turn(log: str) -> None:
        nonlocal descriptor
        os.close(descriptor)
        descriptor = os.open(log, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
        known.clear()

    def hook(event: str, about: tuple[Any, ...]) -> None:
        if event == "open":
            name, _, flags = about
            if isinstance(name, (str, bytes)):
                note(WRITTEN if flags & WRITES else OPENED, name)
        elif event in ("import", "ctypes.dlopen"):
            name = about[1] if event == "import" else about[0]
            if name:
                note(OPENED, name)

    def end(*_: Any) -> None:
        if is_used(used):
            os.write(descriptor, f"{USE} \n".encode())

    sys.addaudithook(hook)
    atexit.register(end)
    if "--multiprocessing-fork" in sys.orig_argv or "multiprocessing.util" in sys.modules:
        from multiprocessing import util  # its processes end without atexit

        util.register_after_fork(end, lambda _: util.Finalize(None, end, exitpriority=0))
    return turn


def is_used(expression: str) -> bool:
    """Whether this process used the device; `expression` says so, and is true where a process allocated on it."""
    torch = sys.modules.get("torch")
    try:
        return bool(expression and torch and eval(expression, {"torch": torch}))
    except Exception:  # a program may have put anything in the place of what is asked
        return False


class Log:
    """The file in which the processes of a page note, at `path`."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.read = 0

    def take(self) -> list[str]:
        """The lines since the last call."""
        if not os.path.exists(self.path):
            return []
        with open(self.path, encoding="utf-8", errors="surrogateescape", newline="\n") as file:
            file.seek(self.read)
            found = file.read()
            self.read = file.tell()
        return found.split("\n")[:-1]


class PrintedLines:
    """Notes what is written to standard output by some lines of a file, and by what they call; a context manager."""

    def __init__(self, path: str, first: int, last: int) -> None:
        self.path = path
        self.first, self.last = first, last
        self.stream: Any = None
        self.printed: list[tuple[int, str]] = []
        """The lines, counted from the first as 1, and their texts; what one line wrote in a row is one text."""

    def __enter__(self) -> PrintedLines:
        self.stream, sys.stdout = sys.stdout, self
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if sys.stdout is self:
            sys.stdout = self.stream

    def __getattr__(self, name: str) -> Any:
        return getattr(self.stream, name)

    def write(self, text: str) -> int:
        """Note a text, and write it."""
        frame: FrameType | None = sys._getframe(1)
        while frame and not (frame.f_code.co_filename == self.path and self.first <= frame.f_lineno <= self.last):
            frame = frame.f_back
        if frame:
            line = frame.f_lineno - self.first + 1
            before = self.printed.pop()[1] if self.printed and self.printed[-1][0] == line else ""
            self.printed.append((line, before + text))
        written: int = self.stream.write(text)
        return written
