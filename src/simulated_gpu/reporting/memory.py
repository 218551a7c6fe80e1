"""What held a GPU's memory and when, computed from the history of PyTorch's allocator."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from .lines import Line
from .owners import Owners

GRAIN = 512  # the allocator rounds each request up to a multiple of this
FREED = "free_requested"
TAKEN, GIVEN_BACK = ("segment_alloc", "segment_map"), ("segment_free", "segment_unmap")
BEFORE = Line("<before the report>", 0)


class Point(NamedTuple):
    """The memory at one time, in bytes."""

    seconds: float
    allocated: int
    by_owner: dict[str, int]


@dataclass
class Memory:
    """The memory of one GPU while a report was open."""

    gpu: int
    peak: int = 0
    """The most bytes that PyTorch had allocated."""
    reserved: int = 0
    """The most bytes that PyTorch had taken from the GPU."""
    owners: Counter[str] = field(default_factory=Counter)
    """What held the peak, in bytes: parameters, gradients, optimizer state, other."""
    lines: Counter[tuple[Line, str]] = field(default_factory=Counter)
    """The bytes at the peak, by the line that allocated them and what they are."""
    refused: list[tuple[Line, int]] = field(default_factory=list)
    """The lines that ran out of memory, and the bytes that they asked for."""
    points: list[Point] = field(default_factory=list)
    """The memory over time."""


class Block(NamedTuple):
    """An allocation, from one place in the history to another."""

    size: int
    line: Line
    owner: str
    begin: int
    end: int


class Replay:
    """Goes through the history of one GPU: backward from what is allocated now to the begin, then forward."""

    def __init__(self, gpu: int, known: Owners, line: Callable[[Any], Line]) -> None:
        self.memory = Memory(gpu)
        self.known = known
        self.line = line
        self.live: dict[int, Block] = {}
        self.blocks: list[Block] = []
        self.total: Counter[str] = Counter()
        self.begin = 0.0
        self.place_of_peak = -1

    def run(self, segments: list[Any], entries: list[Any]) -> Memory:
        """Return the memory of this GPU."""
        reserved = self._rewind(segments, entries)
        freed = _freed(entries)
        self.begin = entries[0]["time_us"] if entries else 0.0
        self._reach(-1, self.begin, reserved)
        for place, entry in enumerate(entries):
            action = entry["action"]
            if action == "alloc":
                self._add(place, entry, freed.get(place, len(entries)), entries)
            elif action == FREED:
                self._remove(entry["addr"])
            elif action in TAKEN:
                reserved += entry["size"]
            elif action in GIVEN_BACK:
                reserved -= entry["size"]
            elif action == "oom":
                self.memory.refused.append((self.line(entry), entry["size"]))
            self._reach(place, entry["time_us"], reserved)
        for block in self.blocks:
            if block.begin <= self.place_of_peak < block.end:
                self.memory.lines[block.line, block.owner] += block.size
        return self.memory

    def _rewind(self, segments: list[Any], entries: list[Any]) -> int:
        """Find what was allocated at the begin. Return what was reserved then."""
        reserved = sum(segment["total_size"] for segment in segments)
        blocks = {
            block["address"]: block.get("requested_size", block["size"])
            for segment in segments
            for block in segment["blocks"]
            if block["state"] == "active_allocated"
        }
        for entry in reversed(entries):
            action = entry["action"]
            if action == "alloc":
                blocks.pop(entry["addr"], None)
            elif action == FREED:
                blocks[entry["addr"]] = entry["size"]
            elif action in TAKEN:
                reserved -= entry["size"]
            elif action in GIVEN_BACK:
                reserved += entry["size"]
        first_free = {entry["addr"]: i for i, entry in reversed(list(enumerate(entries))) if entry["action"] == FREED}
        for address, size in blocks.items():
            end = first_free.get(address, len(entries))
            until = entries[end]["time_us"] if end < len(entries) else float("inf")
            owner = self.known.of(self.memory.gpu, address, size, 0, until, ())
            self._hold(address, Block(_rounded(size), BEFORE, owner, -1, end))
        return int(reserved)

    def _add(self, place: int, entry: Any, end: int, entries: list[Any]) -> None:
        until = entries[end]["time_us"] if end < len(entries) else float("inf")
        frames = entry.get("frames", ())
        owner = self.known.of(self.memory.gpu, entry["addr"], entry["size"], entry["time_us"], until, frames)
        self._hold(entry["addr"], Block(_rounded(entry["size"]), self.line(entry), owner, place, end))

    def _hold(self, address: int, block: Block) -> None:
        self.live[address] = block
        self.blocks.append(block)
        self.total[block.owner] += block.size

    def _remove(self, address: int) -> None:
        block = self.live.pop(address, None)
        if block is not None:
            self.total[block.owner] -= block.size

    def _reach(self, place: int, time_us: float, reserved: int) -> None:
        memory, now = self.memory, self.total.total()
        memory.reserved = max(memory.reserved, reserved)
        memory.points.append(Point((time_us - self.begin) / 1e6, now, dict(self.total)))
        if now > memory.peak:
            memory.peak = now
            memory.owners = +self.total
            self.place_of_peak = place


def _freed(entries: list[Any]) -> dict[int, int]:
    """Return the place at which each allocation is freed, by its own place in the history."""
    freed: dict[int, int] = {}
    live: dict[int, int] = {}
    for place, entry in enumerate(entries):
        if entry["action"] == "alloc":
            live[entry["addr"]] = place
        elif entry["action"] == FREED and entry["addr"] in live:
            freed[live.pop(entry["addr"])] = place
    return freed


def _rounded(size: int) -> int:
    return max(1, -(-size // GRAIN)) * GRAIN
