"""Runs: what one run of pytest has pages do: each page on each device at most once, and recorded at most once."""

from __future__ import annotations

from collections.abc import Iterable
from concurrent.futures import Future
from functools import partial
from pathlib import Path

from samedevice.errors import RecordingError
from samedevice.outputs.cache import OutputCache
from samedevice.outputs.checks import fault
from samedevice.outputs.environments import Run
from samedevice.outputs.recordings import Recording, load, place, save, tidy, update
from samedevice.pages.page import Page
from samedevice.project import RECORDINGS
from samedevice.running.sessions import Sessions
from samedevice.running.threads import wait_for
from samedevice.temporary import sweep_files

UNCHANGED = "unchanged: "
"""What begins the line about a page that printed what is recorded of it already."""
ADVICE = "make room on the disk, or make the checkout writable, and record again"


class Runs:
    """The runs of pages on `devices`, under the repository root `root`.

    `record` is whether they are recorded, `asked` whether a person asked for these devices.
    """

    def __init__(self, root: Path, devices: tuple[str, ...], record: bool, asked: bool) -> None:
        self.root = root
        self.devices = devices
        self.record = record
        self.asked = asked
        self.sessions: Sessions | None = None
        self.cache: OutputCache | None = None
        self.futures: dict[tuple[str, str], Future[Run]] = {}
        self.recordings: dict[tuple[str, str], Recording | None] = {}
        if record:
            sweep_files(root / RECORDINGS)

    def start(self, selected: Iterable[tuple[Page, str, int]]) -> None:
        """Submit each page once for each device, up to the last block selected: page, device, index of the block."""
        upto: dict[tuple[str, str], int] = {}
        pages: dict[str, Page] = {}
        for page, device, index in selected:
            pages[page.path] = page
            last = len(page.blocks) if self.record else index + 1
            upto[page.path, device] = max(upto.get((page.path, device), 0), last)
        for (path, device), count in upto.items():
            self._submit(pages[path], device, count)

    def _submit(self, page: Page, device: str, upto: int | None = None) -> Future[Run]:
        if self.sessions is None:
            self.sessions, self.cache = Sessions(self.root), OutputCache(self.root)
        key = (page.path, device)
        if key not in self.futures:
            self.futures[key] = self.sessions.submit(page, device, upto)
            self.futures[key].add_done_callback(partial(self._keep, page, device))
        return self.futures[key]

    def _keep(self, page: Page, device: str, done: Future[Run]) -> None:
        """Spare the next build the page's run."""
        if self.cache is not None and not done.cancelled() and done.exception() is None:
            self.cache.keep(page, device, done.result())

    def result(self, page: Page, device: str) -> Run:
        """The page's run, waited for. Raises SessionError."""
        return wait_for(self._submit(page, device))

    def recording(self, page: Page, device: str) -> Recording | None:
        """What is recorded of the page on the device. Raises RecordingError."""
        key = (page.path, device)
        if key not in self.recordings:
            path = place(self.root / RECORDINGS, device, page)
            self.recordings[key] = load(path, path.relative_to(self.root).as_posix())
        return self.recordings[key]

    def write(self, page: Page, device: str, run: Run) -> str:
        """Record a run; return a line that says what was done, or empty if that was said before.

        Raises RecordingError where it cannot be written.
        """
        key = (page.path, device)
        if key in self.recordings or run.environment is None:
            return ""
        path = place(self.root / RECORDINGS, device, page)
        try:
            self.recordings[key] = old = load(path)
        except RecordingError:
            self.recordings[key] = old = None
        outputs = list(zip(page.blocks, run.outputs, strict=True))
        faults = [found for block, output in outputs if output and (found := fault(block, device, output))]
        if faults:
            first = faults[0].splitlines()[0]
            return f"not recorded: {page.path} on {device}, because {len(faults)} of its blocks failed, first {first}"
        new = update(old, page, run.environment, run.outputs)
        try:
            tidy(path) if new is None else save(path, new)
        except OSError as error:
            what = f"cannot be written ({error.strerror}); what was recorded before is as it was; {ADVICE}"
            raise RecordingError(path.relative_to(self.root).as_posix(), what) from None
        if new is None:
            return f"{UNCHANGED}{page.path} on {device}"
        return f"recorded {page.path} on {device}: {len(new.entries)} blocks"

    def close(self) -> None:
        """End the processes that run pages."""
        if self.sessions is not None:
            self.sessions.close()
