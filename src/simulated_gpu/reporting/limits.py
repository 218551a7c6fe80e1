"""The limits of a test: `@pytest.mark.simulated_gpu(max_waits=2, max_copies=0, max_memory="6GiB")`."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields
from typing import Any

from ..errors import SettingError
from ..settings import size as bytes_of
from .facts import Report
from .text import size, times


@dataclass(frozen=True)
class Limits:
    """What a test may do at most. None is no limit."""

    max_waits: int | None = None
    """How often Python may wait for the GPU."""
    max_copies: int | None = None
    """How many copies between CPU and GPU there may be; `.item()` is a wait and no copy."""
    max_kernels: int | None = None
    """How many kernels may be launched."""
    max_memory: int | None = None
    """The bytes that tensors may hold on one GPU at a time."""

    def exceeded(self, report: Report) -> Iterator[str]:
        """Yield a text for each limit that a report exceeds, with the lines that are to blame."""
        if self.max_waits is not None and report.number_of_waits > self.max_waits:
            lines = [f"{row.line}: {times(row.count)}, in {row.what}" for row in report.waits]
            yield _text(f"Python waits for the GPU {times(report.number_of_waits)}, max_waits={self.max_waits}", lines)
        if self.max_copies is not None and report.number_of_copies > self.max_copies:
            lines = [f"{row.line}: {times(row.count)}, {size(row.bytes)}" for row in report.copies]
            yield _text(f"{report.number_of_copies} copies between CPU and GPU, max_copies={self.max_copies}", lines)
        if self.max_kernels is not None and report.number_of_kernels > self.max_kernels:
            lines = [f"{row.line}: {row.count} in {row.phase}" for row in report.kernels]
            yield _text(f"{report.number_of_kernels} kernels are launched, max_kernels={self.max_kernels}", lines)
        memory = report.fullest
        if self.max_memory is not None and memory is not None and memory.peak > self.max_memory:
            lines = [f"{row.line}: {size(row.bytes)}, {row.category}" for row in memory.held]
            yield _text(
                f"GPU {memory.device} holds {size(memory.peak)} ({memory.peak} bytes) at the peak, in {memory.line}; "
                f"max_memory={size(self.max_memory)}",
                lines,
            )


def limits(positional: tuple[Any, ...], named: dict[str, Any]) -> Limits:
    """Return the limits of a mark's arguments. Raises SettingError for those it does not know."""
    known = [field.name for field in fields(Limits)]
    unknown = [*map(repr, positional), *(name for name in named if name not in known)]
    if unknown:
        raise SettingError(f"mark simulated_gpu: {', '.join(unknown)} is no limit; use {', '.join(known)}")
    memory = named.get("max_memory")
    return Limits(**{**named, **({"max_memory": bytes_of(memory)} if isinstance(memory, str) else {})})


def _text(head: str, lines: list[str]) -> str:
    return "\n  ".join([f"{head}:", *lines[:5], *([f"and {len(lines) - 5} more"] if len(lines) > 5 else [])])
