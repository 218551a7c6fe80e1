"""A machine's session: what is alone runs with nothing beside it, and all ends in time."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable, Collection
from concurrent.futures import Future
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from order import Piece
from session import OutOfTimeError, Session

from samedevice.outputs.environments import Environment, Run
from samedevice.pages.page import Page

H100 = Environment("cuda", "NVIDIA H100 80GB HBM3", "2.13.0+cu130", "3.11.7", "580", "2026-11-24")


class Runner:
    """Stands in for a runner: notes what runs, and beside how many others."""

    def __init__(self) -> None:
        self.running: list[Future[Run]] = []
        self.idle: dict[str, list[object]] = {}
        self.noted: list[tuple[str, int]] = []

    def submit(self, page: Page, device: str, wanted: Collection[int], shares: bool) -> Future[Run]:
        """Run a section for a moment; an empty one is ready at once."""
        future: Future[Run] = Future()
        if not wanted:
            self.idle.setdefault(device, []).append(object())
            future.set_result(Run((), H100))
            return future
        self.running = [*(one for one in self.running if not one.done()), future]
        self.noted.append((page.blocks[min(wanted)].code.strip(), len(self.running)))
        threading.Timer(0.05, future.set_result, [Run((), H100)]).start()
        return future

    def end_shared(self) -> int:
        """Note that nothing holds memory of the device."""
        self.noted.append(("nothing beside", 0))
        self.idle.clear()
        return 0


class Recorder:
    """Stands in for a recorder: notes what is said."""

    def __init__(self, failures: tuple[str, ...] = ()) -> None:
        self.failures = failures
        self.said: list[str] = []

    def note(self, ended: list[tuple[Piece, Run]]) -> list[Any]:
        """A result for each, with the failures that this was made with."""
        return [type("Result", (), {"failures": self.failures}) for _ in ended]

    def say(self, text: str) -> None:
        """Note it."""
        self.said.append(text)


@pytest.fixture
def found(write: Callable[..., Page]) -> list[Piece]:
    """Three sections: one that runs beside others, one that runs alone, and one for which CUDA can be started."""
    page = write("# P\n\n" + "".join(f"## {one}\n\n```python\n{one}\n```\n\n" for one in ("beside", "alone", "ready")))
    return [
        Piece(page, "cuda", (0,), 5),
        Piece(page, "cuda", (1,), 11, alone=True),
        Piece(page, "cuda", (2,), 17, alone=True, shares=True),
    ]


def test_what_is_alone_runs_with_nothing_beside_it(found: list[Piece]) -> None:
    """Neither a section nor a process that has only started CUDA: it takes memory of the device."""
    runner, recorder = Runner(), Recorder()
    session = Session(recorder, runner, float("inf"))  # type: ignore[arg-type]
    session.run(found, side_by_side=4)
    assert runner.noted == [("beside", 1), ("nothing beside", 0), ("alone", 1), ("ready", 1), ("nothing beside", 0)]


def test_what_lacked_memory_beside_others_runs_again_alone(found: list[Piece]) -> None:
    """Sixteen sections on a GPU may need more than it has."""
    runner, recorder = Runner(), Recorder(("docs/page.md:5 on cuda raised OutOfMemoryError: CUDA out of memory.",))
    session = Session(recorder, runner, float("inf"))  # type: ignore[arg-type]
    session.run(found[:1], side_by_side=4)
    session.run_again()
    assert [code for code, _ in runner.noted] == ["beside", "nothing beside", "beside"]


def test_it_ends_in_time(found: list[Piece]) -> None:
    """The machine is taken away at a time that is known."""
    session = Session(Recorder(), Runner(), time.monotonic() - 1)  # type: ignore[arg-type]
    with pytest.raises(OutOfTimeError):
        session.run(found, side_by_side=4)


def test_it_says_how_far_it_is(found: list[Piece], monkeypatch: pytest.MonkeyPatch) -> None:
    """A person who waits wants to know."""
    monkeypatch.setattr("session.PROGRESS", 0.0)
    recorder = Recorder()
    session = Session(recorder, Runner(), time.monotonic() + 600)  # type: ignore[arg-type]
    session.run(found, side_by_side=4)
    assert recorder.said[0].startswith(
        "-- 0.0 minutes, 10.0 minutes left: subjects on CUDA, not simulated, side by side"
    )
