"""Finds the line of a program that caused an event: the innermost one that is neither PyTorch's nor a package's."""

from __future__ import annotations

import linecache
import sys
import sysconfig
import threading
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from types import FrameType
from typing import NamedTuple

_PATHS = sysconfig.get_paths()
_FOREIGN = tuple(
    {f"{Path(_PATHS[name])}/" for name in ("stdlib", "platstdlib", "purelib", "platlib")}
    | {f"{Path(__file__).parent.parent}/", "/dist-packages/"}
)
_ENGINE = "_engine_run_backward"


class Line(NamedTuple):
    """A line of a program. The line 0 of "" stands for what no line caused."""

    file: str
    number: int

    def __str__(self) -> str:
        if not self.file:
            return "no line of the program"
        if not self.number:
            return self.file
        path = Path(self.file)
        here = Path.cwd()
        return f"{path.relative_to(here) if path.is_relative_to(here) else path}:{self.number}"

    @property
    def code(self) -> str:
        """Return the line's text."""
        return linecache.getline(self.file, self.number).strip()


NOWHERE = Line("", 0)


@cache
def is_program(file: str) -> bool:
    """Return whether a file belongs to the program, and not to Python, PyTorch or an installed package."""
    if file.startswith("<"):  # such as <frozen importlib> and <string>; <stdin> and <console> are a person's
        return file in ("<stdin>", "<console>") or file.startswith("<ipython")
    return not file.startswith(_FOREIGN) and "/site-packages/" not in file and "/dist-packages/" not in file


def innermost(frames: Iterable[tuple[str, int]]) -> Line:
    """Return the program's innermost line of a stack, innermost frame first; of none, the outermost line there is."""
    line = NOWHERE
    for file, number in frames:
        line = Line(file, number)
        if is_program(file):
            return line
    return line


def of_frame(frame: FrameType) -> Line | None:
    """Return the program's line for a frame of this package, or None in a thread without others, such as autograd's."""
    outside = _without_this_package(frame)
    return innermost(_walk(outside)) if outside is not None else None


def backward() -> Line:
    """Return the line of the program that runs a backward pass now, in any thread."""
    frames = sys._current_frames()
    frames.pop(threading.get_ident(), None)  # a variable that holds its own frame would keep the program's tensors
    for frame in frames.values():
        inner: FrameType | None = frame
        while inner is not None:
            if inner.f_code.co_name == _ENGINE:
                return innermost(_walk(inner))
            inner = inner.f_back
    return NOWHERE


def _without_this_package(frame: FrameType | None) -> FrameType | None:
    while frame is not None and frame.f_code.co_filename.startswith(str(Path(__file__).parent)):
        frame = frame.f_back
    return frame


def _walk(frame: FrameType | None) -> Iterable[tuple[str, int]]:
    while frame is not None:
        yield frame.f_code.co_filename, frame.f_lineno
        frame = frame.f_back
