"""items: goes in a page; comes out what pytest runs of it: an item for each block on each device, and one for the page.

Sybil makes an example of each block, and evaluates it: that waits for the page's run, and judges the block.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import pytest
from sybil import Document, Example, Region, Sybil
from sybil.example import SybilFailure
from sybil.integration.pytest import SybilItem
from sybil.typing import Evaluator

from samedevice.devices import torch_build
from samedevice.errors import SameDeviceError, SessionError
from samedevice.outputs.checks import compare, fails_as_known, fault, record_command, unexpected
from samedevice.outputs.environments import Environment, Run
from samedevice.outputs.output import VARIES, Output
from samedevice.outputs.recording_files import place
from samedevice.outputs.recordings import block_statuses
from samedevice.page_runs import PageRuns
from samedevice.pages.page import Block, Page
from samedevice.pages.parsing import parse_page
from samedevice.project import NOTEBOOK, Settings

PROPERTY = "samedevice"
"""The property of an item's report that holds what was recorded."""
NO_SIMULATOR = "install its simulator with pip: on PYTHONPATH alone it does not start"
MATCHED = "samedevice-matched"
"""The one that holds the environment whose output was the same."""


@dataclass(frozen=True)
class Job:
    """What this run of pytest does."""

    runs: PageRuns
    """What runs the pages."""
    devices: tuple[str, ...]
    """The kinds of device that blocks run on."""
    record: bool
    """Whether outputs are recorded, not compared."""
    asked: bool
    """Whether a person asked for these devices."""
    settings: Settings
    """What the project says about itself."""
    pages: dict[str, Page] = field(default_factory=dict)
    """The pages that were collected, by their paths."""

    @property
    def simulated(self) -> bool:
        """Whether the device is a simulated one."""
        return self.runs.simulator is not None


JOB = pytest.StashKey["Job"]()


def regions(page: Page, evaluator: Evaluator, document: Document) -> Iterator[Region]:
    """A Sybil parser for a page that is parsed already: a region for each block."""
    for block in page.blocks:
        yield Region(block.fence.start, block.fence.end, block, evaluator)


class PageSybil(Sybil):
    """Sybil for one page on one device."""

    def __init__(self, page: Page, device: str, job: Job) -> None:
        types: dict[str | None, type[Document]] = {NOTEBOOK: Document}  # Sybil would read the docstrings alone
        super().__init__([partial(regions, page, self.evaluate)], encoding="utf-8-sig", document_types=types)
        self.page = page
        self.device = device
        self.job = job
        self.notes: list[tuple[str, str]] = []
        """What the last block's item reports beside its outcome."""

    def identify(self, example: Example) -> str:
        """Name an item by device, block and line."""
        device = f"{self.device}-simulated" if self.job.simulated else self.device
        return f"{device}-{example.parsed.index + 1:02d}-line-{example.line}"

    def evaluate(self, example: Example) -> str | None:
        """Judge one block: what is wrong with it, or None. Raises SessionError and RecordingError."""
        block: Block = example.parsed
        if not block.options.takes(torch_build().version):
            pytest.skip(f"needs {block.options.needed}, this is {torch_build().version}")
        try:
            run = self.job.runs.result(self.page, self.device)
        except SessionError as error:
            if self.job.record:
                self.notes.append((PROPERTY, f"not recorded: {self.page.path} on {self.device}, because {error}"))
            raise
        if run.count == 0 and self.job.asked:
            flag = f"{self.job.settings.flags}device {self.device}"
            why = NO_SIMULATOR if self.job.simulated else "is its driver too old?"
            return f"{block} was not run: {flag}, but torch sees no such device; {why}"
        if run.count < block.options.count:
            pytest.skip(f"needs {block.options.count} {self.device}, this machine has {run.count}")
        return self._wrong(block, run) or None

    def _wrong(self, block: Block, run: Run) -> str:
        """What is wrong with a block that ran; empty if nothing is."""
        page, device, record = self.page, self.device, self.job.record
        if record:
            self.notes.append((PROPERTY, self.job.runs.write(page, device, run)))
        statuses = block_statuses(page, block.index, device, self.job.runs.recorded(page)[0], self.job.simulated)
        why = run.unsure.get(block.index) or (block.not_simulated if self.job.simulated else "")
        if why and not record and any(one.output for one in statuses):
            command = record_command(page, device, simulated=True)
            return f"{block}: its output is recorded on {device}, simulated, but {why}; run {command}"
        if why:
            pytest.skip(f"not simulated: {why}")
        output = run.outputs[block.index]
        if output is None or run.environment is None:
            return f"{block} was not run on {device}"
        may_fail = not page.settings.console
        if may_fail and any(one.output and one.output.died == VARIES for one in statuses):
            pytest.skip(VARIES)
        found = fault(block, device, output)
        if found and may_fail and (record or fails_as_known(block, device, statuses)):
            pytest.xfail(found.splitlines()[0])
        if found or record:
            return found
        return unexpected(page, block, device, output) or self._compared(block, run.environment, output)

    def _compared(self, block: Block, here: Environment, output: Output) -> str:
        """How an output disagrees with what is recorded; empty if it agrees. Raises RecordingError."""
        recordings, errors = self.job.runs.recorded(self.page)
        for error in errors:
            raise error
        verdict = compare(self.page, block, here, output, recordings)
        if verdict.matched:
            self.notes.append((MATCHED, verdict.matched.folder))
        return verdict.wrong


class BlockItem(SybilItem):
    """One block on one device."""

    def __init__(self, parent: PageFile, sybil: PageSybil, example: Example) -> None:
        super().__init__(parent, sybil, example)
        self.page = sybil.page
        self.device = sybil.device
        self.index: int = example.parsed.index
        self.notes = sybil.notes

    def _initrequest(self) -> None:
        """Have the page run anew: pytest calls this before an item runs once more, as for pytest-rerunfailures."""
        self.request_fixtures(self.fixturenames)  # type: ignore[no-untyped-call]
        self.config.stash[JOB].runs.forget_page(self.page, self.device)

    def runtest(self) -> None:
        """Judge the block."""
        self.notes.clear()
        try:
            super().runtest()
        finally:
            self.user_properties += (note for note in self.notes if note[1])

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """Show what is wrong, and nothing of our own machinery."""
        if isinstance(excinfo.value, SybilFailure):
            return excinfo.value.result
        if isinstance(excinfo.value, (SameDeviceError, pytest.xfail.Exception)):
            return str(excinfo.value)  # pytest's own takes a twentieth of a second for each block that is known to fail
        return super().repr_failure(excinfo, style)

    def _traceback_filter(self, excinfo: pytest.ExceptionInfo[BaseException]) -> Any:
        """All of it: what fails here is not the page. Sybil's fails for a cause with one frame, which ends pytest."""
        return pytest.Item._traceback_filter(self, excinfo)

    def reportinfo(self) -> tuple[str, int, str]:
        """Where the block stands."""
        return self.example.path, self.example.line - 1, self.name


class PageItem(pytest.Item):
    """A page as a whole: it fails where the page or its recordings cannot be read, and pytest runs all other tests.

    An error in collecting would stop it.
    """

    def __init__(self, *, page: Page | None = None, error: SameDeviceError | None = None, **rest: Any) -> None:
        super().__init__(**rest)
        self.page = page
        self.error = error

    def runtest(self) -> None:
        """Raise what is wrong with the page, or with its recordings."""
        if self.error:
            raise self.error
        for error in self.config.stash[JOB].runs.recorded(self.page)[1] if self.page else ():
            raise error

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """Show what is wrong, and nothing of our own machinery."""
        if isinstance(excinfo.value, SameDeviceError):
            return str(excinfo.value)
        return super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[str, int, str]:
        """Which page it is for."""
        return str(self.path), 0, self.name


class PageFile(pytest.File):
    """A page: its blocks on the devices that are here, its recordings from those that are not."""

    def collect(self) -> Iterator[pytest.Item]:
        """Yield the items of each device in turn."""
        job, root = self.config.stash[JOB], self.config.rootpath
        try:
            page = parse_page(self.path, root, settings=job.settings)
        except SameDeviceError as error:
            yield PageItem.from_parent(self, name="page", error=error)
            return
        job.pages[page.path] = page
        for device in job.devices if page.blocks else ():
            sybil = PageSybil(page, device, job)
            for example in sybil.parse(self.path).examples():
                if example.parsed.runs_on(device):
                    yield BlockItem.from_parent(self, sybil=sybil, example=example)
        if not job.record and place(root / job.settings.recordings, page).exists():
            yield PageItem.from_parent(self, name="recordings", page=page)
