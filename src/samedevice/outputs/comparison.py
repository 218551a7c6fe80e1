"""comparison: whether two outputs are the same, and how they differ."""

from __future__ import annotations

import difflib
import re
from decimal import Decimal

from samedevice.outputs.output import Figure, Output

VARYING = re.compile(r"(?<![\w.])[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?")
"""A number, or the beginning of a version such as 2.13.0."""
FLOAT = re.compile(r"(?<![\w.])[-+]?(?:\d*\.\d+(?:[eE][-+]?\d+)?|\d+[eE][-+]?\d+)(?!\d|\.\d)")
"""A number with digits after its point, or with an exponent. Neither 580.95.05 nor 2.13.0 holds one."""
THOUSANDS = re.compile(r"(?<=\d),(?=\d{3}(?!\d))")
DIGITS = 4
"""Significant digits that both numbers must show before one may be a rounding of the other."""


def same_text(one: str, other: str, numbers_vary: bool = False) -> bool:
    """Whether two texts are equal, except for how far floats are rounded.

    Two floats are also equal if both show at least four significant digits and one is the other, rounded: `0.1235` and
    `0.12346`. So they never differ by more than 0.05 % (see `same_float`). All else must be the same: shorter floats,
    in which each digit is a fact (`0.5`, `1e-3`, version `2.1`), whole numbers, shapes, dtypes, devices. With
    `numbers_vary` every number equals every other, with or without commas at its thousands, and so does the blank space
    around it.
    """
    if one == other:
        return True
    if numbers_vary:
        return _without_numbers(one) == _without_numbers(other)
    if FLOAT.split(one) != FLOAT.split(other):
        return False
    return all(map(same_float, FLOAT.findall(one), FLOAT.findall(other)))


def _without_numbers(text: str) -> str:
    first, *rest = VARYING.split(THOUSANDS.sub("", text))
    if not rest:
        return first
    parts = [first.rstrip(), *(part.strip() for part in rest[:-1]), rest[-1].lstrip()]
    return "\0".join(parts)  # no output holds a NUL: `clean` made it visible


def same_float(one: str, other: str) -> bool:
    """Whether two printed floats are equal, or differ only in how far they are rounded.

    They may differ by half a unit of the last place of the one that has fewer places. As both have four significant
    digits or more, that is at most 0.5 in 1,000 of the number.
    """
    if one == other:
        return True
    try:
        a, b = Decimal(one), Decimal(other)
        if min(_significant(a), _significant(b)) < DIGITS:
            return False
        return abs(a - b) <= Decimal((0, (5,), max(_last_place(a), _last_place(b)) - 1))
    except ArithmeticError:  # an exponent that Decimal does not reach
        return False


def _significant(number: Decimal) -> int:
    """How many significant digits were printed; zero has none."""
    return len(number.as_tuple().digits) if number else 0


def _last_place(number: Decimal) -> int:
    """The power of ten of the last digit that was printed."""
    return int(number.as_tuple().exponent)


def difference(recorded: Output, now: Output, numbers_vary: bool = False) -> str:
    """How `now` differs from `recorded`, as a unified diff; empty if they are equal by `same_text`."""
    found = []
    if not same_text(recorded.shown, now.shown, numbers_vary):
        lines = difflib.unified_diff(
            recorded.shown.splitlines(), now.shown.splitlines(), "recorded", "now", lineterm="", n=2
        )
        found += list(lines) or ["they differ in line ends only"]
    found += _figure_difference(recorded.figures, now.figures, numbers_vary)
    return "\n".join(found)


def _figure_difference(recorded: tuple[Figure, ...], now: tuple[Figure, ...], numbers_vary: bool) -> list[str]:
    if len(recorded) != len(now):
        return [f"recorded {len(recorded)} figures, now {len(now)}"]
    pairs = enumerate(zip(recorded, now, strict=True), start=1)
    changed = [number for number, (old, new) in pairs if old.svg != new.svg and not numbers_vary]
    return [f"figure {number}: another picture than the recorded one" for number in changed]
