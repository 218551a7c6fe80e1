"""`pytest --simulated-gpu[=N]`: the tests find N simulated GPUs. Without the option, the plugin does nothing."""

from __future__ import annotations

import argparse
import copy
import os
import sys
from collections.abc import Generator

import pytest

from . import settings, startup
from .errors import SettingError, SimulatedGPUError
from .pytest_tests import Reporting

OPTION = "--simulated-gpu"


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options."""
    group = parser.getgroup("simulated GPU")
    group.addoption(OPTION, nargs="?", const="1", metavar="N", help="run the tests with N simulated CUDA GPUs (1)")
    group.addoption(f"{OPTION}-memory", metavar="SIZE", help="memory of each, such as 8GiB (16GiB)")
    group.addoption(f"{OPTION}-capability", metavar="X.Y", help="their compute capability, such as 7.5 (8.0)")
    group.addoption(f"{OPTION}-shapes-only", action="store_true", help="compute nothing: check shapes and memory")
    group.addoption(f"{OPTION}-report", action="store_true", help="report waits, copies, launches and memory by line")


def pytest_configure(config: pytest.Config) -> None:
    """Register the mark, and the part of the plugin that reports."""
    config.addinivalue_line(
        "markers", "simulated_gpu(max_waits, max_copies, max_kernels, max_memory): limits on a simulated GPU"
    )
    try:
        chosen = settings.read()
    except SettingError as error:
        raise pytest.UsageError(str(error)) from None
    if chosen is None:
        if config.getoption("simulated_gpu_report"):
            raise pytest.UsageError(f"{OPTION}-report: there is no simulated GPU to report on. Add {OPTION}.")
    else:
        config.pluginmanager.register(Reporting(config.getoption("simulated_gpu_report")), "simulated_gpu_reporting")


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
            _start(chosen)
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


def _start(chosen: argparse.Namespace) -> None:
    if not chosen.simulated_gpu.isdigit():
        raise SettingError(f"{chosen.simulated_gpu} is no number of GPUs")
    settings.make(
        int(chosen.simulated_gpu),
        chosen.simulated_gpu_memory,
        chosen.simulated_gpu_capability,
        chosen.simulated_gpu_shapes_only,
    ).write(os.environ)
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


def pytest_report_header() -> str | None:
    """Say that the GPUs are simulated, so that nobody takes them for real ones."""
    chosen = settings.read()
    return f"simulated GPU: {startup.describe(chosen)}" if chosen is not None else None
