"""What was recorded: each a row by source line, and the report that holds them."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Waits:
    """A line at which Python waits for the GPU."""

    line: str
    """As "train.py:41"."""
    what: str
    """The function of CUDA that waits."""
    count: int


@dataclass(frozen=True)
class Copies:
    """Copies of one kind between CPU and GPU that a line makes."""

    line: str
    to_gpu: bool
    pinned: bool
    """Whether the CPU's side is page-locked."""
    blocking: bool
    """Whether Python waits until the copy is done."""
    count: int
    bytes: int


@dataclass(frozen=True)
class Kernels:
    """The launches of a line in a phase: kernels and calls of cuBLAS, cuDNN and their like."""

    line: str
    phase: str
    count: int


@dataclass(frozen=True)
class Held:
    """What a line's allocations of a category hold at the peak."""

    line: str
    category: str
    """parameters, gradients, optimizer state, activations, temporary, workspaces, allocated before, or
    rest of blocks (what PyTorch's allocator gave beyond what was asked for)."""
    bytes: int


@dataclass(frozen=True)
class Lever:
    """A change of a program that saves memory, and how much: arithmetic of what was held, and no measurement."""

    change: str
    bytes: int
    at_most: bool
    """Whether it saves this much at most, rather than this much."""
    because: str
    """The arithmetic."""


@dataclass(frozen=True)
class OutOfMemory:
    """An allocation that did not fit."""

    line: str
    phase: str
    asked: int
    """The bytes that were asked for."""
    missing: int
    """The bytes that the GPU lacked for it at least: those that were asked for, without those that it had left."""
    held: dict[str, int]
    """What held the memory then: bytes by category, the most first."""
    levers: tuple[Lever, ...]
    """What a change of the program would have saved then, the most first."""


@dataclass(frozen=True)
class Memory:
    """The memory of one GPU. Bytes of tensors are those of the allocator's blocks, multiples of 512."""

    device: int
    total: int
    """The GPU's own memory."""
    peak: int
    """The most bytes that tensors and workspaces held at one time."""
    reserved: int
    """The most bytes that PyTorch's allocator took from the GPU."""
    line: str
    """The line at the peak."""
    phase: str
    """The phase of the peak: forward (which has all that is neither of the other two), backward or step."""
    held: tuple[Held, ...]
    """What held it at the peak, the most first."""
    failed: tuple[OutOfMemory, ...]
    """What did not fit."""
    curve: tuple[tuple[str, dict[str, int]], ...]
    """The phase, and the bytes by category, in the order of the allocations."""

    def categories(self) -> dict[str, int]:
        """Return the bytes at the peak by category, the most first."""
        found: dict[str, int] = {}
        for held in self.held:
            found[held.category] = found.get(held.category, 0) + held.bytes
        return dict(sorted(found.items(), key=lambda item: -item[1]))


@dataclass
class Report:
    """What a part of a program did on its simulated GPUs. It is filled in when that part ends."""

    waits: list[Waits] = field(default_factory=list)
    copies: list[Copies] = field(default_factory=list)
    """Between CPU and GPU; not those between GPUs or within one."""
    kernels: list[Kernels] = field(default_factory=list)
    memory: list[Memory] = field(default_factory=list)
    """Of each GPU that was used."""
    notes: list[str] = field(default_factory=list)
    """What the report could not see."""

    @property
    def number_of_waits(self) -> int:
        """How often Python waits for the GPU."""
        return sum(row.count for row in self.waits)

    @property
    def number_of_copies(self) -> int:
        """How often something is copied between CPU and GPU."""
        return sum(row.count for row in self.copies)

    @property
    def number_of_kernels(self) -> int:
        """How many kernels are launched."""
        return sum(row.count for row in self.kernels)

    @property
    def fullest(self) -> Memory | None:
        """The memory of the GPU with the highest peak, if one was used."""
        return max(self.memory, key=lambda memory: memory.peak, default=None)

    def to_json(self) -> dict[str, Any]:
        """Return the report as lists and dictionaries."""
        return dataclasses.asdict(self)

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> Report:
        """Return the report that `to_json` made the data from."""
        return cls(
            [Waits(**row) for row in data["waits"]],
            [Copies(**row) for row in data["copies"]],
            [Kernels(**row) for row in data["kernels"]],
            [_memory(row) for row in data["memory"]],
            data["notes"],
        )

    def __str__(self) -> str:
        from .text import describe

        return describe(self)


def _memory(data: dict[str, Any]) -> Memory:
    held = tuple(Held(**row) for row in data["held"])
    failed = tuple(
        OutOfMemory(**{**row, "levers": tuple(Lever(**lever) for lever in row["levers"])}) for row in data["failed"]
    )
    curve = tuple((phase, sizes) for phase, sizes in data["curve"])
    return Memory(**{**data, "held": held, "failed": failed, "curve": curve})


def together(reports: Iterable[Report]) -> Report:
    """Return one report of several: counts are added, and of each GPU the highest peak is kept."""
    waits: dict[tuple[str, str], int] = {}
    copies: dict[tuple[str, bool, bool, bool], tuple[int, int]] = {}
    kernels: dict[tuple[str, str], int] = {}
    memory: dict[int, Memory] = {}
    notes: dict[str, None] = {}
    for one in reports:
        notes |= dict.fromkeys(one.notes)
        for wait in one.waits:
            waits[wait.line, wait.what] = waits.get((wait.line, wait.what), 0) + wait.count
        for copy in one.copies:
            key = (copy.line, copy.to_gpu, copy.pinned, copy.blocking)
            count, size = copies.get(key, (0, 0))
            copies[key] = (count + copy.count, size + copy.bytes)
        for kernel in one.kernels:
            kernels[kernel.line, kernel.phase] = kernels.get((kernel.line, kernel.phase), 0) + kernel.count
        for used in one.memory:
            if used.device not in memory or used.peak > memory[used.device].peak:
                memory[used.device] = used
    return Report(
        [Waits(line, what, count) for (line, what), count in sorted(waits.items(), key=lambda item: -item[1])],
        [Copies(*kind, *numbers) for kind, numbers in sorted(copies.items(), key=lambda item: -item[1][1])],
        [Kernels(line, phase, count) for (line, phase), count in sorted(kernels.items(), key=lambda item: -item[1])],
        [memory[device] for device in sorted(memory)],
        list(notes),
    )
