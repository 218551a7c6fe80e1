"""Threads: what is waited for, and what may interrupt the wait."""

from __future__ import annotations

import signal
import threading
from concurrent.futures import Future

import pytest

from samedevice.running.processes import uninterrupted
from samedevice.running.section_runner import DaemonPool, wait_for


def test_a_result_is_waited_for() -> None:
    """As `future.result()` would, an error included."""
    pool = DaemonPool(1, "test")
    assert wait_for(pool.submit(lambda: 5)) == 5
    with pytest.raises(ZeroDivisionError):
        wait_for(pool.submit(lambda: 1 // 0))
    pool.cancel()
    pool.join()


def test_what_is_for_later_waits_for_the_rest() -> None:
    """A page that was saved comes before those that nobody waits for."""
    pool, begun, done = DaemonPool(1, "test"), threading.Event(), []
    pool.submit(begun.wait)
    for name in ("a", "b"):
        last = pool.submit(lambda name=name: done.append(name), later=True)
    pool.submit(lambda: done.append("saved"))
    begun.set()
    wait_for(last)
    pool.cancel()
    pool.join()
    assert done == ["saved", "a", "b"]


def test_a_signal_that_does_not_wake_the_waiting_thread_is_heard() -> None:
    """Ctrl-C was lost in one build of twenty; here another thread takes the signal, which always hides it."""
    future: Future[None] = Future()
    heard: list[bool] = []

    def hear(*_: object) -> None:
        heard.append(future.done())
        end.cancel()
        future.set_result(None)

    before = signal.signal(signal.SIGUSR1, hear)
    end = threading.Timer(5, future.set_result, [None])
    end.start()
    threading.Timer(0.1, lambda: signal.pthread_kill(threading.get_ident(), signal.SIGUSR1)).start()
    try:
        wait_for(future)
    finally:
        signal.signal(signal.SIGUSR1, before)
    assert heard == [False]


def test_ctrl_c_waits_for_the_end_of_a_step() -> None:
    """And is for whoever hears it elsewhere. A shell's background processes ignore it, so the test sets its handler."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    done = []

    def step() -> None:
        with uninterrupted():
            signal.raise_signal(signal.SIGINT)
            done.append("the step")

    try:
        with pytest.raises(KeyboardInterrupt):
            step()
        assert done == ["the step"]
        assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    finally:
        signal.signal(signal.SIGINT, before)


def test_ctrl_c_that_is_ignored_stays_ignored() -> None:
    """Whoever runs this in the background has asked for that."""
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        with uninterrupted():
            signal.raise_signal(signal.SIGINT)
    finally:
        signal.signal(signal.SIGINT, before)
