"""The end of a program on simulated GPUs: no thread of PyTorch is left with something of Python's."""

from __future__ import annotations

import ctypes
import threading
import time

from simulated_gpu.startup import wait_for_backward

PR_SET_NAME = 15


def test_a_program_ends_when_its_backward_passes_have_ended() -> None:
    """PyTorch's thread may still want Python's lock when `backward()` has returned; then the process aborted."""
    named = threading.Event()

    def work() -> None:
        ctypes.CDLL(None).prctl(PR_SET_NAME, b"pt_autograd_0")
        named.set()
        end = time.monotonic() + 0.3
        while time.monotonic() < end:
            pass
        ended.append(True)
        release.wait()

    ended: list[bool] = []
    release = threading.Event()
    thread = threading.Thread(target=work)
    thread.start()
    named.wait()
    try:
        wait_for_backward(limit=60)
        assert ended
    finally:
        release.set()
        thread.join()


def test_a_program_without_such_threads_does_not_wait() -> None:
    """Most programs have ended their work."""
    started = time.monotonic()
    wait_for_backward(limit=60)
    assert time.monotonic() - started < 30
