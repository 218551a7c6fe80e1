"""Records a part of a program, and reports on it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from ..errors import MachineError
from .events import the_watch
from .facts import Memory, Report
from .history import started, the_history
from .memory import Knowledge, examine
from .tensors import Tags


@contextmanager
def report() -> Iterator[Report]:
    """Report on the `with` block: its waits, copies, launches and memory by source line.

    The report is filled in when the block ends, by an error too. Raises MachineError without a simulated GPU.
    """
    from ..startup import running

    if not running():
        raise MachineError("there is no simulated GPU to report on. Call simulated_gpu.start() before `import torch`.")
    found = Report()
    tags = Tags()
    before = the_history().start()
    peaks = _peaks()
    tags.start()
    counts = the_watch().start()
    try:
        yield found
    finally:
        the_watch().stop(counts)
        tags.stop()
        counts.fill(found)
        higher = {device: peak for device, peak in _peaks().items() if peak > peaks.get(device, 0)}
        known = Knowledge(tags.noted, the_watch().workspaces(), counts.backward, higher)
        found.memory = _memory(before, the_history().stop(), known)


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
