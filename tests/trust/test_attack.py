"""The attack: it finds a hole that is opened again, its cases come again by their seed, and it ends what hangs."""

from __future__ import annotations

import random
import re
import sys
import time
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

import attack as driver
from attack import ATTACKS, RARE
from attacks import words

QUICK = [name for name in ATTACKS if name not in RARE]
CASES = 15


def found(name: str, folder: Path, cases: int = CASES) -> str:
    """What the first case of an attack that fails has found; empty if none does."""
    done = (driver.run(name, 29, case, folder / "case") for case in range(cases))
    return next(filter(None, done), "")


@pytest.mark.parametrize("name", QUICK)
def test_an_attack_finds_nothing(name: str, tmp_path: Path) -> None:
    """A few cases of each in every run of the tests; the rest once a week."""
    assert found(name, tmp_path) == ""


@pytest.mark.parametrize("name", ["times", "server"])
def test_an_attack_that_takes_seconds_finds_nothing(name: str, tmp_path: Path) -> None:
    """One case of each is enough to know that it works."""
    assert found(name, tmp_path, 1) == ""


def test_a_seed_makes_the_same_case_again() -> None:
    """Else nobody could mend what was found."""
    assert words(random.Random("1 outputs 3")) == words(random.Random("1 outputs 3"))
    assert words(random.Random("1 outputs 3")) != words(random.Random("2 outputs 3"))


@pytest.mark.parametrize(
    ("name", "hole"),
    [
        ("outputs", "samedevice.outputs.cleaning.VISIBLE"),
        ("recordings", "samedevice.outputs.page_file.RECORDING"),
        ("pages", "samedevice.weaving.check_export.PUBLISHED"),
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
    assert found(name, tmp_path, 400)


def test_what_hangs_is_ended_and_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A pattern that tries everything holds the interpreter."""
    monkeypatch.setattr(driver, "SECONDS", 1)
    monkeypatch.setitem(ATTACKS, "hang", lambda chance, folder: time.sleep(0) or re_hangs())
    assert "took more than 1 s" in found("hang", tmp_path, 1)


def re_hangs() -> None:
    """What cleaning once did for `print(2**100, "is big")`."""
    re.fullmatch(r"(?:a|\d+)*", "1" * 60 + "b")


def test_the_command_says_how_to_repeat_a_case(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The seed and the number are all that it needs."""

    def broken(chance: random.Random, folder: Path) -> None:
        assert chance.random() < 0, "planted"

    monkeypatch.setattr(driver, "ATTACKS", {"broken": broken})
    monkeypatch.setattr(sys, "argv", ["attack.py", "--seed", "7", "--minutes", "0.001", "--only", "broken"])
    assert driver.main() == 1
    assert "attack.py --seed 7 --only broken --case 0" in capsys.readouterr().out
    monkeypatch.setattr(sys, "argv", ["attack.py", "--seed", "7", "--only", "broken", "--case", "0"])
    assert driver.main() == 1
    assert "planted" in capsys.readouterr().out
