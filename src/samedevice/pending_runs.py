"""PendingRuns: the runs that the builds of a site ask for, from when a page is read until its outputs are known."""

from __future__ import annotations

import importlib.util
import re
from collections.abc import Callable, Iterable
from concurrent.futures import Future
from dataclasses import dataclass, field, replace

from samedevice.devices import torch_build
from samedevice.outputs.cache import as_recording
from samedevice.outputs.checks import known
from samedevice.outputs.environments import Run
from samedevice.outputs.output import Output
from samedevice.outputs.recording_files import file_hash
from samedevice.outputs.recordings import Recording, block_statuses
from samedevice.page_runs import PageRuns
from samedevice.pages.page import Block, Page
from samedevice.running.threads import wait_for

MISSING = re.compile(r"No module named '(\w+)")
"""The message about a module that is not installed."""


@dataclass
class PendingRun:
    """The run of a page on a device."""

    page: Page
    device: str
    kept: Recording | None
    """What was known before."""
    waits: bool
    """Whether a build waits for it; if not, until it is done the build shows what was known before."""
    future: Future[Recording | None] = field(default_factory=Future)
    """What is known after it."""
    lacking: tuple[str, ...] = ()
    """The modules that it needs and that are not installed: what needs them was left out."""

    @property
    def hashes(self) -> tuple[str | None, ...]:
        """What decides its outputs: two runs with the same hashes are one."""
        return self.page.hashes(self.device, torch_build().version)

    def recording(self) -> Recording | None:
        """What is known of the page's outputs here; waits for it, if builds do. Raises SessionError."""
        return wait_for(self.future) if self.waits or self.future.done() else self.kept


class PendingRuns:
    """The runs of one build after another; `report` is called with a line for each page that was run.

    If `later`, the first build waits for no run: `begin` has the rest run in the background. Then what a run printed is
    shown until its page changes, and what needs a module that is not installed is left out.
    """

    def __init__(self, runs: PageRuns, devices: Iterable[str], report: Callable[[str], None], later: bool) -> None:
        self.runs = runs
        self.devices = tuple(devices)
        self.report = report
        self.serves = later
        self.later = later
        self.found: dict[tuple[str, str], PendingRun] = {}

    def start(self, pages: Iterable[Page]) -> None:
        """Begin to run what is not cached, and what changed since the build before."""
        self.runs.forget()
        found = {}
        for page in pages:
            for device in self.devices:
                if any(block.runs_on(device) for block in page.blocks):
                    found[page.path, device] = self._started(page, device, self.found.get((page.path, device)))
        self.found = found  # at once, since threads that end runs read it
        self.later = False

    def _started(self, page: Page, device: str, before: PendingRun | None) -> PendingRun:
        kept = self.runs.cache.find(page, device)
        run = PendingRun(page, device, kept, waits=not self.later)
        if self.serves and before is not None and before.hashes == run.hashes and not self._changed(before):
            before.page = page
            return before
        if not self._missing(page, device):
            run.future.set_result(kept)
        elif not self.later:
            self._submit(run)
        return run

    def _changed(self, run: PendingRun) -> bool:
        """Whether a file that a block of a run read has other content now."""
        found = run.recording() if run.future.done() and not run.future.exception() else run.kept
        files = {file for entry in (found.entries if found else ()) for file in entry.read}
        return any(file_hash(self.runs.root / path) != hash for path, hash in files)

    def begin(self, done: Callable[[PendingRun], None]) -> list[PendingRun]:
        """Run what the first build did not wait for; return these runs. `done` is called for each at its end."""
        waiting = [run for run in self.found.values() if not run.waits and not run.future.done()]
        for run in waiting:
            run.future.add_done_callback(lambda _, run=run: done(run))  # type: ignore[misc]
            self._submit(run)
        return waiting

    def _missing(self, page: Page, device: str) -> set[int]:
        """The blocks that have to run, by index. One that is recorded to fail is shown without an output anyway."""
        recordings, failing = self.runs.recorded(page)[0], set[int]()
        if not page.settings.console:
            for block in page.blocks:
                if known(block, device, block_statuses(page, block.index, device, recordings)):
                    failing.add(block.index)
        return self.runs.cache.missing(page, device, failing)

    def _submit(self, run: PendingRun) -> None:
        missing = self._missing(run.page, run.device)

        def finish(done: Future[Run]) -> None:
            try:
                run.future.set_result(self._finished(run, done.result()))
            except BaseException as error:
                run.future.set_exception(error)

        self.runs.submit(run.page, run.device, missing, later=not run.waits).add_done_callback(finish)

    def _finished(self, pending: PendingRun, run: Run) -> Recording | None:
        page, device = pending.page, pending.device
        if self.serves:
            run, pending.lacking = without_lacking(page, device, run)
        found = as_recording(page, run, self.runs.cache.find(page, device), self.runs.recorded(page)[0])
        if run.environment is not None and pending.waits:
            count = sum(output is not None for output in run.outputs)
            self.report(f"ran {page.path} on {device}: {count} blocks, {run.seconds:.1f} s")
        return found

    def recording(self, page: Page, device: str) -> Recording | None:
        """What is known of a page's outputs on a device of this machine; None if nothing. Raises SessionError."""
        run = self.found.get((page.path, device))
        return run.recording() if run else None

    def of(self, page: Page) -> list[PendingRun]:
        """The runs of a page, one for each device."""
        return [run for (path, _), run in self.found.items() if path == page.path]


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
