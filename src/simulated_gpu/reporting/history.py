"""PyTorch's own history of its allocator: switched on, and read at the end."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any

MOST = 400_000
"""The allocations and releases that are kept of each GPU. What is older is lost."""


class History:
    """The allocator's history, while somebody reads it. There is one a process: `the_history`."""

    def __init__(self) -> None:
        self._readers = 0

    def start(self) -> dict[str, Any]:
        """Begin to record, and return the state of the allocator now."""
        import torch

        self._readers += 1
        if self._readers == 1:
            if started():
                _record()
            else:  # the allocators of the GPUs are made when CUDA starts, and a program that forks must start it itself
                torch.cuda._lazy_call(_record)  # type: ignore[no-untyped-call]
        return read()

    def stop(self) -> dict[str, Any]:
        """Return the state and the history, and stop to record if nobody else reads."""
        import torch

        end = read()
        self._readers -= 1
        if self._readers == 0 and started():
            torch.cuda.memory._record_memory_history(enabled=None)
        return end


def started() -> bool:
    """Return whether PyTorch has started CUDA."""
    import torch

    return bool(torch.cuda.is_initialized())  # type: ignore[no-untyped-call]


def read() -> dict[str, Any]:
    """Return PyTorch's snapshot, an empty one if CUDA has not started."""
    import torch

    if not started() or torch.cuda.get_allocator_backend() != "native":
        return {"segments": [], "device_traces": []}
    snapshot: dict[str, Any] = torch.cuda.memory._snapshot()
    return snapshot


def unseen(snapshot: dict[str, Any]) -> Iterator[str]:
    """Yield a sentence for each reason why a history is not whole."""
    import torch

    if started() and torch.cuda.get_allocator_backend() != "native":
        yield "PyTorch keeps no history of memory with the allocator cudaMallocAsync."
    for device, entries in enumerate(snapshot["device_traces"]):
        if len(entries) >= MOST:
            yield f"GPU {device}: only the last {MOST} events of its memory are known."


def _record() -> None:
    import torch

    torch.cuda.memory._record_memory_history("all", context="alloc", stacks="python", max_entries=MOST)


@cache
def the_history() -> History:
    """Return the process's history."""
    return History()
