"""SiteOutputs: all pages of a site, with what to show under their blocks: run here, cached, or recorded elsewhere."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path

from samedevice.devices import DEVICES, LABELS, present_devices
from samedevice.errors import SameDeviceError
from samedevice.outputs.checks import compare, fault, known, record_command
from samedevice.outputs.output import VARIES
from samedevice.outputs.recordings import BlockStatus, RecordedBlock, Recording, State, block_statuses
from samedevice.page_runs import PageRuns
from samedevice.pages.page import Block, Page
from samedevice.pages.source import is_own
from samedevice.pending_runs import PendingRun, PendingRuns
from samedevice.project import CACHE
from samedevice.weaving.check_export import SUFFIX, check_export
from samedevice.weaving.copies import Copy, copies
from samedevice.weaving.exports import exports
from samedevice.weaving.panes import ShownOutput
from samedevice.weaving.prose import Address, plain_title

STALE = "Recorded on {day} for earlier code, and not shown: {label} must run it again."


class SiteOutputs:
    """Has pages run, and says what to show under their blocks. Call `close` at the end.

    `root` is the repository root; `report` is called with a line of text for each page that was run. `devices` are
    those to run pages on, else all that are present; with none of them, what is shown is what was recorded. If `later`,
    the first build shows what is known, and `run_rest` runs the rest in the background.
    """

    def __init__(
        self, root: Path, report: Callable[[str], None], devices: Iterable[str] | None = None, later: bool = False
    ) -> None:
        self.root = root
        self.report = report
        self.devices = tuple(present_devices() if devices is None else devices)
        self.runs = PageRuns(root)
        self.pending = PendingRuns(self.runs, self.devices, report, later)
        if not self.runs.cache.writable:
            report(f"{CACHE.as_posix()} cannot be written: nothing is kept for the next build")

    def close(self) -> None:
        """End the processes that run pages."""
        self.runs.close()

    def start(self, pages: Iterable[Page]) -> None:
        """Begin to run, in the background, what is not cached; read recordings anew from now on."""
        self.pending.start(pages)

    def run_rest(self, done: Callable[[PendingRun], None]) -> list[PendingRun]:
        """Run in the background what the first build did not wait for; `done` is called for each run at its end."""
        return self.pending.begin(done)

    def changes(self, run: PendingRun) -> bool:
        """Whether a reader of a page sees by a run that is done an output that was missing, or that one is wrong."""
        try:
            found = run.future.result()
        except SameDeviceError:
            return False
        before, after = (self._read(run.page, {run.device: one})[0] for one in (run.kept, found))
        return any(_gist(before[index]) != _gist(after[index]) for index in before)

    def read(self, page: Page) -> tuple[dict[int, list[ShownOutput]], list[str]]:
        """What to show under each block of a page that was started; waits for what still runs.

        Also what a strict build fails on: what is wrong, with page and line, and what to do.
        """
        return self._read(page, {device: self.pending.recording(page, device) for device in DEVICES})

    def _read(self, page: Page, here: Mapping[str, Recording | None]) -> tuple[dict[int, list[ShownOutput]], list[str]]:
        """The same, given for each device what is known of it on this machine."""
        shown: dict[int, list[ShownOutput]] = {block.index: [] for block in page.blocks}
        recordings, errors = self.runs.recorded(page)
        problems = [*map(str, errors)]
        for device in DEVICES:
            if not any(block.runs_on(device) for block in page.blocks):
                continue
            ran, unrecorded = here.get(device), []
            for block in page.blocks:
                if not block.runs_on(device):
                    continue
                statuses = block_statuses(page, block.index, device, recordings)
                if ran and _unrecorded(page, block, ran, statuses):
                    unrecorded.append(block)
                simulated = block_statuses(page, block.index, device, recordings, simulated=True)
                found = list(_shown(page, block, device, ran, recordings, statuses, simulated))
                shown[block.index] += found
                problems += [one.note for one in found if one.wrong]
            problems += _one_for_all(page, unrecorded, f"not recorded on {device}", device)
        if not self.devices:
            problems += _recorded_nowhere(page, shown, recordings)
        return shown, list(dict.fromkeys(problems))

    def about(self, page: Page) -> Iterator[str]:
        """What decides, beside the page's text, what is shown under its blocks; waits for what still runs."""
        yield repr(page.settings)
        yield from (block.digest for block in page.blocks)
        for device in DEVICES:
            ran = self.pending.recording(page, device)
            yield repr(ran and (ran.environment, [(one.hash, one.output and one.output.digest) for one in ran.entries]))
        recordings, errors = self.runs.recorded(page)
        yield repr([(one.environment, [_named(entry) for entry in one.entries]) for one in recordings])
        yield repr(errors)

    def copies(self, page: Page, shown: dict[int, list[ShownOutput]]) -> dict[int, Copy]:
        """For each block what its copy to run is made of; none for a page with code that is no Python."""
        try:
            return copies(page, shown)
        except SyntaxError:
            return {}

    def exports(self, page: Page, shown: dict[int, list[ShownOutput]], address: Address) -> dict[str, str]:
        """The page's files to take along, by suffix.

        A page with code that is no Python has none: what is wrong with it is shown below the block.
        """
        try:
            files = {block.index: self.files(page, block) for block in page.blocks if block.kind == "console"}
            found = exports(page, newest(shown), address, files)
        except SyntaxError:
            return {}
        return found | {SUFFIX: self._check_export(page)}

    def _check_export(self, page: Page) -> str:
        """The page's file for `samedevice check`: its blocks, and what every environment printed."""
        files: dict[str, str] = {}
        for block in page.blocks:
            files |= self.files(page, block)
        return check_export(page, plain_title(page), files, self.runs.recorded(page)[0])

    def files(self, page: Page, block: Block) -> dict[str, str]:
        """The texts of the files that a block runs or read, by their paths, as they are published with the page.

        They are regular files below the folders of programs and pages, by their own names: neither hidden nor links.
        """
        recordings = [*self.runs.recorded(page)[0], *filter(None, map(partial(self.pending.recording, page), DEVICES))]
        found = (one.find(page, block.index).entry for one in recordings)
        paths = {path for entry in found if entry for path, _ in entry.read} | {block.path} - {page.path}
        below = (page.settings.programs, page.settings.docs)
        public = [path for path in sorted(paths) if path.startswith(tuple(f"{folder}/" for folder in below))]
        own = (path for path in public if not re.search(r"(?:^|/)\.", path) and is_own(self.root / path, self.root))
        return {path: (self.root / path).read_bytes().decode(errors="replace") for path in own}


def _gist(shown: Sequence[ShownOutput]) -> tuple[bool, list[str]]:
    """Whether there is an output under a block, and what is wrong with those that there are."""
    return any(one.output for one in shown), [one.note for one in shown if one.wrong]


def _named(entry: RecordedBlock) -> tuple[object, ...]:
    """What is recorded of a block, its output by its name."""
    return entry.hash, entry.output and entry.output.digest, entry.text, entry.changed


def newest(shown: dict[int, list[ShownOutput]]) -> dict[int, list[ShownOutput]]:
    """Of what is shown under each block, that of the newest PyTorch on each kind of device."""
    return {index: list({one.device: one for one in reversed(found)}.values())[::-1] for index, found in shown.items()}


def _shown(
    page: Page,
    block: Block,
    device: str,
    ran: Recording | None,
    recordings: Sequence[Recording],
    statuses: Sequence[BlockStatus],
    simulated: Sequence[BlockStatus],
) -> Iterator[ShownOutput]:
    """What to show of a block for one kind of device: an output for each environment, newest PyTorch first.

    What simulated devices printed is shown as long as no real one of the kind has run the block.
    """
    here = ran.find(page, block.index) if ran and block.runs_on(device, ran.environment.torch) else None
    if not page.settings.console and any(one.output and one.output.died == VARIES for one in statuses):
        return
    if known(block, device, statuses):
        if not here or not here.output or fault(block, device, here.output):
            return
        statuses = [one for one in statuses if one.output and not fault(block, device, one.output)]
    found = [(one.environment.order, _recorded(one)) for one in statuses if one.output and not _same(one, here)]
    if here and here.output:
        found.append((here.environment.order, _here(page, block, here, recordings, statuses)))
    if not found:
        found = [(one.environment.order, _recorded(one)) for one in simulated if one.output]
    yield from (one for _, one in sorted(found, key=lambda pair: (pair[1].wrong, pair[0]), reverse=True))
    yield from _without(block, device, statuses, bool(found))


def _same(one: BlockStatus, here: BlockStatus | None) -> bool:
    """Whether this machine printed another output in place of a recorded one."""
    return bool(here and here.output) and here is not None and one.environment.folder == here.environment.folder


def _recorded(status: BlockStatus) -> ShownOutput:
    return ShownOutput(status.environment.device, status.output, status.environment)


def _here(
    page: Page, block: Block, here: BlockStatus, recordings: Sequence[Recording], statuses: Sequence[BlockStatus]
) -> ShownOutput:
    """What to show of a block that ran on this machine."""
    assert here.output is not None
    note = fault(block, here.environment.device, here.output)
    if not note and any(one.output for one in statuses):
        note = compare(page, block, here.environment, here.output, recordings).wrong
    return ShownOutput(here.environment.device, here.output, here.environment, note, bool(note))


def _unrecorded(page: Page, block: Block, ran: Recording, statuses: Sequence[BlockStatus]) -> bool:
    """Whether a block that runs on this machine has no recording of its code from any environment of this kind."""
    runs = block.options.count == 1 and block.runs_on(ran.environment.device, ran.environment.torch)
    if ran.find(page, block.index).state is State.UNUSED:
        return False
    return runs and not any(one.state in (State.FRESH, State.UNUSED) for one in statuses)


def _one_for_all(page: Page, found: Sequence[Block], what: str, device: str) -> list[str]:
    """One problem for all of these blocks of a page; none if there are none."""
    told = f"{len(found)} blocks from here on are {what} as they stand; run {record_command(page, device)}"
    return [f"{found[0]}: {told}"] if found else []


def _recorded_nowhere(page: Page, shown: dict[int, list[ShownOutput]], kept: Sequence[Recording]) -> list[str]:
    """One problem for all blocks of a page that need no device, and that none has run."""
    device = DEVICES[0]
    free = [block for block in page.blocks if block.runs_on(device) and not block.options.versions]
    found = [block for block in free if not any(one.output or one.wrong for one in shown[block.index])]
    if not page.settings.console:  # a block that failed, or varies, is recorded, and shows nothing
        found = [one for one in found if not known(one, device, block_statuses(page, one.index, device, kept))]
    return _one_for_all(page, found, "recorded nowhere", device)


def _without(block: Block, device: str, statuses: Sequence[BlockStatus], found: bool) -> Iterator[ShownOutput]:
    """What to show of a block where there is no output."""
    options = block.options
    if found or any(one.state is State.UNUSED for one in statuses):
        return
    stale = [one.environment.day for one in statuses if one.state is State.STALE]
    if stale:
        yield ShownOutput(device, None, None, STALE.format(day=max(stale), label=LABELS[device]))
    elif options.needs == device or (options.versions and not options.needs and device == DEVICES[0]):
        yield ShownOutput(device, None, None, f"Needs {options.needed}; not recorded yet.")
    elif options.compare == device:
        yield ShownOutput(device, None, None, f"Not recorded yet: no machine with {LABELS[device]} has run this block.")
