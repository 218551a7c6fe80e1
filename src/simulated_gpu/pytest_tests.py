"""What `pytest --simulated-gpu-report` shows, and the limits of the mark `simulated_gpu`."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import replace
from typing import Any

import pytest

from .errors import SettingError
from .reporting import Report, report
from .reporting.facts import together
from .reporting.limits import Limits, limits
from .reporting.text import size

MARK = "simulated_gpu"
KEY = pytest.StashKey[Report]()


class Reporting:
    """Records each test that has limits, or all of them, and shows at the end what they did."""

    def __init__(self, everything: bool) -> None:
        self.everything = everything

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_call(self, item: pytest.Item) -> Generator[None, object, object]:
        """Run a test under a report, and fail it where it exceeds a limit."""
        marks = list(item.iter_markers(MARK))
        if not (marks or self.everything):
            return (yield)
        allowed = _limits(marks)
        with report() as found:
            item.stash[KEY] = found
            result = yield
        exceeded = list(allowed.exceeded(found))
        if exceeded:
            pytest.fail("\n".join(exceeded), pytrace=False)
        return result

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(
        self, item: pytest.Item, call: pytest.CallInfo[None]
    ) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        """Give the test's report to pytest's own, which xdist carries from its workers."""
        made = yield
        if self.everything and call.when == "call" and KEY in item.stash:
            setattr(made, MARK, _small(item.stash[KEY]).to_json())
        return made

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        """Show each test's numbers, and the lines of all of them."""
        if not self.everything:
            return
        made = [one for reports in terminalreporter.stats.values() for one in reports if hasattr(one, MARK)]
        reports = {one.nodeid: Report.from_json(getattr(one, MARK)) for one in made}
        terminalreporter.section("simulated GPU")
        for name, found in reports.items():
            terminalreporter.line(f"{name}: {_numbers(found)}")
        terminalreporter.line("")
        for line in str(together(reports.values())).splitlines():
            terminalreporter.line(line)


def _limits(marks: list[pytest.Mark]) -> Limits:
    """Return the limits of a test's marks; the mark nearest to the test wins."""
    positional = tuple(argument for mark in marks for argument in mark.args)
    named = {name: value for mark in reversed(marks) for name, value in mark.kwargs.items()}
    try:
        return limits(positional, named)
    except SettingError as error:
        message = str(error)
    pytest.fail(message, pytrace=False)


def _small(found: Report) -> Report:
    return replace(found, memory=[replace(memory, curve=()) for memory in found.memory])


def _numbers(found: Report) -> str:
    memory = f", peak {size(found.fullest.peak)}" if found.fullest else ""
    return f"{found.number_of_waits} waits, {found.number_of_copies} copies, {found.number_of_kernels} kernels{memory}"
