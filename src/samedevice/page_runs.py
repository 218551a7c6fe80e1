"""PageRuns: runs pages for pytest and for the build, each at most once a device, and reads and writes recordings."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from concurrent.futures import Future
from functools import cached_property
from pathlib import Path

from samedevice.devices import LABELS, Simulator
from samedevice.errors import RecordingError
from samedevice.outputs.cache import OutputCache
from samedevice.outputs.checks import expected_text, fault, unexpected
from samedevice.outputs.environments import Run
from samedevice.outputs.output import Output
from samedevice.outputs.recording_files import Recordings, place
from samedevice.outputs.recordings import Recording, update
from samedevice.pages.page import Block, Page
from samedevice.project import DEFAULTS
from samedevice.running.reading import CHANGED
from samedevice.running.section_runner import SectionRunner
from samedevice.running.threads import wait_for
from samedevice.temporary import sweep_files, write_atomically

UNCHANGED = "unchanged: "
"""What begins the line about a page that printed what is recorded of it already."""
LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+\Z")
"""A line of a file with its end."""
PROGRAMS = ("console", "program")
"""The kinds of block that start programs: each imports PyTorch anew. Their pages run first, since they take longest."""
ADVICE = "make room on the disk, or make the checkout writable, and record again"

Recorded = tuple[tuple[Recording, ...], list[RecordingError]]
"""The recordings of a page, newest PyTorch first, and why others cannot be read."""


class PageRuns:
    """The runs of the pages under the repository root `root`; with a `simulator`, on its devices.

    On another accelerator they run one section at a time, or `side_by_side`; `workers` on the CPU, None: one a core.
    """

    def __init__(
        self,
        root: Path,
        simulator: Simulator | None = None,
        preload: Collection[str] = (),
        side_by_side: int = 1,
        workers: int | None = None,
    ) -> None:
        self.root = root
        self.simulator = simulator
        self.preload = preload
        self.side_by_side = side_by_side
        self.workers = workers
        self.sessions: SectionRunner | None = None
        self.futures: dict[tuple[str, str], Future[Run]] = {}
        self.known: dict[str, Recorded] = {}
        self.recordings: dict[str, Recordings] = {}
        self.written: set[tuple[str, str]] = set()

    @cached_property
    def cache(self) -> OutputCache:
        """What earlier runs printed."""
        return OutputCache(self.root)

    def forget(self) -> None:
        """Run pages anew, and read recordings anew, from now on: their files may have changed."""
        self.futures, self.known, self.recordings, self.written = {}, {}, {}, set()

    def forget_page(self, page: Page, device: str) -> None:
        """Run this page anew on this device: what it printed was not right, and may be the next time."""
        self.futures.pop((page.path, device), None)
        self.written.discard((page.path, device))

    def start(self, selected: Iterable[tuple[Page, str, int | None]]) -> None:
        """Submit each page once for each device, with the blocks selected: page, device, index of the block.

        None in place of an index has the whole page run.
        """
        wanted: dict[tuple[str, str], set[int]] = {}
        pages: dict[str, Page] = {}
        for page, device, index in selected:
            pages[page.path] = page
            wanted.setdefault((page.path, device), set()).update(range(len(page.blocks)) if index is None else {index})
        for path, device in sorted(wanted, key=lambda key: not starts_programs(pages[key[0]])):
            self.submit(pages[path], device, wanted[path, device])

    def submit(
        self, page: Page, device: str, wanted: Collection[int] | None = None, later: bool = False
    ) -> Future[Run]:
        """Begin to run these blocks of a page, by index, all if None, unless it runs already; `later`: after others."""
        if self.sessions is None:
            self.sessions = SectionRunner(
                self.root,
                page.settings.time_limit,
                workers=self.workers,
                simulator=self.simulator,
                preload=self.preload,
                side_by_side=self.side_by_side,
            )
            _ = self.cache
        key = (page.path, device)
        if key not in self.futures:
            self.futures[key] = self._kept(page, device, self.sessions.submit(page, device, wanted, later))
        return self.futures[key]

    def _kept(self, page: Page, device: str, run: Future[Run]) -> Future[Run]:
        """The page's run, once it is kept, which spares the next build the run."""
        kept: Future[Run] = Future()

        def keep(done: Future[Run]) -> None:
            try:
                run = done.result()
                latest = self.futures.get((page.path, device), kept) is kept  # else a later version of the page runs
                if latest and not self.simulator:  # what is built shows what was recorded of it, and nothing else
                    self.cache.keep(page, device, run, self.recorded(page)[0])
                kept.set_result(run)
            except BaseException as error:
                kept.set_exception(error)

        run.add_done_callback(keep)
        return kept

    def result(self, page: Page, device: str) -> Run:
        """The page's run, waited for. Raises SessionError."""
        return wait_for(self.submit(page, device))

    def recorded(self, page: Page) -> Recorded:
        """What is recorded of a page in all environments, and why the rest cannot be read."""
        if page.path not in self.known:
            self.known[page.path] = self.folder_of(page).load(page)
        return self.known[page.path]

    def folder_of(self, page: Page) -> Recordings:
        """The folder that the page is recorded in."""
        return self.recordings.setdefault(page.settings.recordings, Recordings(self.root, page.settings.recordings))

    def write(self, page: Page, device: str, run: Run, into_page: bool = True) -> str:
        """Record a run; return a line that says what was done, or empty if that was said before.

        What the page itself says that its blocks print is written anew, too, if `into_page`. Raises RecordingError
        where something cannot be written.
        """
        if (page.path, device) in self.written or run.environment is None:
            return ""
        first_device = all(path != page.path for path, _ in self.written)
        self.written.add((page.path, device))
        where = f"{page.path} on {run.environment.folder}"
        outputs = list(zip(page.blocks, run.outputs, strict=True))
        faults = [found for block, output in outputs if output and (found := fault(block, device, output))]
        first = faults[0].splitlines()[0] if faults else ""
        if first_device and into_page:  # a fence of the page holds one text
            self._write_expected(page, device, outputs)
        if faults and page.settings.console:
            return f"not recorded: {where}, because {len(faults)} of its blocks failed, first {first}"
        unsure = {*run.unsure, *(block.index for block in page.blocks if self.simulator and block.not_simulated)}
        known, errors = self.recorded(page)
        if errors:
            raise errors[0]
        own = self.folder_of(page).own(page)
        old = next((one for one in own if one.environment.folder == run.environment.folder), None)
        new = update(old, page, run.environment, run.outputs, unsure, known)
        self.known.pop(page.path, None)
        if new is None:
            return f"{UNCHANGED}{where}"
        try:
            self.folder_of(page).save(page, new)
        except OSError as error:
            what = f"cannot be written ({error.strerror}); what was recorded before is as it was; {ADVICE}"
            path = place(Path(page.settings.recordings), page).as_posix()
            raise RecordingError(path, what) from None
        left = f", {len(unsure)} left out" if unsure else ""
        idle = sum(entry.output is None for entry in new.entries)
        left += f", {idle} of them without using {LABELS[device]}" if idle else ""
        left += f", of which {len(faults)} fail and show nothing, first {first}" if faults else ""
        return f"recorded {where}: {len(new.entries)} blocks{left}"

    def _write_expected(self, page: Page, device: str, outputs: Iterable[tuple[Block, Output | None]]) -> None:
        """Write what blocks printed into the fences of their page that say what they print; leave the rest as it is.

        Raises RecordingError, also for a page that was edited while its blocks ran.
        """
        printed = [
            (block.expected, expected_text(block, output))
            for block, output in outputs
            if block.expected
            and output
            and not fault(block, device, output)
            and unexpected(page, block, device, output)
        ]
        if not printed:
            return
        path = self.root / page.path
        try:
            if path.read_text(encoding="utf-8-sig") != page.text:
                raise RecordingError(page.path, CHANGED)
            lines = LINE.findall(path.read_bytes().decode())
            for fence, text in reversed(printed):
                first, last = (page.text.count("\n", 0, place) for place in (fence.start, fence.end))
                end = lines[first][len(lines[first].rstrip("\r\n")) :]
                lines[first + 1 : last] = [f"{line}{end}" for line in fence.lines(text)]
            write_atomically(path.resolve(), "".join(lines))  # a page may be a link to a README
        except OSError as error:
            raise RecordingError(page.path, f"cannot be written ({error.strerror}); {ADVICE}") from None

    def close(self) -> None:
        """End the processes that run pages."""
        if self.sessions is not None:
            self.sessions.close()
            self.sessions = None


def starts_programs(page: Page) -> bool:
    """Whether blocks of a page start programs: such pages run first."""
    return any(block.kind in PROGRAMS for block in page.blocks)


def sweep(root: Path, recordings: str = DEFAULTS.recordings) -> None:
    """Remove the unfinished files that a killed recording left."""
    sweep_files(root / recordings)
