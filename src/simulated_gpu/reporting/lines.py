"""Whose line it is: the innermost frame of the user's code, and the phase of a training step that it belongs to."""

from __future__ import annotations

import os
import sys
import sysconfig
import threading
from collections.abc import Iterable, Iterator
from functools import cache
from types import FrameType

Frame = tuple[str, int, str]
"""A file, a line number, and the name of the function."""

FORWARD, BACKWARD, STEP = "forward", "backward", "step"
_REPORTING = os.path.dirname(__file__) + os.sep
NOWHERE = "outside of your code"
_INSTALLED = (f"{os.sep}site-packages{os.sep}", f"{os.sep}dist-packages{os.sep}")
_NAMED = ("<stdin>", "<console>", "<ipython-input")
"""The code that a person types has such names."""
_ENGINE = "_engine_run_backward"
_FOLDERS = (os.path.dirname(os.path.dirname(__file__)) + os.sep, sysconfig.get_paths()["stdlib"] + os.sep)


@cache
def is_own(filename: str) -> bool:
    """Return whether a file is the user's: neither installed, nor of Python's library, nor of this package."""
    if filename.startswith("<"):
        return filename.startswith(_NAMED)
    return not filename.startswith(_FOLDERS) and not any(folder in filename for folder in _INSTALLED)


def line_of(frames: Iterable[Frame]) -> str | None:
    """Return "file:number" of the innermost frame of the user's, or None. Frames come innermost first."""
    return next((f"{_shown(file)}:{number}" for file, number, _ in frames if is_own(file)), None)


def phase_of(frames: Iterable[Frame]) -> str:
    """Return the phase that frames belong to, innermost first. Without a frame it is autograd's own thread."""
    phase = BACKWARD
    for file, _, name in frames:
        if "/torch/optim/" in file:
            return STEP
        if "/torch/autograd/" in file and name in ("backward", "grad", _ENGINE, "apply"):
            return BACKWARD
        phase = FORWARD
    return phase


def here(frame: FrameType) -> tuple[str | None, str]:
    """Return the user's line and the phase of a running frame.

    Autograd's threads have no frames of the user's: what they do belongs to the line that runs a backward pass now.
    """
    frames = list(_outwards(frame))
    return line_of(frames) or _of_the_backward(), phase_of(frames)


def _of_the_backward() -> str | None:
    running = sys._current_frames()
    running.pop(threading.get_ident(), None)  # a variable that holds its own frame would keep the program's tensors
    stacks = (list(_outwards(frame)) for frame in running.values())
    return next((line_of(frames) for frames in stacks if any(name == _ENGINE for _, _, name in frames)), None)


def _outwards(frame: FrameType | None) -> Iterator[Frame]:
    while frame is not None:
        if not frame.f_code.co_filename.startswith(_REPORTING):
            yield frame.f_code.co_filename, frame.f_lineno, frame.f_code.co_name
        frame = frame.f_back


@cache
def _shown(filename: str) -> str:
    relative = os.path.relpath(filename) if os.path.isabs(filename) else filename
    return filename if relative.startswith("..") else relative
