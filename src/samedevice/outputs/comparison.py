"""comparison: whether two outputs are the same, and how they differ."""

from __future__ import annotations

import difflib
import re
from decimal import Decimal, InvalidOperation

from samedevice.outputs.output import Figure, Output

NUMBER = re.compile(r"(?<![\w.])[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?")
DECIMAL = re.compile(r"[.eE]")
THOUSANDS = re.compile(r"(?<=\d),(?=\d{3}(?!\d))")


def same_text(one: str, other: str, numbers_vary: bool = False) -> bool:
    """Whether two texts are equal, numbers at the precision printed.

    A number with a decimal point or an exponent equals one that rounds to it at the lesser of the two precisions:
    `0.25` equals `0.250`. One that ends in its point is whole: `1.` does not equal `1.4`. Whole numbers, shapes,
    dtypes and devices must be the same. With `numbers_vary` every number equals every other, with or without
    commas at its thousands, and so does the blank space around it.
    """
    if one == other:
        return True
    if numbers_vary:
        return _without_numbers(one) == _without_numbers(other)
    if NUMBER.split(one) != NUMBER.split(other):
        return False
    return all(map(_same_number, NUMBER.findall(one), NUMBER.findall(other)))


def _without_numbers(text: str) -> str:
    text = NUMBER.sub("\0", THOUSANDS.sub("", text))
    return re.sub(r"\s*\0\s*", "\0", text)  # no output holds a NUL: `clean` made it visible


def _same_number(one: str, other: str) -> bool:
    if one == other:
        return True
    if not (DECIMAL.search(one) and DECIMAL.search(other)):
        return False
    try:
        a, b = Decimal(one), Decimal(other)
    except InvalidOperation:
        return False
    if a.is_signed() != b.is_signed():
        return False
    if a == b:
        return bool(a) or _exponent(one) == _exponent(other)  # zero is zero with any exponent
    if one.endswith(".") or other.endswith("."):
        return False
    digits = min(_digits(one), _digits(other))
    return f"{a:.{digits}e}" == f"{b:.{digits}e}"


def _exponent(number: str) -> int:
    return int(re.split("[eE]", f"{number}e0")[1])


def _digits(number: str) -> int:
    """Digits after the first significant one, as printed."""
    mantissa = re.split("[eE]", number)[0].lstrip("+-").replace(".", "").lstrip("0")
    return max(len(mantissa) - 1, 0)


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
    found = []
    for number, (old, new) in enumerate(zip(recorded, now, strict=True), start=1):
        if old.alt != new.alt:
            found.append(f"figure {number}: its alt text was recorded as {old.alt!r}, now {new.alt!r}")
        if old.svg != new.svg and not numbers_vary:
            found.append(f"figure {number}: another picture than the recorded one")
    return found
