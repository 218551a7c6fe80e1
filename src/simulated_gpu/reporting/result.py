"""A report: its counts by line, and its memory."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import NamedTuple

from .lines import Line
from .memory import Memory

DIRECTIONS = {1: "CPU to GPU", 2: "GPU to CPU"}


class CopyCount(NamedTuple):
    """Copies of one kind."""

    direction: str
    """"CPU to GPU" or "GPU to CPU"."""
    pinned: bool
    """Whether the CPU's memory is pinned."""
    blocking: bool
    """Whether Python waits for the copy."""


@dataclass
class LineCount:
    """What one line of the program did."""

    waits: Counter[str] = field(default_factory=Counter)
    """How often Python waited for the GPU, by the CUDA function that waits."""
    copies: Counter[CopyCount] = field(default_factory=Counter)
    """How many copies there were between CPU and GPU, by kind."""
    bytes: Counter[CopyCount] = field(default_factory=Counter)
    """The bytes of these copies."""
    launches: int = 0
    """How many kernels, library calls and graphs were launched."""

    def add(self, copy: CopyCount, number: int, size: int) -> None:
        """Add copies of a kind, or take them away."""
        self.copies[copy] += number
        self.bytes[copy] += size
        if not self.copies[copy]:
            del self.copies[copy], self.bytes[copy]


@dataclass
class Report:
    """What a program, or a part of it, did with the GPU. It is complete when the part has ended."""

    title: str = ""
    lines: dict[Line, LineCount] = field(default_factory=dict)
    memory: list[Memory] = field(default_factory=list)
    """The memory of each GPU that was used."""
    notes: list[str] = field(default_factory=list)
    """What the report could not see."""

    @property
    def waits(self) -> int:
        """Return how often Python waited for the GPU."""
        return sum(count.waits.total() for count in self.lines.values())

    @property
    def copies(self) -> int:
        """Return the number of copies between CPU and GPU, without reads of single values such as `.item()`."""
        return sum(count.copies.total() for count in self.lines.values())

    @property
    def launches(self) -> int:
        """Return how many kernels, library calls and graphs were launched."""
        return sum(count.launches for count in self.lines.values())

    @property
    def peak(self) -> int:
        """Return the most bytes that PyTorch had allocated on one GPU."""
        return max((memory.peak for memory in self.memory), default=0)

    def __str__(self) -> str:
        from .text import write

        return write(self)

    def json(self) -> str:
        """Return the report as JSON."""
        from .text import as_json

        return as_json(self)

    def svg(self) -> str:
        """Return a picture of the memory over time."""
        from .picture import draw

        return draw(self)
