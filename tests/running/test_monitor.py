"""A conversation: what a page's process says, how long each message is waited for, and how its end is reported."""

from __future__ import annotations

import queue
import signal
from collections.abc import Callable
from typing import Any

import pytest

from samedevice.errors import SessionError
from samedevice.outputs.checks import fault
from samedevice.pages.page import Page
from samedevice.running.monitor import END_LIMIT, START_LIMIT, ProcessMonitor, how_it_ended, slowdown

Write = Callable[..., Page]

NOT_RUN = "docs/page.md:{} on cpu was not run, because docs/page.md:5 ended its process"


def three_blocks(code: str) -> str:
    """A page with blocks on lines 1, 5 and 9; the second is this line of code."""
    return f"```python\nx = 1\n```\n\n```python\n{code}\n```\n\n```python\nx = 2\n```\n"


@pytest.fixture(autouse=True)
def idle(monkeypatch: pytest.MonkeyPatch) -> None:
    """Has the limits be those of a machine that does nothing else."""
    monkeypatch.setattr("samedevice.running.monitor.slowdown", lambda: 1.0)


class FakeProcess:
    """A page's process that says what it is told to say; it remembers how long each message was waited for."""

    def __init__(self, *messages: dict[str, Any]) -> None:
        self.told = list(messages)
        self.waited: list[float] = []
        self.messages = self

    def get(self, timeout: float) -> dict[str, Any]:
        """The next message."""
        if timeout:
            self.waited.append(timeout)
        if not self.told:
            raise queue.Empty
        return self.told.pop(0)

    def kill(self) -> None:
        """End, as a killed process does."""
        self.told.append({"exit": -signal.SIGTERM})


HELLO = {"hello": {"name": "chip", "torch": "2.13.0", "python": "3.11.0", "driver": ""}, "count": 1}


def done(number: int) -> dict[str, Any]:
    """What a process says when a block is done that printed nothing."""
    return {"done": number, "output": {"trace": "", "unsure": "", "lines": [], "opened": [], "used": True}}


def converse(page: Page, *messages: dict[str, Any]) -> tuple[list[str], list[float]]:
    """What a person is told of a page whose process said this, and the seconds that each message was waited for."""
    process: Any = FakeProcess(*messages)
    outputs = ProcessMonitor(page, list(page.blocks), {"device": "cpu", "printed": ""}, process, 7).run().outputs
    told = [fault(block, "cpu", output) for block, output in zip(page.blocks, outputs, strict=True) if output]
    return told, process.waited


def test_the_time_limit_is_for_each_block_by_itself(write: Write) -> None:
    """A long page is no fault, nor is a slow import of torch."""
    page = write("```python\nx = 1\n```\n\n```python\nx = 2\n```\n")
    messages = [
        {"start": 0},
        done(0),
        {"start": 1},
        done(1),
        {"end": True, "left": "it is for one section"},
        {"exit": 0},
    ]
    told, waited = converse(page, HELLO, *messages)
    assert told == ["", ""]
    assert waited == [START_LIMIT, START_LIMIT, 7, START_LIMIT, 7, START_LIMIT, END_LIMIT]


def test_a_process_that_ends_between_two_blocks_is_a_failure_of_the_next(write: Write) -> None:
    """A thread that a block left behind may crash at any time; torch is installed, and the page has to be named."""
    page = write(three_blocks("x = 3"))
    found, _ = converse(page, HELLO, {"start": 0}, done(0), {"exit": -signal.SIGSEGV})
    assert found[0] == ""
    assert "docs/page.md:5" in found[1]
    assert "SIGSEGV" in found[1]


def test_a_block_that_breaks_what_runs_it_is_named_and_the_others_go_on(write: Write) -> None:
    """It may have deleted `repr`, or cleared `sys.modules`: that is its fault, and PyTorch is installed."""
    crash = {"crash": "Traceback (most recent call last):\nNameError: name 'repr' is\x1bnot defined\n"}
    page = write(three_blocks("y = 1"))
    told, _ = converse(page, HELLO, {"start": 0}, done(0), {"start": 1}, crash, {"exit": 1})
    broke = "docs/page.md:5 on cpu broke the process that runs it: NameError: name 'repr' is not defined"
    assert told == ["", broke, NOT_RUN.format(9)]


def test_a_process_that_ends_before_its_first_block_is_a_failure_of_the_machinery(write: Write) -> None:
    """Nothing on the page can be the cause."""
    message = "docs/page.md: the page's process ended before its first block; is torch installed\\?"
    with pytest.raises(SessionError, match=message):
        converse(write(three_blocks("x = 3")), {"exit": 1})


def test_a_process_that_ends_after_its_last_block_has_done_its_work(write: Write) -> None:
    """A crash while the interpreter shuts down changes no output."""
    page = write("```python\nx = 1\n```\n")
    assert converse(page, HELLO, {"start": 0}, done(0), {"exit": -signal.SIGSEGV})[0] == [""]


def test_a_process_that_does_not_end_after_its_last_block_is_killed(write: Write) -> None:
    """A thread that never ends would keep the build from ending."""
    told, waited = converse(
        write("```python\nx = 1\n```\n"), HELLO, {"start": 0}, done(0), {"end": True, "left": "it is for one section"}
    )
    assert told == [""]
    assert waited[-2:] == [END_LIMIT, END_LIMIT]


def test_a_process_that_cannot_be_killed_is_not_waited_for(write: Write) -> None:
    """One that waits for a broken disk or GPU ends only with the machine."""
    process: Any = FakeProcess(HELLO, {"start": 0})
    process.kill = lambda: None
    page = write(three_blocks("x = 3"))
    run = ProcessMonitor(page, list(page.blocks), {"device": "cpu", "printed": ""}, process, 7).run()
    assert process.waited[-2:] == [7, END_LIMIT]
    assert run.outputs[0] is not None
    assert run.outputs[0].died.startswith("did not end within 7 s and was killed")


def test_what_a_killed_process_says_late_does_not_count(write: Write) -> None:
    """A block that ended just after its limit did not end within it."""
    process: Any = FakeProcess(HELLO, {"start": 0})
    process.kill = lambda: process.told.extend([done(0), {"exit": -signal.SIGKILL}])
    page = write(three_blocks("x = 3"))
    run = ProcessMonitor(page, list(page.blocks), {"device": "cpu", "printed": ""}, process, 7).run()
    assert run.outputs[0] is not None
    assert run.outputs[0].died.startswith("did not end within 7 s")


def test_a_process_that_ends_without_a_word_is_told(write: Write) -> None:
    """The kernel kills without a word when memory runs out."""
    told, _ = converse(write(three_blocks("x = 3")), HELLO, {"start": 0}, done(0), {"start": 1}, {"closed": True})
    assert told == ["", f"docs/page.md:5 on cpu ended its process {how_it_ended(None)}", NOT_RUN.format(9)]


def test_on_a_busy_machine_a_block_has_longer(write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    """Twenty processes on two cores take ten times as long; a block that computes must not pass for one that hangs."""
    monkeypatch.setattr("samedevice.running.monitor.slowdown", lambda: 10.0)
    told, waited = converse(write("```python\nx = 1\n```\n"), HELLO, {"start": 0})
    assert told[0].startswith("docs/page.md:1 on cpu did not end within 7 s and was killed")
    assert waited[-3:-1] == [7, 63]


def test_the_way_a_process_ended_is_told_in_words() -> None:
    """Numbers of signals differ from system to system."""
    assert how_it_ended(-signal.SIGTERM) == "with signal SIGTERM"
    assert how_it_ended(3) == "with exit status 3"
    assert how_it_ended(None).startswith("without a word: something killed the process that starts pages")


@pytest.mark.parametrize(("load", "times"), [(0.1, 1.0), (2.0, 1.0), (20.0, 10.0)])
def test_processes_that_share_the_cores_are_slower(monkeypatch: pytest.MonkeyPatch, load: float, times: float) -> None:
    """An idle core makes nothing faster."""
    monkeypatch.setattr("os.getloadavg", lambda: (load, 0.0, 0.0), raising=False)
    monkeypatch.setattr("samedevice.running.monitor.available_cores", lambda: 2)
    assert slowdown() == times
