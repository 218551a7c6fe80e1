"""`pytest --simulated-gpu[=N]`: the tests find N simulated GPUs. Without the option, the plugin does nothing."""

from __future__ import annotations

import copy
import os
import sys
from collections.abc import Generator, Mapping
from contextlib import AbstractContextManager

import pytest

from . import settings, startup
from .errors import SettingError, SimulatedGPUError
from .reporting import Report, report

OPTION = "--simulated-gpu"


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options."""
    group = parser.getgroup("simulated GPU")
    group.addoption(OPTION, nargs="?", const="1", metavar="N", help="run the tests with N simulated CUDA GPUs (1)")
    group.addoption(f"{OPTION}-memory", metavar="SIZE", help="memory of each, such as 8GiB (16GiB)")
    group.addoption(f"{OPTION}-report", action="store_true", help="say where Python waits and what is copied")
    group.addoption(f"{OPTION}-capability", metavar="X.Y", help="their compute capability, such as 7.5 (8.0)")


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_load_initial_conftests(
    early_config: pytest.Config, parser: pytest.Parser, args: list[str]
) -> Generator[None, object, object]:
    """Start the simulated GPU before any conftest.py can import PyTorch, and before pytest captures output."""
    if write_number(args):  # what stands behind the option was taken for its number
        early_config.known_args_namespace = parser.parse_known_args(args, copy.copy(early_config.option))
    chosen = early_config.known_args_namespace
    if chosen.simulated_gpu is not None:
        try:
            _start(chosen.simulated_gpu, chosen.simulated_gpu_memory, chosen.simulated_gpu_capability)
        except SimulatedGPUError as error:
            raise pytest.UsageError(f"{OPTION}: {error}") from None
    return (yield)


def write_number(arguments: list[str]) -> bool:
    """Write `--simulated-gpu` as `--simulated-gpu=1` where no number follows. Return whether something changed."""
    for place, argument in enumerate(arguments):
        following = arguments[place + 1] if place + 1 < len(arguments) else ""
        if argument == OPTION and not following.isdigit():
            arguments[place] = f"{OPTION}=1"
            return True
    return False


def _start(gpus: str, memory: str | None, capability: str | None) -> None:
    if not gpus.isdigit():
        raise SettingError(f"{gpus} is no number of GPUs")
    settings.make(int(gpus), memory, capability).write(os.environ)
    if "torch" not in sys.modules:
        startup.prepare()
        startup.watch()
    elif not startup.running():  # another plugin imported PyTorch: begin anew, with the environment as it is now
        _start_anew()


def _start_anew() -> None:
    if os.environ.get(STARTED_ANEW):
        raise SimulatedGPUError(
            "PyTorch is imported before the simulated GPU can start. Install simulated_gpu (pip install simulated_gpu) "
            "rather than run it from a folder: its installation starts it with Python."
        )
    os.environ[STARTED_ANEW] = "1"
    sys.stdout.flush()
    sys.stderr.flush()
    os.execv(sys.executable, sys.orig_argv)


STARTED_ANEW = "SIMULATED_GPU_STARTED_ANEW"


LIMITS = ("max_waits", "max_copies", "max_memory")
_whole: list[tuple[AbstractContextManager[Report], Report]] = []


def pytest_configure(config: pytest.Config) -> None:
    """Describe the mark, and begin the report."""
    config.addinivalue_line(
        "markers", 'simulated_gpu(max_waits=N, max_copies=N, max_memory="SIZE"): fail a test that exceeds a limit'
    )
    if config.getoption(f"{OPTION}-report"):
        if not startup.running():
            raise pytest.UsageError(f"{OPTION}-report: there is no simulated GPU to report. Add {OPTION}.")
        if config.getoption("dist", "no") != "no":
            raise pytest.UsageError(f"{OPTION}-report: the report is of one process. Leave out -n.")
        opened = report("all tests")
        _whole.append((opened, opened.__enter__()))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, object, object]:
    """Fail a test that waits, copies or holds more than its mark allows."""
    limits = _limits(item)
    if not limits:
        return (yield)
    if not startup.running():
        pytest.skip(f"its limits need simulated GPUs: run pytest with {OPTION}")
    with report(item.nodeid) as found:
        outcome = yield
    exceeded = check(found, limits)
    if exceeded:
        pytest.fail("\n".join([*exceeded, "", str(found)]), pytrace=False)
    return outcome


def _limits(item: pytest.Item) -> dict[str, int]:
    """Return the limits of a test; the nearest mark wins. Raises UsageError for one that is not understood."""
    limits: dict[str, int] = {}
    for mark in item.iter_markers("simulated_gpu"):
        if mark.args or not set(mark.kwargs) <= set(LIMITS):
            raise pytest.UsageError(f"{item.nodeid}: @pytest.mark.simulated_gpu takes {', '.join(LIMITS)}")
        for name, value in mark.kwargs.items():
            try:
                limits.setdefault(name, settings.size(str(value)))
            except SettingError as error:
                raise pytest.UsageError(f"{item.nodeid}: {name}: {error}") from None
    return limits


def check(found: Report, limits: Mapping[str, int]) -> list[str]:
    """Return a sentence for each limit that a report exceeds."""
    are = {
        "max_waits": (found.waits, f"Python waited {found.waits} times for the GPU"),
        "max_copies": (found.copies, f"there were {found.copies} copies between CPU and GPU"),
        "max_memory": (found.peak, f"{found.peak} bytes were allocated at the peak"),
    }
    return [f"{are[name][1]}; {name} is {limit}" for name, limit in limits.items() if are[name][0] > limit]


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Show the report of all tests."""
    while _whole:
        opened, found = _whole.pop()
        opened.__exit__(None, None, None)
        terminalreporter.section("simulated GPU")
        terminalreporter.write_line(str(found))


def pytest_report_header() -> str | None:
    """Say that the GPUs are simulated, so that nobody takes them for real ones."""
    chosen = settings.read()
    return f"simulated GPU: {startup.describe(chosen)}" if chosen is not None else None
