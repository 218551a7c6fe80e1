"""Book: all pages of a site with what is to be shown under their blocks: run here, cached, or recorded elsewhere."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from concurrent.futures import Future
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from samedevice import memo
from samedevice.devices import DEVICES, LABELS, present_devices
from samedevice.errors import RecordingError
from samedevice.generated.api_names import names
from samedevice.generated.api_table import catalogue
from samedevice.generated.markers import Reference
from samedevice.generated.site import Shelf
from samedevice.outputs.cache import OutputCache
from samedevice.outputs.checks import damage, fault, mismatch
from samedevice.outputs.environments import Run
from samedevice.outputs.recordings import Recording, State, load, place
from samedevice.pages.page import Block, Page
from samedevice.project import CACHE, RECORDINGS
from samedevice.running.sessions import Sessions
from samedevice.running.threads import wait_for
from samedevice.weaving.copies import Copy, copies, value_is_shown
from samedevice.weaving.exports import exports
from samedevice.weaving.output_html import Shown
from samedevice.weaving.prose import Address

NOT_RECORDED = (State.MISSING, State.STALE)


@dataclass(frozen=True)
class Problem:
    """Something that a strict build fails on."""

    message: str
    """What is wrong, with page and line, and what to do."""


class Book:
    """Runs pages, keeps their outputs in a cache, and tells what to show. A context manager.

    `root` is the repository root; `report` is called with a line of text for each page that was run.
    """

    def __init__(self, root: Path, report: Callable[[str], None], devices: Iterable[str] | None = None) -> None:
        self.root = root
        self.report = report
        self.devices = tuple(devices or present_devices())
        self.sessions: Sessions | None = None
        self.pending: dict[tuple[str, str], Future[Recording | None]] = {}
        self.recorded: dict[Path, Recording | None] = {}
        self.cache = OutputCache(root)
        if not self.cache.writable:
            report(f"{CACHE.as_posix()} cannot be written: nothing is kept for the next build")

    def close(self) -> None:
        """End the processes that run pages."""
        if self.sessions is not None:
            self.sessions.close()
            self.sessions = None

    def start(self, pages: Iterable[Page]) -> None:
        """Begin to run, in the background, what is neither cached nor running; read recordings anew from now on."""
        self.recorded = {}
        for page in pages:
            for device in self.devices:
                if any(block.runs_on(device) for block in page.blocks):
                    self.pending[page.path, device] = self._outputs(page, device)

    def _outputs(self, page: Page, device: str) -> Future[Recording | None]:
        cached = self.cache.find(page, device)
        if cached is not None:
            done: Future[Recording | None] = Future()
            done.set_result(cached)
            return done
        if self.sessions is None:
            self.sessions = Sessions(self.root)
        started = time.monotonic()
        result: Future[Recording | None] = Future()

        def finish(run: Future[Run]) -> None:
            try:
                result.set_result(self._keep(run.result(), page, device, time.monotonic() - started))
            except BaseException as error:
                result.set_exception(error)

        self.sessions.submit(page, device).add_done_callback(finish)
        return result

    def _keep(self, run: Run, page: Page, device: str, seconds: float) -> Recording | None:
        found = self.cache.keep(page, device, run)
        if found is not None:
            self.report(f"ran {page.path} on {device}: {len(found.entries)} blocks, {seconds:.1f} s")
        return found

    def read(self, page: Page) -> tuple[dict[int, list[Shown]], list[Problem]]:
        """What to show under each block of a page that was started, and what is wrong; waits for what still runs."""
        shown: dict[int, list[Shown]] = {block.index: [] for block in page.blocks}
        problems: list[Problem] = []
        for device in DEVICES:
            if not any(block.runs_on(device) for block in page.blocks):
                continue
            recording = self._recording(page, device, problems)
            pending = self.pending.get((page.path, device))
            ran = wait_for(pending) if pending else None
            for block in page.blocks:
                if block.runs_on(device):
                    found = _here(page, block, ran, recording) if ran else _elsewhere(page, block, device, recording)
                    if found:
                        shown[block.index].append(found)
                        if found.wrong:
                            problems.append(Problem(found.note))
            if ran:
                problems += _unrecorded(page, device, recording)
        return shown, problems

    def copies(self, page: Page, shown: dict[int, list[Shown]]) -> dict[int, Copy]:
        """For each block what its copy to run is made of; from the cache, if page and outputs are the same."""
        values = [value_is_shown(shown[block.index]) for block in page.blocks]
        key = memo.key(page.text, *(block.digest for block in page.blocks), repr(values))
        path = place(self.root / CACHE, "copies", page)
        try:
            found = memo.find_or_make(path, key, lambda: [asdict(copy) for copy in copies(page, shown).values()])
        except SyntaxError:
            return {}
        made = (Copy(**one | {"needs": tuple(one["needs"]), "keep": tuple(one["keep"])}) for one in found)
        return {copy.index: copy for copy in made}

    def exports(self, page: Page, shown: dict[int, list[Shown]], address: Address) -> dict[str, str]:
        """The page's files to take along, by suffix; from the cache, if page, outputs and address are the same."""
        key = memo.key(page.text, *(block.digest for block in page.blocks), repr(shown), repr(address))
        path = place(self.root / CACHE, "exports", page)
        found: dict[str, str] = memo.find_or_make(path, key, lambda: exports(page, shown, address))
        return found

    def reference(self, pages: Iterable[Page]) -> Reference:
        """What is made from all pages of the site."""
        listed = tuple(pages)
        recordings = {page.path: self._recordings(page) for page in listed}
        used = {page.path: self._kept("names", page, names) for page in listed}
        return Reference(Shelf(listed, recordings, used), catalogue(self.root))

    def _kept(self, kind: str, page: Page, make: Callable[[Page], dict[str, Any]]) -> dict[str, Any]:
        """What `make` makes of a page's blocks; from the cache, if they are the same."""
        key = memo.key(*(block.digest for block in page.blocks))
        found: dict[str, Any] = memo.find_or_make(place(self.root / CACHE, kind, page), key, lambda: make(page))
        return found

    def _recordings(self, page: Page) -> dict[str, Recording]:
        """What is recorded of a page, by device; what cannot be read is told where the page is read."""
        found = ((device, self._recording(page, device, [])) for device in DEVICES)
        return {device: recording for device, recording in found if recording is not None}

    def _recording(self, page: Page, device: str, problems: list[Problem]) -> Recording | None:
        path = place(self.root / RECORDINGS, device, page)
        try:
            if path not in self.recorded:
                self.recorded[path] = load(path, path.relative_to(self.root).as_posix())
            return self.recorded[path]
        except RecordingError as error:
            problems.append(Problem(str(error)))
            return None


def _here(page: Page, block: Block, ran: Recording, recording: Recording | None) -> Shown | None:
    """What to show of a block that ran on this machine."""
    device, state_entry = ran.environment.device, ran.find(page, block.index)
    entry = state_entry[1]
    if entry is None:
        return _elsewhere(page, block, device, recording)
    note = fault(block, device, entry.output)
    if not note and _state(page, block, recording) not in NOT_RECORDED:
        note = mismatch(page, block, device, entry.output, recording)
    return Shown(device, entry.output, ran.environment, note, bool(note))


def _state(page: Page, block: Block, recording: Recording | None) -> State:
    return recording.find(page, block.index)[0] if recording else State.MISSING


def _unrecorded(page: Page, device: str, recording: Recording | None) -> list[Problem]:
    """One problem for all blocks of a page whose recording from a device that is here is missing or stale."""
    found = [b for b in page.blocks if b.runs_on(device) and _state(page, b, recording) in NOT_RECORDED]
    found = [block for block in found if block.options.count == 1]
    if not found:
        return []
    command = f"pytest {page.path} --device {device} --record"
    return [
        Problem(
            f"{found[0]}: {len(found)} blocks from here on are not recorded on {device} as they stand; run {command}"
        )
    ]


def _elsewhere(page: Page, block: Block, device: str, recording: Recording | None) -> Shown | None:
    """What to show of a block for a device that this machine lacks."""
    state, entry = recording.find(page, block.index) if recording else (State.MISSING, None)
    if state is State.FRESH and entry is not None and recording is not None:
        return Shown(device, entry.output, recording.environment)
    label = LABELS[device]
    if state is State.DAMAGED:
        return Shown(device, None, None, damage(page, block, device), True)
    if state is State.STALE and recording is not None:
        day = recording.environment.day
        return Shown(
            device, None, None, f"Recorded on {day} for earlier code, and not shown: {label} must run it again."
        )
    if block.options.needs == device:
        count = f"{block.options.count} devices with {label}" if block.options.count > 1 else label
        return Shown(device, None, None, f"Needs {count}; not recorded yet.")
    if block.options.compare == device:
        return Shown(device, None, None, f"Not recorded yet: no machine with {label} has run this block.")
    return None
