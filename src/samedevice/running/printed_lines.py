"""printed_lines: which line of a page printed what."""

from __future__ import annotations

import sys
from types import FrameType, TracebackType
from typing import Any


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
