"""The pytest plugin: every block of every page on every device is an item; `--device` and `--record`.

Pages are run ahead in the background, several at once; the items are in `items`.
"""

from __future__ import annotations

from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest

from samedevice.devices import (
    DEVICES,
    KINDS,
    Simulator,
    available_cores,
    made_with,
    present_devices,
    why_absent,
    why_not_simulated,
)
from samedevice.errors import SessionError
from samedevice.files import sweep_files
from samedevice.integration.items import JOB, MATCHED, PROPERTY, BlockItem, Job, PageFile, PageItem
from samedevice.integration.pytest_options import add_options
from samedevice.integration.summary import elsewhere, failing, matched_with, outdated, recorded
from samedevice.outputs.recording_files import Recordings, orphans
from samedevice.page_runs import PageRuns, starts_programs
from samedevice.pages.parsing import pages_for, readable
from samedevice.pages.percent import is_program
from samedevice.project import PAGES, Settings

SETTINGS = pytest.StashKey[Settings]()
"""What a project says about itself in its mkdocs.yml; a conftest.py that loads this plugin says it as `SAMEDEVICE`."""


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add --device, --simulated and --record."""
    add_options(parser, "--")


def pytest_configure(config: pytest.Config) -> None:
    """Make the one object that runs pages."""
    said = (getattr(plugin, "SAMEDEVICE", None) for plugin in config.pluginmanager.get_plugins())
    conftest = next((one for one in said if isinstance(one, Settings)), None)
    settings = config.stash.get(SETTINGS, None) or conftest or Settings(flags="--")
    present, record = present_devices(settings.library), bool(config.option.samedevice_record)
    devices = tuple(dict.fromkeys(config.option.samedevice_device or present))
    simulator = _simulator(config, settings) if config.option.samedevice_simulated else None
    absent = [device for device in devices if device not in present]
    if absent and not simulator:
        has = f"this machine has {', '.join(present)}; nothing was run or recorded"
        raise pytest.UsageError(f"{settings.flags}device {absent[0]}: {why_absent(absent[0])} ({has})")
    if record:
        sweep_files(config.rootpath / settings.recordings)  # of a recording that was killed
        if config.args_source is not pytest.Config.ArgsSource.ARGS:
            config.args[:] = [str(config.rootpath / settings.docs)]  # the project's own tests have nothing to record
    config.args[:] = _with_pages(config.args, config.rootpath, config.invocation_params.dir, settings)
    workers = None if record else available_cores() + 1  # some sections wait, and times are only recorded, not compared
    runs = PageRuns(config.rootpath, simulator, settings.preload, workers=workers)
    config.stash[JOB] = Job(runs, devices, record, asked=bool(config.option.samedevice_device), settings=settings)


def _simulator(config: pytest.Config, settings: Settings) -> Simulator | None:
    """The simulator of the device that a person asks for. Raises pytest.UsageError."""
    asked = config.option.samedevice_device or []
    if len(asked) != 1:
        able = " or ".join(name for name, kind in KINDS.items() if kind.simulator)
        raise pytest.UsageError(f"{settings.flags}simulated: name one device, {settings.flags}device {able}")
    simulator = KINDS[asked[0]].simulator
    # before any page: on a busy machine it may have to compile for longer than a page may take to start
    why = why_not_simulated(asked[0]) or (simulator.prepare() if simulator else "")
    if why:
        raise pytest.UsageError(f"{settings.flags}device {asked[0]} {settings.flags}simulated: {why}")
    return simulator


def _with_pages(args: list[str], root: Path, here: Path, settings: Settings) -> list[str]:
    """Arguments with pages in place of a program, which has no tests but them: those that name it, or read it."""
    given = {arg: (here / arg).resolve() for arg in args}
    programs = {arg: path for arg, path in given.items() if path.is_relative_to(root / settings.programs)}
    pages = list[str]()
    for arg, path in programs.items():
        if path == root / settings.programs and root / settings.docs in given.values():
            continue  # all pages are tested anyway
        read = Recordings(root, settings.recordings).pages_that_read([path.relative_to(root).as_posix()])
        every = (path.relative_to(root).as_posix() for path in settings.page_paths(root))
        found = [*pages_for([path], root, settings), *(one for one in every if settings.page_name(one) in read)]
        if path.exists() and not found:
            raise pytest.UsageError(f"{arg}: no page runs it; name a page, or add the program to one by file=")
        pages += found
    return [arg for arg in args if arg not in programs] + [str(root / page) for page in dict.fromkeys(pages)]


def pytest_unconfigure(config: pytest.Config) -> None:
    """End the processes."""
    if JOB in config.stash:
        config.stash[JOB].runs.close()


def pytest_report_header(config: pytest.Config) -> str:
    """Say on which devices blocks run, and with which PyTorch."""
    job = config.stash[JOB]
    names = [f"{device}, simulated" if job.simulated else device for device in job.devices]
    library = job.settings.library
    return f"samedevice: {library}" if library else f"same device: {', '.join(names)}, {made_with()}"


@pytest.hookimpl(wrapper=True)
def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> Generator[None, list[Any], list[Any]]:
    """Collect the pages of the documentation, and as nothing else: pytest would import a notebook that it is given."""
    others = yield
    root, settings = parent.config.rootpath, parent.config.stash[JOB].settings
    below = file_path.is_relative_to(root) and settings.is_page(file_path.relative_to(root).as_posix())
    if below and not is_program(file_path):  # as a build says: a file of Python without a cell is no page
        return [PageFile.from_parent(parent, path=file_path)]
    return others


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Judge first what runs first: else thousands of blocks that have run wait for one that has not."""
    found = {place: item for place, item in enumerate(items) if isinstance(item, (BlockItem, PageItem)) and item.page}
    ordered = sorted(found.values(), key=lambda item: not (item.page and starts_programs(item.page)))
    for place, item in zip(found, ordered, strict=True):
        items[place] = item


def pytest_collection_finish(session: pytest.Session) -> None:
    """Begin to run what the selected items need; with pytest-xdist, the process that gets the pages does it."""
    if not hasattr(session.config, "workerinput") and not session.config.option.collectonly:
        try:
            _start(session)
        except SessionError as error:
            raise pytest.UsageError(str(error)) from None


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """In a process of pytest-xdist, begin to run all pages once it gets the first of their blocks."""
    if isinstance(item, BlockItem) and not item.config.stash[JOB].runs.runs:
        _start(item.session)


def _start(session: pytest.Session) -> None:
    """Begin to run what the items need. Raises SessionError."""
    job, items = session.config.stash[JOB], [item for item in session.items if isinstance(item, BlockItem)]
    job.runs.start((one.page, one.device, None if job.record else one.index) for one in items)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """Give all pages to one process of pytest-xdist, which runs them side by side; the others have the tests."""
    from xdist.scheduler import LoadScopeScheduling  # type: ignore[import-untyped]

    class PageScheduling(LoadScopeScheduling):  # type: ignore[misc]
        def _split_scope(self, nodeid: str) -> str:
            path, _, name = nodeid.partition("::")
            return "pages" if path.endswith(PAGES) and name.split("-")[0] in DEVICES else nodeid

    return PageScheduling(config, log)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    """Tell what was recorded, what is missing or stale for devices that this machine lacks, what has no page."""
    reports = [report for found in terminalreporter.stats.values() for report in found]
    said = [text for report in reports for key, text in getattr(report, "user_properties", ()) if key == PROPERTY]
    calls = [report for report in reports if getattr(report, "when", "") == "call"]
    matched = [text for report in calls for key, text in report.user_properties if key == MATCHED]
    settings = config.stash[JOB].settings
    lines = [*recorded(dict.fromkeys(said)), *([] if settings.library else matched_with(matched))]
    if any(settings.is_page(str(getattr(report, "fspath", ""))) for report in reports):
        job, root = config.stash[JOB], config.rootpath
        pages = list(readable(root, settings, {} if job.record else job.pages))  # recording may have written into one
        found = [(page, job.runs.recorded(page)[0]) for page in pages if page.blocks]
        lines += elsewhere(found, () if job.simulated else job.devices)
        lines += outdated(found, job.devices, job.simulated)
        lines += failing(found, job.devices)
        lines += orphans(root, settings)
    if lines:
        terminalreporter.section("recordings")
        for line in lines:
            terminalreporter.line(line)
