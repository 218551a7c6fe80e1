"""Counts what the simulated runtime notes: waits, copies and launches, by the line of the user's code."""

from __future__ import annotations

import ctypes
import sys
import threading
import time
from collections import Counter
from functools import cache
from typing import Any

from .facts import Copies, Kernels, Report, Waits
from .lines import BACKWARD, NOWHERE, here

LAUNCH, LIBRARY_CALL, COPY, WAIT, GRAPH = 1, 2, 3, 5, 9
HOST_TO_DEVICE, DEVICE_TO_HOST = 1, 2
ONE_VALUE = 16
"""The bytes of the largest number, complex128: a read of one is a wait and no copy."""


class Event(ctypes.Structure):
    """`struct simgpu_event` of runtime/simgpu.h."""

    _fields_ = (
        ("number", ctypes.c_uint64),
        ("stream", ctypes.c_uint64),
        ("what", ctypes.c_char_p),
        ("source", ctypes.c_void_p),
        ("target", ctypes.c_void_p),
        ("bytes", ctypes.c_size_t),
        ("seconds", ctypes.c_double),
        ("kind", ctypes.c_int32),
        ("device", ctypes.c_int32),
        ("direction", ctypes.c_int32),
        ("pinned", ctypes.c_int32),
        ("blocking", ctypes.c_int32),
        ("claimed", ctypes.c_int32),
    )


CopyKey = tuple[str, bool, bool, bool]
"""A copy's line, and whether it goes to the GPU, is pinned and is blocking."""

LISTENER = ctypes.CFUNCTYPE(None, ctypes.POINTER(Event), ctypes.c_void_p)


class Counts:
    """What happened by line since its beginning."""

    def __init__(self) -> None:
        self.waits: Counter[tuple[str, str]] = Counter()
        self.copies: dict[CopyKey, tuple[int, int]] = {}
        self.kernels: Counter[tuple[str, str]] = Counter()
        self.backward: list[tuple[int, str]] = []
        """The lines that ran autograd, each with the time since which it did, in microseconds."""
        self._newest: dict[int, tuple[CopyKey, int, int]] = {}
        """A thread's newest copy if nothing followed yet: how it was counted, how often, and with how many bytes."""

    def take(self, event: Any, line: str, phase: str) -> None:
        """Count an event."""
        thread = threading.get_ident()
        copied = self._newest.pop(thread, None)
        if event.kind == WAIT:
            self._wait(event.what.decode(), line, copied)
        elif event.kind == COPY and event.direction in (HOST_TO_DEVICE, DEVICE_TO_HOST):
            self._copy(event, line)
        elif event.kind in (LAUNCH, LIBRARY_CALL, GRAPH):
            self.kernels[line, phase] += 1
        if phase == BACKWARD and (not self.backward or self.backward[-1][1] != line):
            self.backward.append((time.time_ns() // 1000, line))

    def _copy(self, event: Any, line: str) -> None:
        key = (line, event.direction == HOST_TO_DEVICE, bool(event.pinned), bool(event.blocking))
        if waits_by_itself(key):
            self.waits[line, "cudaMemcpyAsync"] += 1
        is_value = event.direction == DEVICE_TO_HOST and event.bytes <= ONE_VALUE
        counted = (0, 0) if is_value else (1, event.bytes)
        self._count(key, *counted)
        self._newest[threading.get_ident()] = (key, *counted)

    def _wait(self, what: str, line: str, copied: tuple[CopyKey, int, int] | None) -> None:
        """Count a wait. Right after a copy of its line it is the copy's: PyTorch copies, and waits for the stream."""
        if copied is not None and copied[0][0] == line:
            key, count, size = copied
            self._count(key, -count, -size)
            self._count((*key[:3], True), count, size)
            if waits_by_itself(key):
                self.waits[line, "cudaMemcpyAsync"] -= 1
        self.waits[line, what] += 1

    def _count(self, key: CopyKey, count: int, size: int) -> None:
        before = self.copies.get(key, (0, 0))
        self.copies[key] = (before[0] + count, before[1] + size)

    def fill(self, report: Report) -> None:
        """Write the counts into a report, the most first."""
        waits = sorted(self.waits.items(), key=lambda item: -item[1])
        copies = sorted(self.copies.items(), key=lambda item: -item[1][1])
        report.waits = [Waits(*key, count) for key, count in waits if count]
        report.copies = [Copies(*key, *numbers) for key, numbers in copies if numbers[0]]
        report.kernels = [Kernels(*key, count) for key, count in self.kernels.most_common()]


def waits_by_itself(copy: CopyKey) -> bool:
    """Return whether CUDA waits in a copy even if PyTorch does not: to memory of the CPU that is not pinned."""
    _, to_gpu, _, blocking = copy
    return blocking and not to_gpu


class Watch:
    """Listens to the runtime while somebody counts. There is one a process: `the_watch`."""

    def __init__(self) -> None:
        self._counting: list[Counts] = []
        self._lock = threading.RLock()  # a finalizer may free memory of the GPU while an event is counted
        self._runtime = ctypes.CDLL(None)
        self._listener = LISTENER(self._hear)

    def start(self) -> Counts:
        """Count from now on."""
        counts = Counts()
        self._counting.append(counts)
        kinds = sum(1 << kind for kind in (LAUNCH, LIBRARY_CALL, COPY, WAIT, GRAPH))
        self._runtime.simgpu_watch(self._listener, kinds)
        return counts

    def stop(self, counts: Counts) -> None:
        """Count no longer."""
        self._counting.remove(counts)
        if not self._counting:
            self._runtime.simgpu_watch(None, 0)

    def workspaces(self) -> set[int]:
        """Return the addresses of the workspaces that cuBLAS was given."""
        addresses = (ctypes.c_void_p * 1024)()
        number = self._runtime.simgpu_workspaces(addresses, ctypes.c_size_t(len(addresses)))
        return {address for address in addresses[:number] if address}

    def _hear(self, event: Any, _: Any) -> None:
        line, phase = here(sys._getframe())
        with self._lock:
            for counts in self._counting:
                counts.take(event.contents, line or NOWHERE, phase)


@cache
def the_watch() -> Watch:
    """Return the process's watch."""
    return Watch()
