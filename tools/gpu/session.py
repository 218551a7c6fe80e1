"""session: runs sections on one device, side by side or alone, until the time is over."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from dataclasses import replace
from itertools import groupby

from order import Piece
from recorder import Recorder
from run_claims import ClaimsRun

from samedevice.errors import SameDeviceError
from samedevice.outputs.environments import Environment, Run
from samedevice.running.section_runner import LOOK_UP, SectionRunner

PROGRESS = 20.0
"""Seconds from one line about the progress to the next."""


class OutOfTimeError(Exception):
    """The minutes that the machine is there are over."""


class Session:
    """Runs sections on one device until `deadline`, by `time.monotonic`."""

    def __init__(self, recorder: Recorder, runner: SectionRunner, deadline: float) -> None:
        self.recorder = recorder
        self.runner = runner
        self.deadline = deadline
        self.started = self.told = time.monotonic()
        self.again: list[Piece] = []
        """What failed beside others for want of memory: it runs again, alone."""
        self.claims: ClaimsRun | None = None
        """The claims, while they run."""

    def run(self, found: Sequence[Piece], side_by_side: int) -> None:
        """Run sections in their order, so many side by side, those alone that must be. Raises OutOfTimeError."""
        done = 0
        for alone, some in groupby(found, lambda one: one.alone):
            group = list(some)
            if alone:
                self._run_alone(group, side_by_side, f"{done} of {len(found)} sections")
            else:
                self._run(group, side_by_side, f"{done} of {len(found)} sections")
            done += len(group)

    def run_again(self) -> None:
        """Run once more what failed for want of memory."""
        again, self.again = self.again, []
        self._run_alone(again, 1, "all sections")

    def _run_alone(self, group: Sequence[Piece], prepared: int, before: str) -> None:
        """Run sections one at a time, in processes in which no other has run; CUDA is started in several at once."""
        self.end_claims()
        self.runner.end_shared()
        self._run([piece for piece in group if not piece.shares], 1, before)
        left = [piece for piece in group if piece.shares]
        while left:
            ready = self._start_cuda(left[:prepared])
            some = left[:ready] if ready else [replace(left[0], shares=False)]
            left = left[len(some) :]
            self._run(some, 1, before)
            self.runner.end_shared()

    def _start_cuda(self, found: Sequence[Piece]) -> int:
        """Start CUDA in a process for each of these sections; return how many are ready."""
        empty = [self.runner.submit(one.page, one.device, (), shares=True) for one in found]
        while not all(one.done() for one in empty):
            time.sleep(LOOK_UP)
            self.look_up("starting CUDA")
        return sum(map(len, self.runner.idle.values()))

    def start_claims(self, about: Environment, environ: Mapping[str, str]) -> Callable[[], None]:
        """Begin to run the claims beside the next sections; return what ends them at once."""
        self.claims = ClaimsRun(self.recorder.kit, about.folder, environ)
        return self.claims.close

    def end_claims(self) -> None:
        """Wait for the claims, if they run. Raises OutOfTimeError."""
        while self.claims and not self.claims.ended:
            time.sleep(LOOK_UP)
            self.look_up("the claims")
        if self.claims and self.claims.broken:
            self.recorder.say(f"the claims did not run, and run when this is started again: {self.claims.broken}")
        elif self.claims:
            self.recorder.note_claims(self.claims.environment, self.claims.summary(), list(self.claims.failures()))
        self.claims = None

    def _run(self, group: Sequence[Piece], side_by_side: int, before: str) -> None:
        left, done = deque(group), 0
        running: dict[Future[Run], Piece] = {}
        while left or running:
            while left and len(running) < side_by_side:
                piece = left.popleft()
                running[self.runner.submit(piece.page, piece.device, piece.wanted, shares=piece.shares)] = piece
            ended = wait(running, LOOK_UP, FIRST_COMPLETED).done  # a signal may not end a longer wait
            found = [(running.pop(one), _outcome(one)) for one in ended]
            if found:
                results = self.recorder.note(found)
                if side_by_side > 1:
                    said = ("\n".join(result.failures).lower() for result in results)
                    pairs = zip(found, said, strict=True)
                    self.again += [piece for (piece, _), text in pairs if "out of memory" in text]
            done += len(found)
            kind = group[min(done, len(group) - 1)].kind
            self.look_up(f"{kind}: {done} of {len(group)}, after {before}")

    def look_up(self, doing: str) -> None:
        """Say how far it is, if it is time to. Raises OutOfTimeError if there is none left."""
        now = time.monotonic()
        if now > self.told + PROGRESS:
            self.told = now
            left = f", {(self.deadline - now) / 60:.1f} minutes left" if self.deadline < float("inf") else ""
            self.recorder.say(f"-- {(now - self.started) / 60:.1f} minutes{left}: {doing}")
        if now > self.deadline:
            raise OutOfTimeError


def _outcome(future: Future[Run]) -> Run | SameDeviceError:
    """What came of a section, be it an error of the machinery."""
    try:
        return future.result()
    except SameDeviceError as error:
        return error
