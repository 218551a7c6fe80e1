"""Recording: what one environment printed for a page, and whether that is still true of the page as it now is.

For each block it holds a hash of the program that led to its output (see `Page.hashes`), the files of the repository
that it read, and whether it used the environment's device. `page_file` has all recordings of a page.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterable, Sequence
from dataclasses import dataclass, fields
from enum import Enum
from functools import cached_property

from samedevice.outputs.comparison import difference
from samedevice.outputs.environments import Environment
from samedevice.outputs.output import VARIES, Output
from samedevice.pages.page import Block, Page

CPU = "cpu"
"""The device whose outputs are those of a block that uses no other one."""


class State(Enum):
    """What a recording has to say of a block as the block now is."""

    FRESH = "fresh"
    UNUSED = "unused"
    STALE = "stale"
    MISSING = "missing"


@dataclass(frozen=True)
class RecordedBlock:
    """What is recorded of one block."""

    hash: str
    """Hash of the program that led to the output."""
    code: str
    """First line of the block, for people who read the file."""
    output: Output | None
    """What the device printed; None for a block that did not use it: its output is the CPU's."""
    read: tuple[tuple[str, str], ...] = ()
    """The files of the repository that it read, and hashes of what was in them."""
    text: str = ""
    """Hash of the block's text and place, where its output shows lines of the page; else empty."""
    changed: bool = False
    """Whether one of the files that its program read has other content now; never recorded."""

    @classmethod
    def make(cls, page: Page, index: int, hash: str, output: Output, used: bool = True) -> RecordedBlock:
        """What is recorded of a block of a page after a run."""
        block = page.blocks[index]
        shows_place = block.path in output.shown or f'{page.path}"' in output.shown  # as tracebacks and warnings do
        text = block.text_digest if used and shows_place else ""
        plain = Output(output.text, output.value, output.raised, output.figures, output.died)
        return cls(hash, first_line(block), plain if used else None, output.read, text)


def first_line(block: Block) -> str:
    """The first line of a block's code, as recordings have it."""
    return next((line.strip() for line in block.code.splitlines() if line.strip()), "")[:80]


@dataclass(frozen=True)
class BlockStatus:
    """What one recording says of one block."""

    state: State
    """Whether there is an output, and whether it was recorded for this code."""
    environment: Environment
    """The environment that was recorded."""
    entry: RecordedBlock | None = None
    """What is recorded of the program, if something is; of a stale one it is not true any more."""

    @property
    def output(self) -> Output | None:
        """The output of a fresh block; None for every other state."""
        return self.entry.output if self.entry and self.state is State.FRESH else None


@dataclass(frozen=True)
class Recording:
    """What one environment printed for one page."""

    environment: Environment
    """The device, the versions and the day."""
    entries: tuple[RecordedBlock, ...]
    """An entry for each block that ran, in the page's order."""

    @cached_property
    def by_hash(self) -> dict[str | None, list[RecordedBlock]]:
        """The entries by their hashes, in order: two blocks with one program may have measured other numbers."""
        found: dict[str | None, list[RecordedBlock]] = {}
        for entry in self.entries:
            found.setdefault(entry.hash, []).append(entry)
        return found

    def entry(self, hashes: Sequence[str | None], index: int) -> RecordedBlock | None:
        """What is recorded of the block number `index` of a page with these hashes, which need not be true any more."""
        found = self.by_hash.get(hashes[index], [])
        return found[min(hashes[:index].count(hashes[index]), len(found) - 1)] if found else None

    def hashes(self, page: Page) -> tuple[str | None, ...]:
        """The hashes of a page's blocks in this environment."""
        return page.hashes(self.environment.device, self.environment.torch)

    def find(self, page: Page, index: int) -> BlockStatus:
        """What the recording says of the page's block number `index`."""
        hashes = self.hashes(page)
        if self.environment.simulated and page.blocks[index].not_simulated:
            return BlockStatus(State.MISSING, self.environment)
        entry = self.entry(hashes, index)
        if entry is not None and not is_stale(entry, page, index):
            return BlockStatus(State.FRESH if entry.output else State.UNUSED, self.environment, entry)
        position = sum(found is not None for found in hashes[:index])
        if entry is None and (position >= len(self.entries) or self.entries[position].hash in hashes):
            return BlockStatus(State.MISSING, self.environment)
        return BlockStatus(State.STALE, self.environment, entry)


def is_stale(entry: RecordedBlock, page: Page, index: int) -> bool:
    """Whether what is recorded for this program is not true of it any more: for what it read, or where it is."""
    return entry.changed or bool(entry.text and entry.text != page.blocks[index].text_digest)


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
    """The state of a block in several environments: fresh if one is, else unused if one is, else stale if one is."""
    states = {status.state for status in statuses}
    return next((state for state in (State.FRESH, State.UNUSED, State.STALE) if state in states), State.MISSING)


def uses(page: Page, index: int, device: str, recordings: Sequence[Recording]) -> bool:
    """Whether a block uses a device, as far as that is known: no real or simulated one ran it without being used."""
    found = (one for simulated in (False, True) for one in block_statuses(page, index, device, recordings, simulated))
    states = {one.state for one in found}
    return State.FRESH in states or State.UNUSED not in states


def printed_on_cpu(page: Page, index: int, output: Output, recordings: Sequence[Recording]) -> Environment | None:
    """The environment of a CPU that printed this output for a block; None if none did."""
    vary = page.blocks[index].options.numbers_vary
    for one in block_statuses(page, index, CPU, recordings):
        if one.output and not difference(one.output, output, vary):
            return one.environment
    return None


def update(
    old: Recording | None,
    page: Page,
    environment: Environment,
    outputs: Iterable[Output | None],
    unsure: Container[int] = (),
    others: Sequence[Recording] = (),
) -> Recording | None:
    """The recording of a page after a run; None if the old one says all of it already.

    Outputs that compare equal to the recorded ones stay as they were recorded, unless they were recorded on another
    device or with other versions. So do those of blocks that did not run, as long as their code is the same, and are
    not `unsure` now. Of a block that did not use the device, and printed what a CPU printed by the recordings of the
    page in `others`, only that is kept.
    """
    hashes = page.hashes(environment.device, environment.torch)
    same = old is not None and old.environment.facts == environment.facts
    entries: list[RecordedBlock] = []
    for block, hash, output in zip(page.blocks, hashes, outputs, strict=True):
        kept, vary = old.entry(hashes, block.index) if old and same else None, block.numbers_vary(environment.simulated)
        if kept and is_stale(kept, page, block.index):
            kept = None
        if hash is None or block.index in unsure or (output is None and kept is None):
            continue
        if output is None:
            entries.append(kept)  # type: ignore[arg-type]
            continue
        used = environment.device == CPU or output.used or _needs_device(page, block.index, environment, output, others)
        new = RecordedBlock.make(page, block.index, hash, output, used)
        entries.append(kept if kept and _is_kept(kept, new, vary) else new)
    if old and same and tuple(entries) == old.entries:
        return None
    return Recording(environment, tuple(entries))


def _needs_device(page: Page, index: int, about: Environment, output: Output, others: Sequence[Recording]) -> bool:
    """Whether an output that used no device is that device's all the same: no CPU prints it, as `is_available()`.

    If another machine with such a device printed what a CPU prints, this is the output of this machine's CPU.
    """
    return uses(page, index, about.device, others) and not printed_on_cpu(page, index, output, others)


def combined(page: Page, new: Recording, old: Recording | None) -> Recording:
    """What `new` says of the page's blocks as they are, and for blocks of which it says nothing what `old` says."""
    entries = []
    for block in page.blocks:
        found = (one.find(page, block.index) for one in (new, old) if one)
        entries += [one.entry for one in found if one.entry and one.state is not State.STALE][:1]
    return Recording(new.environment, tuple(entries))


def _is_kept(old: RecordedBlock, new: RecordedBlock, numbers_vary: bool) -> bool:
    """Whether what is recorded stays as it is: the new output is the same, or it is known that no two are."""
    if old.output is None or new.output is None or old.read != new.read:
        return old == new
    return old.output.died == VARIES or not difference(old.output, new.output, numbers_vary)


@dataclass(frozen=True)
class Count:
    """How many blocks of one page are in which state on one device."""

    fresh: int = 0
    """They ran, as they now are."""
    stale: int = 0
    """They ran, and were changed since."""
    missing: int = 0
    """They never ran there."""
    simulated: int = 0
    """Of those that are stale or missing: a simulated device of this kind ran them, as they now are."""

    @property
    def blocks(self) -> int:
        """How many blocks there are for the device."""
        return self.fresh + self.stale + self.missing

    def __add__(self, other: Count) -> Count:
        return Count(*(getattr(self, one.name) + getattr(other, one.name) for one in fields(self)))


def count_blocks(page: Page, device: str, recordings: Sequence[Recording]) -> Count:
    """The states of the page's blocks that use a kind of device, in all environments of that kind together.

    Without a recording from that device only the blocks that ask for it count: they can run nowhere else.
    """
    recorded = any(one.environment.device == device and not one.environment.simulated for one in recordings)
    blocks = [one for one in page.blocks if one.runs_on(device) and (recorded or one.options.needs == device)]
    blocks = [one for one in blocks if uses(page, one.index, device, recordings)]
    states = [overall_state(block_statuses(page, block.index, device, recordings)) for block in blocks]
    found = Counter(states)
    simulated = sum(
        state in (State.STALE, State.MISSING) and is_simulated(page, block.index, device, recordings)
        for block, state in zip(blocks, states, strict=True)
    )
    return Count(found[State.FRESH], found[State.STALE], found[State.MISSING], simulated)


def is_simulated(page: Page, index: int, device: str, recordings: Sequence[Recording]) -> bool:
    """Whether a simulated device of a kind ran a block, as it now is."""
    statuses = block_statuses(page, index, device, recordings, simulated=True)
    return overall_state(statuses) is State.FRESH
