"""threads: a pool of daemon threads, a wait that Ctrl-C always ends, and steps that it does not cut.

Unlike those of a ThreadPoolExecutor, these threads do not hold up the end of the program.
"""

from __future__ import annotations

import contextlib
import itertools
import queue
import signal
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, wait
from typing import Any, TypeVar

T = TypeVar("T")
R = TypeVar("R")
LOOK_UP = 0.2
"""Seconds between two checks for a signal."""


def wait_for(future: Future[T]) -> T:
    """Wait for a future and return its result, as `future.result()` does, but in a way that Ctrl-C always ends.

    A signal that comes just before a thread begins to wait for a lock without a limit does not wake it, and Python
    raises KeyboardInterrupt only once it has woken.
    """
    while not future.done():
        wait([future], timeout=LOOK_UP)
    return future.result()


def gather(futures: Sequence[Future[T]], combine: Callable[[list[T]], R]) -> Future[R]:
    """What `combine` makes of the results of all these futures, of which there is at least one."""
    result: Future[R] = Future()
    lock, waiting = threading.Lock(), len(futures)

    def finish(_: Future[T]) -> None:
        nonlocal waiting
        with lock:
            waiting -= 1
            if waiting:
                return
        try:
            result.set_result(combine([future.result() for future in futures]))
        except BaseException as error:
            result.set_exception(error)

    for future in futures:
        future.add_done_callback(finish)
    return result


@contextlib.contextmanager
def uninterrupted() -> Iterator[None]:
    """A Ctrl-C within the block takes effect at its end.

    So a process that is started there is known to whoever must end it. Python handles signals in the main thread, and
    in other threads this does nothing.
    """
    before = signal.getsignal(signal.SIGINT)
    if threading.current_thread() is not threading.main_thread() or not callable(before):
        yield
        return
    caught: list[Any] = []
    signal.signal(signal.SIGINT, lambda *call: caught.append(call))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
    if caught:
        before(*caught[0])


class DaemonPool:
    """Makes calls on `workers` daemon threads: Ctrl-C ends a program while a page still runs.

    It makes them in the order given, those that are for later after all others.
    """

    def __init__(self, workers: int, name: str) -> None:
        self.calls: queue.PriorityQueue[tuple[bool, int, tuple[Future[Any], Callable[[], Any]] | None]]
        self.calls = queue.PriorityQueue()
        self.numbers = itertools.count()
        self.threads = [threading.Thread(target=self._work, name=f"{name}-{n}", daemon=True) for n in range(workers)]
        for thread in self.threads:
            thread.start()

    def submit(self, call: Callable[[], T], later: bool = False) -> Future[T]:
        """Make the call as soon as a thread is free; if `later`, as soon as there is nothing else to do."""
        future: Future[T] = Future()
        self.calls.put((later, next(self.numbers), (future, call)))
        return future

    def _work(self) -> None:
        while (waiting := self.calls.get()[-1]) is not None:
            future, call = waiting
            if future.set_running_or_notify_cancel():
                try:
                    future.set_result(call())
                except BaseException as error:
                    future.set_exception(error)

    def cancel(self) -> None:
        """Cancel the calls that no thread has begun; then the threads end."""
        while not self.calls.empty():
            try:
                waiting = self.calls.get_nowait()[-1]
            except queue.Empty:
                break
            if waiting is not None:
                waiting[0].cancel()
                waiting[0].set_running_or_notify_cancel()
        for _ in self.threads:
            self.calls.put((False, next(self.numbers), None))

    def join(self) -> None:
        """Wait for the calls that were begun. Each page has limits of its own, so that this ends."""
        for thread in self.threads:
            thread.join()
