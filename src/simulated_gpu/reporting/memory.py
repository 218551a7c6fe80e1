"""What held a GPU's memory at its peak: the allocator's history, gone through once more."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from .facts import Held, Memory, OutOfMemory
from .levers import AtFailure, levers
from .lines import BACKWARD, FORWARD, NOWHERE, Frame, line_of, phase_of
from .tensors import ACTIVATIONS, BEFORE, GRADIENTS, REST, TEMPORARY, WORKSPACE, Note

GRAIN = 512
POINTS = 400
"""The points of a curve, at most."""
ALLOCATED, RELEASED, FAILED = "alloc", "free_requested", "oom"
GROWN = {"segment_alloc": 1, "segment_map": 1, "segment_free": -1, "segment_unmap": -1}


@dataclass
class Allocation:
    """A piece of memory, from its allocation to its release."""

    address: int
    bytes: int
    start: int
    """The number of the entry in the history, and -1 for what was there before."""
    time: float
    line: str
    phase: str
    end: int | None = None
    end_time: float = float("inf")
    category: str = TEMPORARY
    element: int = 0
    """The bytes of a number of a parameter, a gradient or optimizer state."""


@dataclass(frozen=True)
class Knowledge:
    """What is known besides the history."""

    noted: Mapping[tuple[int, int], Sequence[Note]]
    workspaces: set[int]
    backward: Sequence[tuple[int, str]]
    """The lines that ran autograd, each with the time since which it did."""
    counted: Mapping[int, int]
    """The peak of a GPU as PyTorch counts it, where that is known."""
    failed: bool = False
    """Whether the program ended with an error, so that the backward may be missing that a forward was for."""

    def line(self, frames: Sequence[Frame], time: float) -> str:
        """Return the line of an entry. Autograd's own threads have no frames: their line is the one that runs it."""
        line = line_of(frames)
        if line is None and not frames and self.backward:
            place = bisect_right(self.backward, (int(time), "\uffff"))
            line = self.backward[max(place - 1, 0)][1]
        return line or NOWHERE


def examine(device: int, total: int, before: Mapping[str, Any], after: Mapping[str, Any], known: Knowledge) -> Memory:
    """Return the memory of a GPU between two snapshots."""
    history = after["device_traces"][device]
    if device < len(before["device_traces"]):
        history = history[len(before["device_traces"][device]) :]
    entries = [(entry, frames(entry)) for entry in history]
    phases = _phases(entries)
    allocations = _allocations(entries, phases, _held_before(device, before), known)
    ended_early = known.failed or any(entry["action"] == FAILED for entry, _ in entries)
    _categorize(allocations, phases, device, known, ended_early)
    sizes = _sizes(allocations, len(entries))
    place = max(range(len(sizes)), key=sizes.__getitem__)
    at_peak = [one for one in allocations if one.start < place and (one.end is None or one.end >= place)]
    rest = max(known.counted.get(device, 0) - sizes[place], 0)
    entry, found = entries[place - 1] if place else ({"time_us": 0}, [])
    return Memory(
        device=device,
        total=total,
        peak=sizes[place] + rest,
        reserved=_reserved(device, before, history),
        line=known.line(found, entry["time_us"]) if place else NOWHERE,
        phase=phases[place - 1] if place else FORWARD,
        held=(*_by_line(at_peak), *([Held(NOWHERE, REST, rest)] if rest else [])),
        failed=tuple(
            _failed(place, entry, known.line(found, entry["time_us"]), phases, allocations)
            for place, (entry, found) in enumerate(entries)
            if entry["action"] == FAILED
        ),
        curve=_curve(allocations, phases, sizes),
    )


def _failed(
    place: int, entry: Mapping[str, Any], line: str, phases: Sequence[str], allocations: Sequence[Allocation]
) -> OutOfMemory:
    then = [one for one in allocations if one.start < place and (one.end is None or one.end >= place)]
    sizes: Counter[str] = Counter()
    for one in then:
        sizes[one.category] += one.bytes
    at_failure = AtFailure(
        phases[place],
        sizes,
        float32=sum(one.bytes for one in then if one.element == 4),
        largest_gradient=max((one.bytes for one in then if one.category == GRADIENTS), default=0),
        has_trained=BACKWARD in phases[: place + 1],
    )
    missing = max(entry["size"] - entry["device_free"], 0)
    return OutOfMemory(line, phases[place], entry["size"], missing, dict(sizes.most_common()), levers(at_failure))


def _phases(entries: Sequence[tuple[Any, list[Frame]]]) -> list[str]:
    """Return the phase of each entry. PyTorch keeps no frames of a release: it has the phase of what was before."""
    phases, phase = [], FORWARD
    for entry, found in entries:
        phase = phase_of(found) if entry["action"] in (ALLOCATED, FAILED) else phase
        phases.append(phase)
    return phases


def frames(entry: Mapping[str, Any]) -> list[Frame]:
    """Return the frames of an entry, innermost first."""
    return [(frame["filename"], frame["line"], frame["name"]) for frame in entry.get("frames", ())]


def _rounded(size: int) -> int:
    return -(-size // GRAIN) * GRAIN


def _held_before(device: int, before: Mapping[str, Any]) -> list[Allocation]:
    blocks = (block for segment in before["segments"] if segment["device"] == device for block in segment["blocks"])
    return [
        Allocation(block["address"], block["size"], -1, float("-inf"), NOWHERE, FORWARD, category=BEFORE)
        for block in blocks
        if block["state"] == "active_allocated"
    ]


def _allocations(
    entries: Sequence[tuple[Any, list[Frame]]], phases: Sequence[str], found: list[Allocation], known: Knowledge
) -> list[Allocation]:
    alive = {one.address: one for one in found}
    for place, (entry, stack) in enumerate(entries):
        address, time = entry.get("addr", 0), entry["time_us"]  # a failure has no address
        if entry["action"] == ALLOCATED:
            line = known.line(stack, time)
            alive[address] = Allocation(address, _rounded(entry["size"]), place, time, line, phases[place])
            found.append(alive[address])
        elif entry["action"] == RELEASED and address in alive:
            ended = alive.pop(address)
            ended.end, ended.end_time = place, time
    return found


def _categorize(
    allocations: Sequence[Allocation], phases: Sequence[str], device: int, known: Knowledge, ended_early: bool
) -> None:
    backward = [place for place, phase in enumerate(phases) if phase == BACKWARD]
    for one in allocations:
        noted = known.noted.get((device, one.address), ())
        note = next((note for note in noted if one.time <= note.time <= one.end_time), None)
        if note is not None:
            one.category, one.element = note.category, note.element
        elif one.address in known.workspaces and one.end is None:
            one.category = WORKSPACE
        elif one.phase == FORWARD and one.category != BEFORE and _reaches(one, backward, ended_early):
            one.category = ACTIVATIONS


def _reaches(one: Allocation, backward: Sequence[int], ended_early: bool) -> bool:
    """Return whether an allocation is still held when the next backward begins, or the program runs out of memory."""
    place = bisect_right(backward, one.start)
    if place == len(backward):
        return ended_early and one.end is None
    return one.end is None or one.end > backward[place]


def _sizes(allocations: Sequence[Allocation], number: int) -> list[int]:
    """Return the bytes that are held before each entry of the history and after the last."""
    changes = [0] * (number + 1)
    for one in allocations:
        changes[one.start + 1] += one.bytes
        if one.end is not None:
            changes[one.end + 1] -= one.bytes
    sizes = []
    held = 0
    for change in changes:
        held += change
        sizes.append(held)
    return sizes


def _reserved(device: int, before: Mapping[str, Any], history: Sequence[Any]) -> int:
    held: int = sum(segment["total_size"] for segment in before["segments"] if segment["device"] == device)
    most = held
    for entry in history:
        held += GROWN.get(entry["action"], 0) * entry["size"]
        most = max(most, held)
    return most


def _by_line(allocations: Sequence[Allocation]) -> tuple[Held, ...]:
    sizes: Counter[tuple[str, str]] = Counter()
    for one in allocations:
        sizes[one.line, one.category] += one.bytes
    return tuple(Held(line, category, size) for (line, category), size in sizes.most_common())


def _curve(
    allocations: Sequence[Allocation], phases: Sequence[str], sizes: Sequence[int]
) -> tuple[tuple[str, dict[str, int]], ...]:
    """Return the bytes by category at up to `POINTS` places, of each stretch the fullest."""
    stretch = -(-len(sizes) // POINTS)
    places = [max(range(i, min(i + stretch, len(sizes))), key=sizes.__getitem__) for i in range(0, len(sizes), stretch)]
    changes: list[list[tuple[str, int]]] = [[] for _ in sizes]
    for one in allocations:
        changes[one.start + 1].append((one.category, one.bytes))
        if one.end is not None:
            changes[one.end + 1].append((one.category, -one.bytes))
    points, held, done = [], Counter[str](), 0
    for place in places:
        for category, size in (change for at in changes[done : place + 1] for change in at):
            held[category] += size
        done = place + 1
        phase = phases[place - 1] if place else FORWARD
        points.append((phase, {category: size for category, size in held.items() if size}))
    return tuple(points)
