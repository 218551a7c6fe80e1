"""Records a part of a program, and reports on it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from .. import startup
from ..errors import MachineError
from .events import the_watch
from .facts import Memory, Report
from .history import started, the_history, unseen
from .memory import Knowledge, examine
from .tensors import Tags


@contextmanager
def report() -> Iterator[Report]:
    """Report on the `with` block: its waits, copies, launches and memory by source line.

    The report is filled in when the block ends, by an error too. Raises MachineError without a simulated GPU.
    """
    if not startup.running():
        raise MachineError("there is no simulated GPU to report on. Call simulated_gpu.start() before `import torch`.")
    recording = _Recording(Report())
    startup.when_loaded(recording.begin)  # a program may set what PyTorch reads when it is imported
    try:
        yield recording.report
    except Exception:
        recording.failed = True
        raise
    finally:
        recording.end()


class _Recording:
    """One open report. It begins when PyTorch is there."""

    def __init__(self, found: Report) -> None:
        self.report = found
        self.begun = self.ended = self.failed = False

    def begin(self) -> None:
        """Begin to count and to note."""
        if self.ended:
            return
        self.begun = True
        self.tags = Tags()
        self.before = the_history().start()
        self.peaks = _peaks()
        self.tags.start()
        self.counts = the_watch().start()

    def end(self) -> None:
        """Stop, and fill in the report."""
        self.ended = True
        if not self.begun:
            return
        the_watch().stop(self.counts)
        self.tags.stop()
        self.counts.fill(self.report)
        higher = {device: peak for device, peak in _peaks().items() if peak > self.peaks.get(device, 0)}
        known = Knowledge(self.tags.noted, the_watch().workspaces(), self.counts.backward, higher, self.failed)
        after = the_history().stop()
        self.report.memory = _memory(self.before, after, known)
        self.report.notes = list(unseen(after))


def _peaks() -> dict[int, int]:
    import torch

    devices = range(torch.cuda.device_count() if started() else 0)
    return {device: torch.cuda.max_memory_allocated(device) for device in devices}


def _memory(before: dict[str, Any], after: dict[str, Any], known: Knowledge) -> list[Memory]:
    import torch

    return [
        examine(device, torch.cuda.get_device_properties(device).total_memory, before, after, known)
        for device, history in enumerate(after["device_traces"])
        if history or any(segment["device"] == device for segment in after["segments"])
    ]
