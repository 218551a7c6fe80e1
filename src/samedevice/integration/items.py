"""items: what pytest collects on a page: its blocks on each device, and its recordings from other machines.

Sybil makes an example of each block, and evaluates it. An item waits for its page's run and judges its own block.
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
from samedevice.outputs.environments import Run
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
        self.device = device
        self.job = job

    def identify(self, example: Example) -> str:
        """Name an item by device, block and line."""
        device = f"{self.device}-simulated" if self.job.simulated else self.device
        return f"{device}-{example.parsed.index + 1:02d}-line-{example.line}"

    def evaluate(self, example: Example) -> str | None:
        """Judge one block: what is wrong with it, or None."""
        page, block = example.namespace["page"], example.parsed
        if not block.options.takes(torch_build().version):
            pytest.skip(f"needs {block.options.needed}, this is {torch_build().version}")
        run = self._run(example, page)
        if run.count == 0 and self.job.asked:
            flag = f"{self.job.settings.flags}device {self.device}"
            why = NO_SIMULATOR if self.job.simulated else "is its driver too old?"
            return f"{block} was not run: {flag}, but torch sees no such device; {why}"
        if run.count < block.options.count:
            pytest.skip(f"needs {block.options.count} {self.device}, this machine has {run.count}")
        example.namespace["said"] = self.job.runs.write(page, self.device, run) if self.job.record else ""
        why = run.unsure.get(block.index) or (block.not_simulated if self.job.simulated else "")
        if why:
            return self._left_out(page, block, why)
        output = run.outputs[block.index]
        if output is None or run.environment is None:
            return f"{block} was not run on {self.device}"
        if self._varies(page, block):
            pytest.skip(VARIES)
        found = fault(block, self.device, output)
        if found and self._expected(page, example.parsed):
            pytest.xfail(found.splitlines()[0])
        if found or self.job.record:
            return found or None
        return unexpected(page, block, self.device, output) or self._compare(example, page, run, output)

    def _expected(self, page: Page, block: Block) -> bool:
        """Whether it is known, or is recorded now, that a block fails."""
        recordings, _ = self.job.runs.recorded(page)
        statuses = block_statuses(page, block.index, self.device, recordings, self.job.simulated)
        return not page.settings.console and (self.job.record or fails_as_known(block, self.device, statuses))

    def _varies(self, page: Page, block: Block) -> bool:
        """Whether it is recorded that a block prints something else each time; where all blocks count, none may."""
        if page.settings.console:
            return False
        recordings, _ = self.job.runs.recorded(page)
        statuses = block_statuses(page, block.index, self.device, recordings, self.job.simulated)
        return any(one.output and one.output.died == VARIES for one in statuses)

    def _left_out(self, page: Page, block: Block, why: str) -> str:
        """What is wrong with an output that is not taken: something was recorded for it. Else the block is skipped."""
        recordings, _ = self.job.runs.recorded(page)
        statuses = block_statuses(page, block.index, self.device, recordings, simulated=True)
        if not self.job.record and any(one.output for one in statuses):
            command = record_command(page, self.device, simulated=True)
            return f"{block}: its output is recorded on {self.device}, simulated, but {why}; run {command}"
        pytest.skip(f"not simulated: {why}")

    def _compare(self, example: Example, page: Page, run: Run, output: Output) -> str | None:
        """How an output disagrees with what is recorded, or None. Raises RecordingError."""
        assert run.environment is not None
        recordings, errors = self.job.runs.recorded(page)
        verdict = compare(page, example.parsed, run.environment, output, recordings)
        if errors:
            raise errors[0]
        if verdict.matched:
            example.namespace["matched"] = verdict.matched.folder
        return verdict.wrong or None

    def _run(self, example: Example, page: Page) -> Run:
        try:
            return self.job.runs.result(page, self.device)
        except SessionError as error:
            if self.job.record:
                example.namespace["said"] = f"not recorded: {page.path} on {self.device}, because {error}"
            raise


class BlockItem(SybilItem):
    """One block on one device."""

    def __init__(self, parent: PageFile, sybil: PageSybil, example: Example, page: Page) -> None:
        super().__init__(parent, sybil, example)
        self.page = page
        self.device = sybil.device
        self.index: int = example.parsed.index

    def _initrequest(self) -> None:
        """Have the page run anew: pytest calls this before an item runs once more, as for pytest-rerunfailures."""
        self.request_fixtures(self.fixturenames)  # type: ignore[no-untyped-call]
        self.config.stash[JOB].runs.forget_page(self.page, self.device)

    def runtest(self) -> None:
        """Judge the block."""
        try:
            super().runtest()
        finally:
            for key, name in ((PROPERTY, "said"), (MATCHED, "matched")):
                if self.example.namespace.get(name):
                    self.user_properties.append((key, self.example.namespace.pop(name)))

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
    """What is known of a page as a whole."""

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """Show what is wrong, and nothing of our own machinery."""
        if isinstance(excinfo.value, SameDeviceError):
            return str(excinfo.value)
        return super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[str, int, str]:
        """Which page it is for."""
        return str(self.path), 0, self.name


class RecordingItem(PageItem):
    """The recordings of a page: whether they can be read, and are as they were written."""

    def __init__(self, *, page: Page, **rest: Any) -> None:
        super().__init__(**rest)
        self.page = page

    def runtest(self) -> None:
        """Read them. Raises RecordingError for what was changed by hand."""
        for error in self.config.stash[JOB].runs.recorded(self.page)[1]:
            raise error


class RefusedItem(PageItem):
    """A page that cannot be read. It fails, and pytest runs all other tests: an error in collecting would stop it."""

    def __init__(self, *, error: SameDeviceError, **rest: Any) -> None:
        super().__init__(**rest)
        self.error = error

    def runtest(self) -> None:
        """Raise what is wrong with the page."""
        raise self.error


class PageFile(pytest.File):
    """A page: its blocks on the devices that are here, its recordings from those that are not."""

    def collect(self) -> Iterator[pytest.Item]:
        """Yield the items of each device in turn."""
        job, root = self.config.stash[JOB], self.config.rootpath
        try:
            page = parse_page(self.path, root, settings=job.settings)
        except SameDeviceError as error:
            yield RefusedItem.from_parent(self, name="page", error=error)
            return
        job.pages[page.path] = page
        for device in job.devices if page.blocks else ():
            yield from self._blocks(page, device, job)
        if not job.record and place(root / job.settings.recordings, page).exists():
            yield RecordingItem.from_parent(self, name="recordings", page=page)

    def _blocks(self, page: Page, device: str, job: Job) -> Iterator[pytest.Item]:
        sybil = PageSybil(page, device, job)
        document = sybil.parse(self.path)
        document.namespace["page"] = page
        for example in document.examples():
            if example.parsed.runs_on(device):
                yield BlockItem.from_parent(self, sybil=sybil, example=example, page=page)
