"""items: goes in a page; comes out what pytest runs of it: an item for each block on each device, and one for the page.

The item of a block waits for its page's run, and judges its own block.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import pytest

from samedevice.devices import torch_build
from samedevice.errors import SameDeviceError, SessionError
from samedevice.outputs.checks import compare, fault, record_command, unexpected
from samedevice.outputs.environments import Environment, Run
from samedevice.outputs.output import VARIES, Output
from samedevice.outputs.recording_files import place
from samedevice.outputs.recordings import block_statuses
from samedevice.page_runs import PageRuns
from samedevice.pages.page import Block, Page
from samedevice.pages.parsing import parse_page
from samedevice.project import Settings

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


class BlockError(SameDeviceError):
    """What is wrong with a block."""


class PageItem(pytest.Item):
    """A page as a whole: it fails where the page or its recordings cannot be read, and pytest runs all other tests.

    An error in collecting would stop it.
    """

    def __init__(self, *, page: Page | None = None, error: SameDeviceError | None = None, **rest: Any) -> None:
        super().__init__(**rest)
        self.page = page
        self.error = error

    def runtest(self) -> None:
        """Raise what is wrong: with the page, or with its recordings."""
        job = self.config.stash[JOB]
        for error in [self.error] if self.error else job.runs.recorded(self.page)[1] if self.page else ():
            raise error

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """Show what is wrong, and nothing of our own machinery."""
        if isinstance(excinfo.value, (SameDeviceError, pytest.xfail.Exception)):
            return str(excinfo.value)  # pytest's own takes a twentieth of a second for each block that is known to fail
        return super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[str, int, str]:
        """Which page it is for."""
        return str(self.path), 0, self.name


class BlockItem(PageItem):
    """One block on one device."""

    def __init__(self, *, page: Page, block: Block, device: str, **rest: Any) -> None:
        super().__init__(page=page, **rest)
        self.page: Page = page
        self.block = block
        self.device = device
        self.job = self.config.stash[JOB]
        self.judged = False

    def runtest(self) -> None:
        """Judge the block. Raises BlockError for what is wrong with it."""
        if self.judged:  # it runs once more, as pytest-rerunfailures has it
            self.job.runs.forget_page(self.page, self.device)
        self.judged = True
        wrong = self._absent(run := self._run()) or self._wrong(run)
        if wrong:
            raise BlockError(wrong)

    def _run(self) -> Run:
        """The page's run, recorded if a person asks for that. Raises SessionError."""
        if not self.block.options.takes(torch_build().version):
            pytest.skip(f"needs {self.block.options.needed}, this is {torch_build().version}")
        try:
            return self.job.runs.result(self.page, self.device)
        except SessionError as error:
            if self.job.record:
                self._note(PROPERTY, f"not recorded: {self.page.path} on {self.device}, because {error}")
            raise

    def _note(self, key: str, text: str) -> None:
        if text:
            self.user_properties.append((key, text))

    def _absent(self, run: Run) -> str:
        """What is wrong with the machine, if it has no such device, or too few of them."""
        if run.count == 0 and self.job.asked:
            flag = f"{self.job.settings.flags}device {self.device}"
            why = NO_SIMULATOR if self.job.simulated else "is its driver too old?"
            return f"{self.block} was not run: {flag}, but torch sees no such device; {why}"
        if run.count < self.block.options.count:
            pytest.skip(f"needs {self.block.options.count} {self.device}, this machine has {run.count}")
        return ""

    def _wrong(self, run: Run) -> str:
        """What is wrong with the block's output; empty if nothing is."""
        page, block, device, record = self.page, self.block, self.device, self.job.record
        if record:
            self._note(PROPERTY, self.job.runs.write(page, device, run))
        recorded = self.job.runs.recorded(page)[0]
        known = [one.output for one in block_statuses(page, block.index, device, recorded, self.job.simulated)]
        why = run.unsure.get(block.index) or (block.not_simulated if self.job.simulated else "")
        if why and any(known) and not record:
            command = record_command(page, device, simulated=True)
            return f"{block}: its output is recorded on {device}, simulated, but {why}; run {command}"
        if why:
            pytest.skip(f"not simulated: {why}")
        output = run.outputs[block.index]
        if output is None or run.environment is None:
            return f"{block} was not run on {device}"
        if not page.settings.console and any(one and one.died == VARIES for one in known):
            pytest.skip(VARIES)
        found = fault(block, device, output)
        if found and not page.settings.console and (record or any(one and fault(block, device, one) for one in known)):
            pytest.xfail(found.splitlines()[0])
        if found or record:
            return found
        return unexpected(page, block, device, output) or self._compared(run.environment, output)

    def _compared(self, here: Environment, output: Output) -> str:
        """How an output disagrees with what is recorded; empty if it agrees. Raises RecordingError."""
        recordings, errors = self.job.runs.recorded(self.page)
        for error in errors:
            raise error
        verdict = compare(self.page, self.block, here, output, recordings)
        self._note(MATCHED, verdict.matched.folder if verdict.matched else "")
        return verdict.wrong

    def reportinfo(self) -> tuple[str, int, str]:
        """Where the block stands."""
        return str(self.path), self.block.line - 1, self.name


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
        for device in job.devices:
            begin = f"{device}-simulated" if job.simulated else device
            for block in (block for block in page.blocks if block.runs_on(device)):
                name = f"{begin}-{block.index + 1:02d}-line-{block.line}"
                yield BlockItem.from_parent(self, name=name, page=page, block=block, device=device)
        if not job.record and place(root / job.settings.recordings, page).exists():
            yield PageItem.from_parent(self, name="recordings", page=page)
