"""schedule: how long a machine needs for all that uses a GPU, from the times of a rehearsal on simulated GPUs.

Usage: python tools/gpu/schedule.py results.json [--cores 16] [--context 2] [--unknown 3]. A rehearsal is `record.sh
--simulated`; its results.json is in the kit. The schedule is what `record.py` does: groups one after the other, in a
group the next section wherever there is a free place, alone where it must be. To each process `--context` seconds are
added, for CUDA to start, and to each block that simulated GPUs do not run `--unknown` seconds. With `--one-by-one`
only one process at a time starts CUDA, which is the worst that a driver can do.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import groupby
from pathlib import Path
from typing import Any

Section = dict[str, Any]
"""A result of `recorder.Result`, as JSON."""


@dataclass
class Machine:
    """A machine whose places are free at some time each, in seconds."""

    cores: int
    """Sections that run side by side."""
    context: float
    """Seconds that CUDA takes to start in a process."""
    unknown: float
    """Seconds for a block whose time nobody knows."""
    one_by_one: bool
    """Whether one process at a time starts CUDA."""
    now: float = 0.0
    """When the last group ended."""
    driver: float = 0.0
    """When the driver can start CUDA in another process."""
    processes: int = 0
    """How many processes have started CUDA."""
    idle: list[float] = field(default_factory=list)
    """From when each shared process can take a section."""

    def run_alone(self, group: list[Section]) -> float:
        """Run sections one at a time, CUDA started for many at once where it may be; return the seconds."""
        began, self.idle = self.now, []
        self.run([one for one in group if not one["shares"]], 1)
        left = [one for one in group if one["shares"]]
        for first in range(0, len(left), self.cores):
            some = left[first : first + self.cores]
            self.processes += len(some)
            self.now += self.context * (len(some) if self.one_by_one else 1)
            self.driver = self.now
            self.now += sum(self._length(one) for one in some)
        return self.now - began

    def run(self, group: list[Section], side_by_side: int) -> float:
        """Run sections; return how many seconds it took."""
        began, free = self.now, [self.now] * side_by_side
        for one in group:
            place = min(range(side_by_side), key=free.__getitem__)
            free[place] = self._ended(one, free[place])
            self.now = max(self.now, free[place])
        return self.now - began

    def _ended(self, one: Section, start: float) -> float:
        """When a section ends that is begun at this time."""
        ready = [time for time in self.idle if time <= start] if one["shares"] else []
        if ready:
            self.idle.remove(ready[0])
        else:
            self.processes += 1
            start = max(start, self.driver) if self.one_by_one else start
            start += self.context
            self.driver = start
        end: float = start + self._length(one)
        if one["shares"] and not one["left"]:
            self.idle.append(end)
        return end

    def _length(self, one: Section) -> float:
        """How long a section takes where CUDA has been started."""
        seconds: float = one["milliseconds"] / 1000 + self.unknown * (one["blocks"] - one["ran"])
        return seconds


def table(results: list[Section], machine: Machine) -> Iterator[str]:
    """A line for each group, in order: sections, blocks, their time in the rehearsal, and in the schedule."""
    yield f"{'group':62}{'sections':>9}{'blocks':>8}{'not run':>8}{'rehearsed':>11}{'scheduled':>11}{'at':>7}"
    for kind, found in groupby(results, lambda one: str(one["kind"])):
        group = list(found)
        took = machine.run_alone(group) if kind.endswith("alone") else machine.run(group, machine.cores)
        blocks, ran = (sum(one[name] for one in group) for name in ("blocks", "ran"))
        seconds = sum(one["milliseconds"] for one in group) / 1000
        yield f"{kind:62}{len(group):9}{blocks:8}{blocks - ran:8}{seconds:9.1f} s{took:9.1f} s{clock(machine.now):>7}"
    yield f"{len(results)} sections in {machine.processes} processes that start CUDA: {clock(machine.now)}"


def clock(seconds: float) -> str:
    """Seconds as minutes and seconds."""
    return f"{int(seconds) // 60}:{int(seconds) % 60:02}"


def main(arguments: list[str]) -> int:
    """Print the schedule."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("results", type=Path)
    parser.add_argument("--cores", type=int, default=16)
    parser.add_argument("--context", type=float, default=2.0)
    parser.add_argument("--unknown", type=float, default=3.0)
    parser.add_argument("--one-by-one", action="store_true")
    given = parser.parse_args(arguments)
    found = json.loads(given.results.read_text(encoding="utf-8"))
    machine = Machine(given.cores, given.context, given.unknown, given.one_by_one)
    print("\n".join(table([one for one in found if one["device"] != "cpu"], machine)))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
