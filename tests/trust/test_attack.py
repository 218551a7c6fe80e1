"""The attack: made-up outputs, recordings, figures, archives, pages and blocks that mean harm. `make attack`.

Each run of the tests has a few cases of each attack. `make attack` gives each of them its part of SAMEDEVICE_MINUTES,
and a new seed unless SAMEDEVICE_SEED names one. A case fails if it raises an error that is not one of the engine's,
takes too long, or breaks what the attack holds; what fails is told with the command that repeats it alone.
"""

from __future__ import annotations

import faulthandler
import itertools
import os
import random
import re
import shutil
import signal
import sys
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType

import pytest
from attacks import ATTACKS as ON_DATA
from attacks import words
from attacks_on_runs import ON_RUNS

ATTACKS = ON_DATA | ON_RUNS
MINUTES = float(os.environ.get("SAMEDEVICE_MINUTES") or 0)
"""Of all attacks together; 0 in a run of the tests."""
SEED = int(os.environ.get("SAMEDEVICE_SEED") or (random.SystemRandom().randrange(10**6) if MINUTES else 29))
CASE = os.environ.get("SAMEDEVICE_CASE")
"""The one case to run."""
FEW, SLOW = 15, ("times", "server", "forging")
"""Cases of an attack in a run of the tests; of those that take seconds, one."""
SECONDS = 20
"""Processor time that one case may take."""
DEAD = 600
"""Seconds after which a case that cannot be ended otherwise ends the program, with a traceback."""


class TooLongError(BaseException):
    """A case took too long. Nothing but this module takes it for an error of its own."""


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


def attack(name: str, case: int, folder: Path, seed: int = SEED) -> None:
    """Run one case of an attack in an empty folder. Raises what it found."""
    folder.mkdir()
    try:
        with limited(SECONDS):
            ATTACKS[name](random.Random(f"{seed} {name} {case}"), folder)
    except BaseException as error:
        error.add_note(f"Repeat it: make attack SEED={seed} ONLY={name} CASE={case}")
        raise
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def attack_all(name: str, numbers: Iterable[int], folder: Path, seed: int = SEED) -> int:
    """Run cases until one fails; return how many there were."""
    count = 0
    for case in numbers:
        attack(name, case, folder / "case", seed)
        count += 1
    return count


def cases(name: str) -> Iterator[int]:
    """The numbers of the cases to run."""
    if CASE:
        yield int(CASE)
    elif MINUTES:
        until = time.monotonic() + 60 * MINUTES / len(ATTACKS)
        yield from itertools.takewhile(lambda _: time.monotonic() < until, itertools.count())
    else:
        yield from range(1 if name in SLOW else FEW)


@pytest.mark.parametrize("name", ATTACKS)
def test_an_attack_finds_nothing(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Nothing that a stranger sends, and nothing that a block does, may hurt."""
    count = attack_all(name, cases(name), tmp_path)
    with capsys.disabled():
        print(f"\n{name}, seed {SEED}: {count} cases" if MINUTES else "", end="")


def test_a_seed_makes_the_same_case_again() -> None:
    """Else nobody could mend what was found."""
    assert words(random.Random("1 outputs 3")) == words(random.Random("1 outputs 3"))
    assert words(random.Random("1 outputs 3")) != words(random.Random("2 outputs 3"))


@pytest.mark.parametrize(
    ("name", "hole"),
    [
        ("outputs", "samedevice.outputs.cleaning.VISIBLE"),
        ("recordings", "samedevice.outputs.page_file.RECORDING"),
        ("pages", "samedevice.exporting.check_export.PUBLISHED"),
        ("archives", "unpacking.NAMES"),
        ("figures", "samedevice.outputs.figures.SHAPES"),
        ("cleaning", "samedevice.outputs.cleaning.BEFORE"),
        ("edits", "samedevice.outputs.page_file.digest"),
    ],
)
def test_a_hole_that_is_opened_again_is_found(
    name: str, hole: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else the attack proves nothing."""
    anything = {"VISIBLE": {}, "NAMES": re.compile(".*", re.S), "SHAPES": 10**9, "BEFORE": ""}
    monkeypatch.setattr(hole, anything.get(hole.rpartition(".")[2], lambda value: None))
    if name == "archives":
        monkeypatch.setattr("unpacking.PART", re.compile(".*", re.S))
    with pytest.raises(Exception, match=rf"Repeat it: make attack SEED=29 ONLY={name} CASE=\d"):
        attack_all(name, range(400), tmp_path, 29)


def test_what_hangs_is_ended_and_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A pattern that tries everything holds the interpreter."""
    monkeypatch.setattr(sys.modules[__name__], "SECONDS", 1)
    monkeypatch.setitem(ATTACKS, "hang", lambda chance, folder: re_hangs())
    with pytest.raises(TooLongError, match="took more than 1 s"):
        attack("hang", 0, tmp_path / "case")


def re_hangs() -> None:
    """What cleaning once did for `print(2**100, "is big")`."""
    re.fullmatch(r"(?:a|\d+)*", "1" * 60 + "b")
