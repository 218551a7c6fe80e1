"""shown: what ran here and what is recorded of a page to what is shown under each block, and what is wrong. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from samedevice.devices import DEVICES, LABELS
from samedevice.errors import RecordingError
from samedevice.outputs.checks import compare, fails_as_known, fault, record_command
from samedevice.outputs.output import VARIES
from samedevice.outputs.recordings import BlockStatus, RecordedBlock, Recording, State, block_statuses
from samedevice.pages.page import Block, Page
from samedevice.weaving.panes import Shown, ShownOutput

STALE = "Recorded on {day} for earlier code, and not shown: {label} must run it again."


@dataclass(frozen=True)
class Known:
    """What is known of the outputs of a page."""

    page: Page
    """The page."""
    here: Mapping[str, Recording | None]
    """For each device what this machine printed, now or when it last ran the page."""
    recorded: Sequence[Recording]
    """What is recorded of it, newest PyTorch first."""
    errors: Sequence[RecordingError] = ()
    """Why recordings cannot be read."""
    runs: bool = True
    """Whether this machine runs pages: else what is recorded nowhere is a problem."""

    @property
    def key(self) -> tuple[str, ...]:
        """What decides, beside the page's text, what is shown under its blocks."""
        page = (repr(self.page.settings), *(block.digest for block in self.page.blocks))
        here = (repr(one and (one.environment, list(map(_named, one.entries)))) for one in self.here.values())
        recorded = [(one.environment, list(map(_named, one.entries))) for one in self.recorded]
        return *page, *here, repr(recorded), repr(self.errors), repr(self.runs)

    def statuses(self, block: Block, device: str, simulated: bool = False) -> Sequence[BlockStatus]:
        """What the recordings say of a block on a kind of device."""
        return block_statuses(self.page, block.index, device, self.recorded, simulated)


def _named(entry: RecordedBlock) -> tuple[object, ...]:
    """What is recorded of a block, its output by its name."""
    return entry.hash, entry.output and entry.output.digest, entry.text, entry.changed


def outputs_of(known: Known) -> tuple[Shown, list[str]]:
    """What to show under each block of a page, and what a strict build fails on: where, what is wrong, what to do."""
    shown: Shown = {block.index: [] for block in known.page.blocks}
    problems = [*map(str, known.errors)]
    for device in DEVICES:
        blocks, ran = [block for block in known.page.blocks if block.runs_on(device)], known.here.get(device)
        for block in blocks:
            found = list(_outputs(known, block, device))
            shown[block.index] += found
            problems += [one.note for one in found if one.wrong]
        unrecorded = [block for block in blocks if ran and _unrecorded(known, block, ran)]
        problems += _one_for_all(known.page, unrecorded, f"not recorded on {device}", device)
    if not known.runs:
        problems += _recorded_nowhere(known, shown)
    return shown, list(dict.fromkeys(problems))


def differ(one: Known, other: Known) -> bool:
    """Whether a reader of a page sees an output that was missing, or that one is wrong, only by one of the two."""
    gists = [
        [(any(one.output for one in found), [one.note for one in found if one.wrong]) for found in shown.values()]
        for shown, _ in map(outputs_of, (one, other))
    ]
    return gists[0] != gists[1]


def newest(shown: Shown) -> Shown:
    """Of what is shown under each block, that of the newest PyTorch on each kind of device."""
    return {index: list({one.device: one for one in reversed(found)}.values())[::-1] for index, found in shown.items()}


def _outputs(known: Known, block: Block, device: str) -> Iterator[ShownOutput]:
    """What to show of a block for one kind of device: an output for each environment, newest PyTorch first.

    What simulated devices printed is shown as long as no real one of the kind has run the block.
    """
    ran, statuses = known.here.get(device), known.statuses(block, device)
    here = ran.find(known.page, block.index) if ran and block.runs_on(device, ran.environment.torch) else None
    own = here.output if here else None
    if not known.page.settings.console and any(one.output and one.output.died == VARIES for one in statuses):
        return
    if fails_as_known(block, device, statuses):
        if not own or fault(block, device, own):
            return
        statuses = [one for one in statuses if one.output and not fault(block, device, one.output)]
    others = (one for one in statuses if not (own and here and one.environment.folder == here.environment.folder))
    found = [(one.environment.order, _recorded(one)) for one in others if one.output]
    if here and own:
        found.append((here.environment.order, _here(known, block, here, statuses)))
    if not found:
        simulated = known.statuses(block, device, simulated=True)
        found = [(one.environment.order, _recorded(one)) for one in simulated if one.output]
    yield from (one for _, one in sorted(found, key=lambda pair: (pair[1].wrong, pair[0]), reverse=True))
    if not found:
        yield from _without(block, device, statuses)


def _recorded(status: BlockStatus) -> ShownOutput:
    return ShownOutput(status.environment.device, status.output, status.environment)


def _here(known: Known, block: Block, here: BlockStatus, statuses: Sequence[BlockStatus]) -> ShownOutput:
    """What to show of a block that ran on this machine."""
    assert here.output is not None
    note = fault(block, here.environment.device, here.output)
    if not note and any(one.output for one in statuses):
        note = compare(known.page, block, here.environment, here.output, known.recorded).wrong
    return ShownOutput(here.environment.device, here.output, here.environment, note, bool(note))


def _unrecorded(known: Known, block: Block, ran: Recording) -> bool:
    """Whether a block that runs on this machine has no recording of its code from any environment of this kind."""
    runs = block.options.count == 1 and block.runs_on(ran.environment.device, ran.environment.torch)
    if not runs or ran.find(known.page, block.index).state is State.UNUSED:
        return False
    statuses = known.statuses(block, ran.environment.device)
    return not any(one.state in (State.FRESH, State.UNUSED) for one in statuses)


def _one_for_all(page: Page, found: Sequence[Block], what: str, device: str) -> list[str]:
    """One problem for all of these blocks of a page; none if there are none."""
    told = f"{len(found)} blocks from here on are {what} as they stand; run {record_command(page, device)}"
    return [f"{found[0]}: {told}"] if found else []


def _recorded_nowhere(known: Known, shown: Shown) -> list[str]:
    """One problem for all blocks of a page that need no device, and that none has run."""
    device = DEVICES[0]
    free = [block for block in known.page.blocks if block.runs_on(device) and not block.options.versions]
    found = [block for block in free if not any(one.output or one.wrong for one in shown[block.index])]
    if not known.page.settings.console:  # a block that failed, or varies, is recorded, and shows nothing
        found = [one for one in found if not fails_as_known(one, device, known.statuses(one, device))]
    return _one_for_all(known.page, found, "recorded nowhere", device)


def _without(block: Block, device: str, statuses: Sequence[BlockStatus]) -> Iterator[ShownOutput]:
    """What to show of a block that has no output."""
    options = block.options
    if any(one.state is State.UNUSED for one in statuses):
        return
    stale = [one.environment.day for one in statuses if one.state is State.STALE]
    if stale:
        yield ShownOutput(device, None, None, STALE.format(day=max(stale), label=LABELS[device]))
    elif options.needs == device or (options.versions and not options.needs and device == DEVICES[0]):
        yield ShownOutput(device, None, None, f"Needs {options.needed}; not recorded yet.")
    elif options.compare == device:
        yield ShownOutput(device, None, None, f"Not recorded yet: no machine with {LABELS[device]} has run this block.")
