"""PageRuns: runs the pages of a project, each at most once a device, for pytest and for builds."""

from __future__ import annotations

import importlib.util
import re
from collections.abc import Callable, Collection, Iterable, Mapping
from concurrent.futures import Future
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from pathlib import Path

from samedevice.devices import DEVICES, Simulator, torch_build
from samedevice.outputs import record
from samedevice.outputs.checks import fails_as_known
from samedevice.outputs.environments import Run
from samedevice.outputs.output import Output
from samedevice.outputs.record import OutputCache, as_recording
from samedevice.outputs.recording_files import Recorded, Recordings, file_hash
from samedevice.outputs.recordings import Recording, block_statuses
from samedevice.pages.page import Block, Page
from samedevice.running.section_runner import SectionRunner, wait_for
from samedevice.weaving.shown import Known

PROGRAMS = ("console", "program")
"""The kinds of block that start programs: each imports PyTorch anew. Their pages run first, since they take longest."""
MISSING = re.compile(r"No module named '(\w+)")
"""The message about a module that is not installed."""


@dataclass(eq=False)
class PageRun:
    """The run of a page on a device."""

    page: Page
    device: str
    kept: Recording | None = None
    """What was known of its outputs before."""
    needed: bool = True
    """Whether it has to run: not all was known."""
    waits: bool = True
    """Whether a build waits for it; if not, until it is done the build shows what was known before."""
    future: Future[Run] | None = None
    """What comes of it, once it has begun."""
    found: Recording | None = None
    """What is known of its outputs after it, for a build."""
    lacking: tuple[str, ...] = ()
    """The modules that it needs and that are not installed: what needs them was left out."""

    @property
    def hashes(self) -> tuple[str | None, ...]:
        """What decides its outputs: two runs with the same hashes are one."""
        return self.page.hashes(self.device, torch_build().version)

    @property
    def done(self) -> bool:
        """Whether nothing of it is still to run."""
        return self.future.done() if self.future else not self.needed

    def result(self) -> Run:
        """What came of it, waited for. Raises SessionError."""
        assert self.future is not None
        return wait_for(self.future)

    def recording(self) -> Recording | None:
        """What is known of the page's outputs here; waits for it, if builds do. Raises SessionError."""
        if not self.future or not (self.waits or self.future.done()):
            return self.kept
        self.result()
        return self.found


@dataclass(eq=False)
class PageRuns:
    """The runs of a project's pages. Call `close` at the end.

    pytest starts them by `start`, a build by `build`. A later build runs what changed since.
    """

    root: Path
    """The repository root."""
    simulator: Simulator | None = None
    """What simulates the device."""
    preload: Collection[str] = ()
    """Modules to import once for all pages."""
    workers: int | None = None
    """How many sections the CPU runs at once; None: one a core."""
    devices: tuple[str, ...] = ()
    """Those that builds run pages on; with none of them, what is shown is what was recorded."""
    report: Callable[[str], None] = field(default=lambda line: None)
    """Called with a line for each page that a build has run."""
    ends: Mapping[tuple[str, str], Mapping[int, Output]] = field(default_factory=dict)
    """What blocks did that ended their process, by page and device: like those that are recorded, they are not run."""
    serves: bool = False
    """Whether the first build waits for no run, and `run_rest` has the rest run in the background. Then what a run
    printed is shown until its page changes, and what needs a module that is not installed is left out."""

    def __post_init__(self) -> None:
        self.sessions: SectionRunner | None = None
        self.runs: dict[tuple[str, str], PageRun] = {}
        self.written: set[tuple[str, str]] = set()
        self.later = self.serves
        self._recorded: dict[str, Recorded] = {}
        self._files: dict[str, Recordings] = {}

    @cached_property
    def cache(self) -> OutputCache:
        """What earlier runs printed."""
        return OutputCache(self.root)

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

    def submit(self, page: Page, device: str, wanted: Collection[int] | None = None) -> PageRun:
        """Begin to run these blocks of a page, by index, all if None, unless it runs already."""
        key = (page.path, device)
        if key not in self.runs:
            self.runs[key] = PageRun(page, device)
            self._begin(self.runs[key], wanted)
        return self.runs[key]

    def result(self, page: Page, device: str) -> Run:
        """The page's run, waited for. Raises SessionError."""
        return self.submit(page, device).result()

    def forget_page(self, page: Page, device: str) -> None:
        """Run this page anew on this device: what it printed was not right, and may be the next time."""
        self.runs.pop((page.path, device), None)
        self.written.discard((page.path, device))

    def build(self, pages: Iterable[Page]) -> None:
        """Begin to run what is not cached, and what changed since the build before; read recordings anew."""
        self._recorded, self._files, self.written = {}, {}, set()
        found = dict[tuple[str, str], PageRun]()
        for page in pages:
            for device in self.devices:
                if any(block.runs_on(device) for block in page.blocks):
                    found[page.path, device] = self._for_build(page, device)
        self.runs = found  # at once, since threads that end runs read it
        self.later = False

    def _for_build(self, page: Page, device: str) -> PageRun:
        run, before = PageRun(page, device, waits=not self.later), self.runs.get((page.path, device))
        if self.serves and before and before.hashes == run.hashes and not self._changed(before):
            before.page = page
            return before
        self.runs[page.path, device] = run
        run.kept, missing = self.cache.find(page, device), self._missing(page, device)
        run.needed = bool(missing)
        if run.needed and run.waits:
            self._begin(run, missing)
        return run

    def _changed(self, run: PageRun) -> bool:
        """Whether a file that a block of a run read has other content now."""
        found = run.found if run.found and run.done else run.kept
        files = {file for entry in (found.entries if found else ()) for file in entry.read}
        return any(file_hash(self.root / path) != hash for path, hash in files)

    def _missing(self, page: Page, device: str) -> set[int]:
        """The blocks that have to run, by index. One that is recorded to fail is shown without an output anyway."""
        recordings, failing = self.recorded(page)[0], set[int]()
        if not page.settings.console:
            for block in page.blocks:
                if fails_as_known(block, device, block_statuses(page, block.index, device, recordings)):
                    failing.add(block.index)
        return self.cache.missing(page, device, failing)

    def run_rest(self, done: Callable[[PageRun], None]) -> list[PageRun]:
        """Run in the background what the first build did not wait for; `done` is called for each run at its end."""
        waiting = [run for run in self.runs.values() if run.needed and run.future is None]
        for run in waiting:
            future = self._begin(run, self._missing(run.page, run.device))
            future.add_done_callback(lambda _, run=run: done(run))  # type: ignore[misc]
        return waiting

    def _begin(self, run: PageRun, wanted: Collection[int] | None) -> Future[Run]:
        if self.sessions is None:
            self.sessions = SectionRunner(
                self.root,
                run.page.settings.time_limit,
                workers=self.workers,
                simulator=self.simulator,
                preload=self.preload,
            )
            _ = self.cache  # before threads that end runs ask for it
        ends = self._ends(run.page, run.device)
        end = partial(self._ended, run, ends)
        run.future = self.sessions.submit(run.page, run.device, wanted, later=not run.waits, ended=ends, end=end)
        return run.future

    def _ends(self, page: Page, device: str) -> dict[int, Output]:
        """What is known of blocks that ended their process as they now are: nobody waits for one that hangs again."""
        found = dict(self.ends.get((page.path, device), {}))
        recordings = () if page.settings.console else self.recorded(page)[0]
        for block in page.blocks if recordings else ():
            statuses = block_statuses(page, block.index, device, recordings, self.simulator is not None)
            for output in (one.output for one in statuses if one.output and one.output.ended):
                found[block.index] = output
        return found

    def _ended(self, own: PageRun, ends: Mapping[int, Output], run: Run) -> Run:
        """Keep what came of a run, which spares the next build the run. A thread that runs sections calls this."""
        page, device, recorded = own.page, own.device, self.recorded(own.page)[0]
        run = replace(run, outputs=tuple(ends.get(index, output) for index, output in enumerate(run.outputs)))
        latest = self.runs.get((page.path, device), own) is own  # else a later version of the page runs
        if latest and not self.simulator:  # what is built shows what was recorded of it, and nothing else
            self.cache.keep(page, device, run, recorded)
        if not self.devices:
            return run
        if self.serves:
            run, own.lacking = without_lacking(page, device, run)
        own.found = as_recording(page, run, own.kept, recorded)
        if run.environment is not None and own.waits:
            count = sum(output is not None for output in run.outputs)
            self.report(f"ran {page.path} on {device}: {count} blocks, {run.seconds:.1f} s")
        return run

    def of(self, page: Page) -> list[PageRun]:
        """The runs of a page, one for each device."""
        return [run for (path, _), run in self.runs.items() if path == page.path]

    def recorded(self, page: Page) -> Recorded:
        """What is recorded of a page in all environments, and why the rest cannot be read."""
        if page.path not in self._recorded:
            self._recorded[page.path] = self.files(page).load(page)
        return self._recorded[page.path]

    def files(self, page: Page) -> Recordings:
        """The folder that the page is recorded in."""
        return self._files.setdefault(page.settings.recordings, Recordings(self.root, page.settings.recordings))

    def known(self, page: Page, here: Mapping[str, Recording | None] | None = None) -> Known:
        """What is known of a page's outputs; waits for what still runs, if builds do. Raises SessionError.

        `here` is what this machine printed on each device, where that is given.
        """
        here = {run.device: run.recording() for run in self.of(page)} if here is None else here
        return Known(page, {device: here.get(device) for device in DEVICES}, *self.recorded(page), bool(self.devices))

    def write(self, page: Page, device: str, run: Run, into_page: bool = True) -> str:
        """Record a run; return a line that says what was done, or empty if that was said before.

        What the page itself says that its blocks print is written anew, too, if `into_page`. Raises RecordingError
        where something cannot be written.
        """
        if (page.path, device) in self.written or run.environment is None:
            return ""
        first_device = all(path != page.path for path, _ in self.written)
        self.written.add((page.path, device))
        if first_device and into_page:  # a fence of the page holds one text
            record.write_expected(page, run, self.root)
        said = record.record(page, run, self.files(page), self.recorded(page), self.simulator is not None)
        self._recorded.pop(page.path, None)
        return said

    def close(self) -> None:
        """End the processes that run pages."""
        if self.sessions is not None:
            self.sessions.close()
            self.sessions = None


def starts_programs(page: Page) -> bool:
    """Whether blocks of a page start programs: such pages run first."""
    return any(block.kind in PROGRAMS for block in page.blocks)


def without_lacking(page: Page, device: str, run: Run) -> tuple[Run, tuple[str, ...]]:
    """The run without what needs a module that is not installed, and the names of these modules."""
    outputs, lacking = list(run.outputs), []
    for _, blocks in page.units:
        for number, block in enumerate(blocks):
            name = _lacking(block, device, outputs[block.index])
            if name:
                lacking.append(name)
                for later in blocks[number:]:
                    outputs[later.index] = None
                break
    return replace(run, outputs=tuple(outputs)), tuple(dict.fromkeys(lacking))


def _lacking(block: Block, device: str, output: Output | None) -> str:
    """The module that a block lacks to its author's surprise; empty if it lacks none, or if that is there now."""
    raised = output.raised if output else None
    if raised is None or raised.type != "ModuleNotFoundError" or raised.is_a(block.options.raises_on(device)):
        return ""
    match = MISSING.match(raised.message)
    return match[1] if match and importlib.util.find_spec(match[1]) is None else ""
