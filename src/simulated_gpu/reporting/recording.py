"""Records what happens on the simulated GPUs while a report is open."""

from __future__ import annotations

import ctypes
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

from .. import startup
from ..errors import MachineError
from . import history, lines
from .lines import Line
from .result import DIRECTIONS, CopyCount, LineCount, Report

LAUNCHES, COPY, WAIT = (1, 2, 9), 3, 5  # enum simgpu_kind
ONE_VALUE = 16  # bytes: the largest number, complex128. A read of one counts as a wait, not as a copy.

_lock = threading.RLock()  # a finalizer may free GPU memory while an event is counted
_open: list[_Recording] = []
_history = history.History()


@contextmanager
def report(title: str = "") -> Iterator[Report]:
    """Report what a part of a program does with the GPU. The report is filled when the part ends.

    Raises MachineError if GPUs are not simulated in this process.
    """
    if not startup.running():
        raise MachineError("there is no simulated GPU to report. Call simulated_gpu.start() first.")
    result = Report(title)
    recording = _Recording(result)
    startup.when_loaded(recording.begin)
    try:
        yield result
    finally:
        recording.end()


class _Recording:
    """One open report."""

    def __init__(self, result: Report) -> None:
        self.result = result
        self.last_copy: dict[int, _Copy] = {}  # by thread: the copy that a wait may follow
        self.span: history.Span | None = None
        self.ended = False

    def begin(self) -> None:
        """Begin to listen, now that PyTorch is there."""
        with _lock:
            if self.ended:
                return
            _open.append(self)
            if len(_open) == 1:
                _runtime().simgpu_report_to(_listen)
        self.span = _history.begin()

    def end(self) -> None:
        """Stop, and fill in the memory."""
        with _lock:
            self.ended = True
            if self not in _open:
                return
            _open.remove(self)
            if not _open:
                _runtime().simgpu_report_to(_Reporter())
        if self.span is not None:
            self.result.memory, self.result.notes = _history.end(self.span)

    def note(self, line: Line, kind: int, what: str, size: int, direction: int, pinned: bool, blocking: bool) -> None:
        """Count one event of a line."""
        count = self.result.lines.setdefault(line, LineCount())
        thread = threading.get_ident()
        before = self.last_copy.pop(thread, None)
        if kind in LAUNCHES:
            count.launches += 1
        elif kind == WAIT:
            self._wait(count, what, before)
        elif kind == COPY and direction in DIRECTIONS:
            copy = CopyCount(DIRECTIONS[direction], pinned, blocking)
            is_value = direction == 2 and size <= ONE_VALUE
            if not is_value:
                count.add(copy, 1, size)
            if blocking:
                count.waits[what] += 1
            self.last_copy[thread] = _Copy(count, copy, size, is_value)

    def _wait(self, count: LineCount, what: str, before: _Copy | None) -> None:
        """Count a wait. One that follows a copy on the same line is the copy's: that one blocks."""
        is_of_copy = before is not None and before.counted_at is count
        if before is None or not is_of_copy or not before.copy.blocking:  # else it was counted with the copy
            count.waits[what] += 1
        if before is not None and is_of_copy and not before.copy.blocking and not before.is_value:
            count.add(before.copy, -1, -before.size)
            count.add(before.copy._replace(blocking=True), 1, before.size)


class _Copy(NamedTuple):
    counted_at: LineCount
    copy: CopyCount
    size: int
    is_value: bool


_Reporter = ctypes.CFUNCTYPE(
    None, ctypes.c_int, ctypes.c_char_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_int, ctypes.c_int
)


def _tell(kind: int, what: bytes, size: int, direction: int, pinned: int, blocking: int) -> None:
    line = lines.of_frame(
        sys._getframe()
    )  # not kept in a variable: a frame that holds itself keeps the program's tensors
    if line is None:
        line = lines.backward()
        _history.backward(line)
    with _lock:
        for recording in _open:
            recording.note(line, kind, what.decode(), size, direction, bool(pinned), bool(blocking))


_listen = _Reporter(_tell)


def _runtime() -> Any:
    return ctypes.CDLL(None)  # the runtime is loaded with global visibility
