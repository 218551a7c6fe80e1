"""attack: made-up outputs, recordings, figures, archives, pages and blocks, to find what hurts. `make attack`.

Usage: python tools/trust/attack.py [--seed N] [--minutes M] [--only NAME] [--case N]. The attacks take turns until the
time is up. The same seed makes the same cases; what finds something is printed with the command that repeats it alone.
A case fails if it raises an error that is not one of the engine's, takes too long, or breaks what the attack holds. The
exit status is 1 if one failed.
"""

from __future__ import annotations

import argparse
import faulthandler
import random
import shutil
import signal
import sys
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType

from attacks import ATTACKS as ON_DATA
from attacks_on_runs import ON_RUNS

SECONDS = 20
"""Processor time that one case may take."""
ATTACKS = ON_DATA | ON_RUNS
RARE = {"times": 10, "server": 40, "forging": 40}
"""Attacks that take seconds: in how many turns each has one."""
DEAD = 600
"""Seconds after which a case that cannot be ended otherwise ends the program, with a traceback."""


class TooLongError(BaseException):
    """A case took too long. Nothing but the driver takes it for an error of its own."""


@contextmanager
def limited(seconds: int) -> Iterator[None]:
    """Raise TooLongError in what takes more processor time; other processes slow nothing down."""

    def end(_signal: int, _frame: FrameType | None) -> None:
        raise TooLongError(f"took more than {seconds} s")

    before = signal.signal(signal.SIGVTALRM, end)
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds)
    faulthandler.dump_traceback_later(DEAD, exit=True, file=sys.__stderr__ or sys.stderr)
    try:
        yield
    finally:
        faulthandler.cancel_dump_traceback_later()
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)


def run(name: str, seed: int, case: int, folder: Path) -> str:
    """Run one case of an attack in an empty folder; return the traceback of what it found, empty if nothing."""
    folder.mkdir(parents=True)
    try:
        with limited(SECONDS):
            ATTACKS[name](random.Random(f"{seed} {name} {case}"), folder)
    except KeyboardInterrupt:
        raise
    except BaseException:
        return traceback.format_exc()
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    return ""


def attack(seed: int, names: list[str], minutes: float, folder: Path) -> int:
    """Run the attacks in turn until the time is up, and print what they found; return how many cases failed."""
    cases, failed, number, until = Counter[str](), Counter[str](), 0, time.monotonic() + 60 * minutes
    while time.monotonic() < until:
        for name in [name for name in names if number % RARE.get(name, 1) == 0 or len(names) == 1]:
            what = run(name, seed, number, folder / "case")
            cases[name] += 1
            if what:
                failed[name] += 1
                print(f"\n{what}\nRepeat it: tools/trust/attack.py --seed {seed} --only {name} --case {number}")
        number += 1
    for name, count in cases.items():
        print(f"{name:12}{count:8} cases, {failed[name]} failed")
    return failed.total()


def main() -> int:
    """Attack, and say what came of it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(10**6), help="default: a new one")
    parser.add_argument("--minutes", type=float, default=10.0, help="how long (default: 10)")
    parser.add_argument("--only", choices=ATTACKS, help="one attack alone")
    parser.add_argument("--case", type=int, help="one case alone, of --only")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="samedevice-attack-") as folder:
        if given.case is not None and given.only:
            found = run(given.only, given.seed, given.case, Path(folder) / "case")
            print(found or "nothing found")
            return int(bool(found))
        print(f"seed {given.seed}, {given.minutes:g} minutes", flush=True)
        names = [given.only] if given.only else list(ATTACKS)
        return int(attack(given.seed, names, given.minutes, Path(folder)) > 0)


if __name__ == "__main__":
    sys.exit(main())
