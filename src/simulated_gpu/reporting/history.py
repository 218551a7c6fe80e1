"""Reads the history that PyTorch's allocator keeps while a report is open."""

from __future__ import annotations

import threading
import time
from bisect import bisect_left
from typing import Any, NamedTuple

from . import lines, owners
from .lines import Line
from .memory import Memory, Replay

MOST_ENTRIES = 200_000  # of the allocator's history; each holds a Python stack


class Span(NamedTuple):
    """A part of the history: from a time, in microseconds since 1970."""

    begin: float


class History:
    """The allocator's history, which all open reports share."""

    def __init__(self) -> None:
        self.users = 0
        self.lock = threading.Lock()
        self.owners = owners.Owners()
        self.passes: list[tuple[float, Line]] = []  # when backward passes last did something, and their lines

    def begin(self) -> Span:
        """Record from now on. The history begins with CUDA, which this does not start."""
        import torch

        with self.lock:
            self.users += 1
            if self.users == 1:
                self.passes.clear()
                self.owners.watch()
                torch.cuda._lazy_call(self._record)  # type: ignore[no-untyped-call]
                return Span(0)
        return Span(time.time_ns() / 1000)

    def _record(self) -> None:
        import torch

        if self.users and torch.cuda.get_allocator_backend() == "native":
            torch.cuda.memory._record_memory_history(
                "all", context="all", stacks="python", max_entries=MOST_ENTRIES, clear_history=True
            )

    def backward(self, line: Line) -> None:
        """Note that a backward pass of this line did something. Its threads have no Python stack to find it by."""
        now = time.time_ns() / 1000
        if self.passes and self.passes[-1][1] == line and len(self.passes) > 1 and self.passes[-2][1] == line:
            self.passes[-1] = now, line
        else:
            self.passes.append((now, line))

    def end(self, span: Span) -> tuple[list[Memory], list[str]]:
        """Return the memory of each GPU since the span's begin, and what could not be seen."""
        import torch

        try:
            if not torch.cuda.is_initialized():  # type: ignore[no-untyped-call]
                return [], []
            if torch.cuda.get_allocator_backend() != "native":
                return [], ["PyTorch keeps no history of memory with the allocator cudaMallocAsync."]
            self.owners.look()
            return self._read(torch.cuda.memory._snapshot(), span)
        finally:
            with self.lock:
                self.users -= 1
                if not self.users:
                    self.owners.stop()
                    if torch.cuda.is_initialized():  # type: ignore[no-untyped-call]
                        torch.cuda.memory._record_memory_history(None)

    def _read(self, snapshot: Any, span: Span) -> tuple[list[Memory], list[str]]:
        read, notes = [], []
        for gpu, trace in enumerate(snapshot["device_traces"]):
            if len(trace) >= MOST_ENTRIES:
                notes.append(f"GPU {gpu}: only the last {MOST_ENTRIES} events of its memory are known.")
            segments = [segment for segment in snapshot["segments"] if segment["device"] == gpu]
            entries = [entry for entry in trace if entry["time_us"] >= span.begin]
            if segments or entries:
                read.append(Replay(gpu, self.owners, self._line).run(segments, entries))
        return read, notes

    def _line(self, entry: Any) -> Line:
        frames = entry.get("frames", ())
        if frames:
            return lines.innermost((frame["filename"], frame["line"]) for frame in frames)
        # The first thing that a backward pass does after an allocation is later than it.
        place = bisect_left(self.passes, (entry["time_us"],))
        return self.passes[min(place, len(self.passes) - 1)][1] if self.passes else lines.NOWHERE
