"""Recording: what one environment printed for a page, and whether that is still true of the page as it now is.

For each block it holds a hash of the code that led to it (see `Page.hashes`), and a seal: a hash of that hash, the
output and the environment. A change by hand and a merge that mixes two machines' outputs are noticed by it.
`recording_files` reads and writes recordings.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Container, Iterable, Sequence
from dataclasses import dataclass
from enum import Enum
from functools import cached_property

from samedevice.outputs.comparison import difference
from samedevice.outputs.environments import Environment
from samedevice.outputs.figures import figure_fault
from samedevice.outputs.output import VARIES, Output
from samedevice.pages.page import Page


class State(Enum):
    """What a recording has to say of a block as the block now is."""

    FRESH = "fresh"
    STALE = "stale"
    MISSING = "missing"
    DAMAGED = "damaged"


@dataclass(frozen=True)
class RecordedBlock:
    """The recorded output of one block."""

    hash: str
    """Hash of the code that led to the output."""
    code: str
    """First line of the block, for people who read the file."""
    output: Output | None
    """What the device printed; None where another environment's recording held it, and no longer does."""
    seal: str
    """Hash of the environment and of the other fields, as they were recorded."""

    @classmethod
    def make(cls, hash: str, code: str, output: Output, environment: Environment) -> RecordedBlock:
        """An entry with its seal."""
        first = next((line.strip() for line in code.splitlines() if line.strip()), "")[:80]
        return cls(hash, first, output, seal(environment, hash, first, output))

    def intact(self, environment: Environment) -> bool:
        """Whether the entry is as this environment recorded it, and its figures are fit for a page."""
        if self.output is None or any(figure_fault(figure.svg) for figure in self.output.figures):
            return False
        return self.seal == seal(environment, self.hash, self.code, self.output)


def seal(environment: Environment, hash: str, code: str, output: Output) -> str:
    """The seal of an entry. The day is no part of it: outputs that stay the same keep their seals."""
    return short_hash(environment.sealed, hash, code, output.digest)


def short_hash(*parts: object) -> str:
    """A hash of what JSON can hold."""
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:20]


@dataclass(frozen=True)
class BlockStatus:
    """What one recording says of one block."""

    state: State
    """Whether there is an output, and whether it was recorded for this code."""
    environment: Environment
    """The environment that was recorded."""
    entry: RecordedBlock | None = None
    """The entry where it is fresh or damaged."""

    @property
    def output(self) -> Output | None:
        """The output of a fresh entry; None for every other state."""
        return self.entry.output if self.entry and self.state is State.FRESH else None


@dataclass(frozen=True)
class Recording:
    """What one environment printed for one page."""

    environment: Environment
    """The device, the versions and the day."""
    entries: tuple[RecordedBlock, ...]
    """An entry for each block that ran, in the page's order."""

    @cached_property
    def by_hash(self) -> dict[str | None, RecordedBlock]:
        """The entries by their hashes; where two have the same one, the first."""
        return {entry.hash: entry for entry in reversed(self.entries)}

    @cached_property
    def whole(self) -> tuple[RecordedBlock, ...]:
        """The entries that are as they were recorded."""
        return tuple(entry for entry in self.entries if entry.intact(self.environment))

    def hashes(self, page: Page) -> tuple[str | None, ...]:
        """The hashes of a page's blocks in this environment."""
        return page.hashes(self.environment.device, self.environment.torch)

    def find(self, page: Page, index: int) -> BlockStatus:
        """What the recording says of the page's block number `index`."""
        hashes = self.hashes(page)
        if (hashes, index) not in self._found:
            self._found[hashes, index] = self._find(page, hashes, index)
        return self._found[hashes, index]

    @cached_property
    def _found(self) -> dict[tuple[tuple[str | None, ...], int], BlockStatus]:
        """What was found by the hashes of a page and the index of a block; filled by `find`."""
        return {}

    def _find(self, page: Page, hashes: tuple[str | None, ...], index: int) -> BlockStatus:
        if self.environment.simulated and page.blocks[index].not_simulated:
            return BlockStatus(State.MISSING, self.environment)
        entry = self.by_hash.get(hashes[index])
        if entry is not None:
            state = State.FRESH if entry.intact(self.environment) else State.DAMAGED
            return BlockStatus(state, self.environment, entry)
        position = sum(found is not None for found in hashes[:index])
        if position >= len(self.entries) or self.entries[position].hash in hashes:
            return BlockStatus(State.MISSING, self.environment)
        entry = self.entries[position]
        if entry.output is None or entry.intact(self.environment):
            return BlockStatus(State.STALE, self.environment)
        return BlockStatus(State.DAMAGED, self.environment, entry)


def block_statuses(
    page: Page, index: int, device: str, recordings: Sequence[Recording], simulated: bool = False
) -> tuple[BlockStatus, ...]:
    """What the recordings of the environments that a block runs in say of it, those of one kind of device.

    They are those of real devices, or those of simulated ones, and never both.
    """
    block = page.blocks[index]
    own = (one for one in recordings if (one.environment.device, one.environment.simulated) == (device, simulated))
    return tuple(one.find(page, index) for one in own if block.runs_on(device, one.environment.torch))


def overall_state(statuses: Sequence[BlockStatus]) -> State:
    """The state of a block in several environments: damaged if one is, else fresh if one is, else stale if one is."""
    states = {status.state for status in statuses}
    order = (State.DAMAGED, State.FRESH, State.STALE)
    return next((state for state in order if state in states), State.MISSING)


def update(
    old: Recording | None,
    page: Page,
    environment: Environment,
    outputs: Iterable[Output | None],
    unsure: Container[int] = (),
) -> Recording | None:
    """The recording of a page after a run; None if the old one says all of it already.

    Outputs that compare equal to the recorded ones stay as they were recorded, unless they were recorded on another
    device or with other versions. So do those of blocks that did not run, as long as their code is the same, and are
    not `unsure` now.
    """
    hashes = page.hashes(environment.device, environment.torch)
    same = old is not None and _same_place(old.environment, environment)
    known = {entry.hash: entry for entry in old.whole} if old and same else {}
    entries: list[RecordedBlock] = []
    for block, hash, output in zip(page.blocks, hashes, outputs, strict=True):
        kept, vary = known.get(hash or ""), block.numbers_vary(environment.simulated)
        if hash is None or block.index in unsure or (output is None and kept is None):
            continue
        if kept and kept.output and (output is None or _is_kept(kept.output, output, vary)):
            entries.append(kept)
        elif output is not None:
            entries.append(RecordedBlock.make(hash, block.code, output, environment))
    if old and same and tuple(entries) == old.entries:
        return None
    return Recording(environment, tuple(entries))


def _is_kept(old: Output, new: Output, numbers_vary: bool) -> bool:
    """Whether a recorded output stays as it is: the new one is the same, or it is known that no two are."""
    return old.died == VARIES or not difference(old, new, numbers_vary)


def _same_place(one: Environment, other: Environment) -> bool:
    return one.sealed == other.sealed
