"""The pytest plugin: every block of every page on every device is an item; `--device` and `--record`.

Sybil parses the pages and evaluates each block. Pages are run ahead in the background, several at once; an item waits
for its page's run and judges its own block.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from sybil import Document, Example, Sybil
from sybil.example import SybilFailure
from sybil.integration.pytest import SybilItem

from samedevice.devices import DEVICES, made_by, made_with, present_devices, torch_build, why_absent
from samedevice.errors import RecordingError, SameDeviceError, SessionError
from samedevice.integration.summary import elsewhere, matched_with, outdated, readable, recorded
from samedevice.outputs.checks import compare, damaged, fault
from samedevice.outputs.environments import Run
from samedevice.outputs.orphans import orphans
from samedevice.outputs.output import Output
from samedevice.outputs.recording_files import paths
from samedevice.pages.page import Page
from samedevice.pages.parsing import BlockParser, parse_page
from samedevice.pages.programs import pages_for
from samedevice.project import HOME, NOTEBOOK, PAGES, Settings
from samedevice.runs import Runs, sweep

PROPERTY = "samedevice"
MATCHED = "samedevice-matched"


@dataclass(frozen=True)
class Job:
    """What this run of pytest does."""

    runs: Runs
    """What runs the pages."""
    devices: tuple[str, ...]
    """The kinds of device that blocks run on."""
    record: bool
    """Whether outputs are recorded, not compared."""
    asked: bool
    """Whether a person asked for these devices."""
    settings: Settings
    """What the project says about itself."""


JOB = pytest.StashKey["Job"]()
SETTINGS = pytest.StashKey[Settings]()
"""What a project says about itself; without it, pytest runs in this site's repository."""


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add --device and --record."""
    group = parser.getgroup("samedevice", "Same Device")
    add_options(group, HOME.flags)


def add_options(group: pytest.OptionGroup, flags: str) -> None:
    """Add the two options; `flags` begins their names."""
    about = "run the pages' blocks on this device only; may be given twice (default: all that this machine has)"
    group.addoption(f"{flags}device", dest="samedevice_device", action="append", choices=DEVICES, help=about)
    about = "write what the blocks print to the folder of recordings"
    group.addoption(f"{flags}record", dest="samedevice_record", action="store_true", help=about)


def pytest_configure(config: pytest.Config) -> None:
    """Make the one object that runs pages; have a page that cannot be read not keep the others from being recorded."""
    present, record = present_devices(), bool(config.option.samedevice_record)
    settings = config.stash.get(SETTINGS, HOME)
    devices = tuple(dict.fromkeys(config.option.samedevice_device or present))
    absent = [device for device in devices if device not in present]
    if absent:
        has = f"this machine has {', '.join(present)}; nothing was run or recorded"
        raise pytest.UsageError(f"{settings.flags}device {absent[0]}: {why_absent(absent[0])} ({has})")
    if record:
        config.option.continue_on_collection_errors = True
        sweep(config.rootpath, settings.recordings)
    config.args[:] = _with_pages(config.args, config.rootpath, config.invocation_params.dir, settings)
    job = Job(Runs(config.rootpath), devices, record, asked=bool(config.option.samedevice_device), settings=settings)
    config.stash[JOB] = job


def _with_pages(args: list[str], root: Path, here: Path, settings: Settings) -> list[str]:
    """Arguments with the pages that run a program in place of the program: it has no tests but them."""
    programs = {arg: path for arg in args if (path := (here / arg).resolve()).is_relative_to(root / settings.programs)}
    for arg, path in programs.items():
        if path.exists() and not pages_for([path], root, settings):
            raise pytest.UsageError(f"{arg}: no page runs it; name a page, or add the program to one by file=")
    pages = pages_for(programs.values(), root, settings) if programs else []
    return [arg for arg in args if arg not in programs] + [str(root / page) for page in pages]


def pytest_unconfigure(config: pytest.Config) -> None:
    """End the processes."""
    if JOB in config.stash:
        config.stash[JOB].runs.close()


def pytest_report_header(config: pytest.Config) -> str:
    """Say on which devices blocks run, and with which PyTorch."""
    return f"same device: {', '.join(config.stash[JOB].devices)}, {made_with()}"


@pytest.hookimpl(wrapper=True)
def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> Generator[None, list[Any], list[Any]]:
    """Collect the pages of the documentation, and as nothing else: pytest would import a notebook that it is given."""
    others = yield
    root, settings = parent.config.rootpath, parent.config.stash[JOB].settings
    if file_path.is_relative_to(root) and settings.is_page(file_path.relative_to(root).as_posix()):
        return [PageFile.from_parent(parent, path=file_path)]
    return others


def pytest_collection_finish(session: pytest.Session) -> None:
    """Begin to run what the selected items need, unless other processes of pytest-xdist share the work."""
    if not hasattr(session.config, "workerinput") and not session.config.option.collectonly:
        job, items = session.config.stash[JOB], [item for item in session.items if isinstance(item, BlockItem)]
        try:
            job.runs.start((one.page, one.device, None if job.record else one.index) for one in items)
        except SessionError as error:
            raise pytest.UsageError(str(error)) from None


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """Give all blocks of a page to the same process of pytest-xdist, and all pages on an accelerator to one."""
    from xdist.scheduler import LoadScopeScheduling  # type: ignore[import-untyped]

    class PageScheduling(LoadScopeScheduling):  # type: ignore[misc]
        def _split_scope(self, nodeid: str) -> str:
            path, _, name = nodeid.partition("::")
            device = name.split("-")[0]
            own = f"{path}::{device}" if device == "cpu" else device
            return own if path.endswith(PAGES) and device in DEVICES else nodeid

    return PageScheduling(config, log)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    """Tell what was recorded, what is missing or stale for devices that this machine lacks, what has no page."""
    reports = [report for found in terminalreporter.stats.values() for report in found]
    said = [text for report in reports for key, text in getattr(report, "user_properties", ()) if key == PROPERTY]
    calls = [report for report in reports if getattr(report, "when", "") == "call"]
    matched = [text for report in calls for key, text in report.user_properties if key == MATCHED]
    lines = [*recorded(dict.fromkeys(said)), *matched_with(matched)]
    settings = config.stash[JOB].settings
    if any(settings.is_page(str(getattr(report, "fspath", ""))) for report in reports):
        pages = list(readable(config.rootpath, settings))
        devices = config.stash[JOB].devices
        lines += [*elsewhere(config.rootpath, pages, devices), *outdated(config.rootpath, pages, devices)]
        lines += orphans(config.rootpath, pages, settings)
    if lines:
        terminalreporter.section("recordings")
        for line in lines:
            terminalreporter.line(line)


class PageSybil(Sybil):
    """Sybil for one page on one device."""

    def __init__(self, root: Path, device: str, job: Job) -> None:
        types: dict[str | None, type[Document]] = {NOTEBOOK: Document}  # Sybil would read the docstrings alone
        super().__init__([BlockParser(root, self.evaluate, job.settings)], encoding="utf-8-sig", document_types=types)
        self.device = device
        self.job = job

    def identify(self, example: Example) -> str:
        """Name an item by device, block and line."""
        return f"{self.device}-{example.parsed.index + 1:02d}-line-{example.line}"

    def evaluate(self, example: Example) -> str | None:
        """Judge one block: what is wrong with it, or None."""
        page, block = example.namespace["page"], example.parsed
        if not block.options.takes(torch_build().version):
            pytest.skip(f"needs {block.options.needed}, this is {torch_build().version}")
        run = self._run(example, page)
        if run.count == 0 and self.job.asked:
            flag = f"{self.job.settings.flags}device {self.device}"
            return f"{block} was not run: {flag}, but torch sees no such device; is its driver too old?"
        if run.count < block.options.count:
            pytest.skip(f"needs {block.options.count} {self.device}, this machine has {run.count}")
        output = run.outputs[block.index]
        if output is None or run.environment is None:
            return f"{block} was not run on {self.device}"
        example.namespace["said"] = self.job.runs.write(page, self.device, run) if self.job.record else ""
        found = fault(block, self.device, output)
        if found or self.job.record:
            return found or None
        return self._compare(example, page, run, output)

    def _compare(self, example: Example, page: Page, run: Run, output: Output) -> str | None:
        """How an output disagrees with what is recorded, or None. Raises RecordingError."""
        assert run.environment is not None
        recordings, errors = self.job.runs.recorded(page)
        verdict = compare(page, example.parsed, run.environment, output, recordings)
        for error in errors:
            if not verdict.matched or f"/{run.environment.folder}/" in error.path:
                raise error
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
        if isinstance(excinfo.value, SameDeviceError):
            return str(excinfo.value)
        return super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[str, int, str]:
        """Where the block stands."""
        return self.example.path, self.example.line - 1, self.name


class RecordingItem(pytest.Item):
    """A recording of a page: whether it is whole."""

    def __init__(self, *, page: Page, file: Path, **rest: Any) -> None:
        super().__init__(**rest)
        self.page = page
        self.file = file

    def runtest(self) -> None:
        """Read the recording; fail for what was changed by hand."""
        recordings, errors = self.config.stash[JOB].runs.recorded(self.page)
        name = self.file.relative_to(self.config.rootpath).as_posix()
        for error in errors:
            if error.path == name:
                raise error
        own = [one for one in recordings if one.environment.folder == self.name.removesuffix("-recording")]
        found = [text for one in own for text in damaged(self.page, one)]
        if found:
            raise RecordingError(*found[0].split(": ", 1))

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
            raise self.CollectError(str(error)) from None
        for device in job.devices:
            yield from self._blocks(page, device, job, root)
        recordings = root / job.settings.recordings
        for file in () if job.record else paths(recordings, page):
            folder = file.relative_to(recordings).parts[0]
            if not _is_here(folder, job.devices):
                yield RecordingItem.from_parent(self, name=f"{folder}-recording", page=page, file=file)

    def _blocks(self, page: Page, device: str, job: Job, root: Path) -> Iterator[pytest.Item]:
        sybil = PageSybil(root, device, job)
        document = sybil.parse(self.path)
        document.namespace["page"] = page
        for example in document.examples():
            if example.parsed.runs_on(device):
                yield BlockItem.from_parent(self, sybil=sybil, example=example, page=page)


def _is_here(folder: str, devices: tuple[str, ...]) -> bool:
    """Whether blocks that run here are compared with the recordings in a folder: by device and PyTorch."""
    wanted = {"cpu"} if folder.startswith("cpu-") else {*DEVICES} - {"cpu"}
    return folder.endswith(f"-{made_by()}") and bool(wanted & {*devices})
