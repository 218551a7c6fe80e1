"""Measuring time: what `Timer` does, and how often it waits."""

from __future__ import annotations

import inspect
import time
import timeit

import pytest
import torch
from torch.utils.benchmark import Timer

from claims.claimlib import claim, on_cuda, raises


@pytest.fixture
def waits(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Notes each wait for a GPU."""
    found: list[int] = []
    wait = torch.cuda.synchronize
    monkeypatch.setattr(torch.cuda, "synchronize", lambda *given: (found.append(1), wait(*given))[1])
    monkeypatch.setattr(torch.accelerator, "synchronize", lambda *given: (found.append(1), wait(*given))[1])
    return found


@claim(
    '`Timer(stmt="pass", setup="pass", ..., globals=None, ..., num_threads=1, ...)` takes the statement as a string, and the names in it as a dictionary.'
)
def test_signature() -> None:
    given = inspect.signature(Timer).parameters
    defaults = {name: given[name].default for name in ("stmt", "setup", "globals", "num_threads")}
    assert defaults == {"stmt": "pass", "setup": "pass", "globals": None, "num_threads": 1}
    assert Timer("x + 1", globals={"x": 1}).timeit(1).median > 0


@claim(
    "repeats until it has measured for that many seconds. It returns a `Measurement` with `.median`, `.mean` and `.iqr`."
)
@pytest.mark.parametrize("seconds", [0.005, 0.02])
def test_blocked_autorange(seconds: float) -> None:
    found = Timer("sum(range(50))").blocked_autorange(min_run_time=seconds)
    assert sum(found.raw_times) >= seconds
    assert min(found.median, found.mean, found.iqr) >= 0


@claim("repeats that many times, after a warm-up.")
@pytest.mark.parametrize("number", [1, 10])
def test_timeit(number: int) -> None:
    calls: list[int] = []
    found = Timer("calls.append(1)", globals={"calls": calls}).timeit(number)
    assert found.number_per_run == number
    assert len(calls) > number


@claim(
    "`Timer` waits once before and once after a whole series, not around each call (its source).",
    "It warms up, repeats, and waits for the current GPU before it reads the clock.",
)
@on_cuda
def test_waits_of_timer(waits: list[int]) -> None:
    Timer("pass").timeit(1)
    once = len(waits)
    Timer("pass").timeit(50)
    assert once >= 2
    assert len(waits) == 2 * once


@claim("Python's own `timeit` does not wait: use it for CPU tensors only.")
@on_cuda
def test_pythons_timeit(waits: list[int]) -> None:
    x = torch.ones(2, device="cuda")
    timeit.timeit(lambda: x + x, number=10)
    assert waits == []


@claim(
    "Two events with `enable_timing=True` measure the time on the GPU from one mark to the other, in milliseconds.",
    "It only has to wait before it asks for the result.",
)
@on_cuda
def test_events() -> None:
    x = torch.ones(512, 512, device="cuda")
    start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    torch.cuda.synchronize()
    before = time.perf_counter()
    start.record()
    for _ in range(20):
        x @ x
    end.record()
    end.synchronize()
    assert 0 < start.elapsed_time(end) <= (time.perf_counter() - before) * 1e3
    raises("enable_timing=True", torch.cuda.Event().elapsed_time, torch.cuda.Event())
