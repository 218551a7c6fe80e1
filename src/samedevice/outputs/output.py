"""Output: what a block printed, returned, raised and drew; how it is cleaned, and how two outputs compare."""

from __future__ import annotations

import difflib
import re
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from typing import Any

LIMIT = 20_000
"""Characters of text kept of one block; what goes beyond is cut, and the cut is stated."""
READ = 4 * LIMIT
"""Bytes or characters of an output that are looked at, before colours and the like are dropped from it."""

COLOUR = re.compile(r"\x1b\[[0-9;]*m")
ADDRESS = re.compile(r"\b0x[0-9a-fA-F]{6,}\b")
TRIGGERED = re.compile(r" ?\(Triggered internally at [^)]*\)")
NUMBER = re.compile(r"(?<![\w.])[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?")
DECIMAL = re.compile(r"[.eE]")
THOUSANDS = re.compile(r"(?<=\d),(?=\d{3}(?!\d))")
PICTURES = {code: chr(0x2400 + code) for code in range(32) if chr(code) not in "\n\t"} | {127: "\u2421"}
UNSEEN = (*range(0x80, 0xA0), 0x061C, 0x200E, 0x200F, *range(0x202A, 0x202F), *range(0x2066, 0x206A))
VISIBLE = PICTURES | {code: f"<U+{code:04X}>" for code in UNSEEN}


@dataclass(frozen=True)
class Figure:
    """A picture that a block drew."""

    svg: str
    """The SVG document, the same bytes for the same picture."""
    alt: str
    """What the picture shows, in a sentence."""


@dataclass(frozen=True)
class Raised:
    """An exception that ended a block."""

    type: str
    """Name of its class."""
    message: str
    """Its message."""
    trace: str = ""
    """The traceback inside the page and the files it calls; empty where the exception was announced."""


@dataclass(frozen=True)
class Output:
    """What one block did on one device."""

    text: str = ""
    """Standard output and standard error, in the order written."""
    value: str = ""
    """The repr of the last expression; empty if there is none, or it is None."""
    raised: Raised | None = None
    """The exception that ended the block."""
    figures: tuple[Figure, ...] = ()
    """Figures left open at the block's end."""
    died: str = ""
    """Why the block's process had to end in it: its time limit, a signal, an exit; empty if it did not."""

    @property
    def shown(self) -> str:
        """All of the text as it stands on the page."""
        parts = [self.text.rstrip("\n"), self.value]
        if self.raised:
            parts.append(f"{self.raised.type}: {self.raised.message}" if self.raised.message else self.raised.type)
        return "\n".join(part for part in parts if part)

    def to_json(self) -> dict[str, Any]:
        """A dictionary without the empty fields, and without the trace."""
        found = {
            "text": self.text,
            "value": self.value,
            "raised": {"type": self.raised.type, "message": self.raised.message} if self.raised else None,
            "figures": [{"svg": figure.svg, "alt": figure.alt} for figure in self.figures],
            "died": self.died,
        }
        return {key: value for key, value in found.items() if value}

    @classmethod
    def from_json(cls, found: dict[str, Any]) -> Output:
        """The inverse of `to_json`. Raises KeyError or TypeError for a dictionary of another shape."""
        raised = found.get("raised")
        return cls(
            **{key: str(found.get(key, "")) for key in ("text", "value", "died")},
            raised=Raised(**raised) if raised else None,
            figures=tuple(Figure(**figure) for figure in found.get("figures", ())),
        )


def clean(text: str, places: dict[str, str], more: int = 0) -> str:
    """Printed text as it is kept: without what differs from run to run, and with control characters made visible.

    Those of ASCII become their pictures (`␀`), those of Latin-1 and those that turn the direction of text their
    numbers (`<U+202E>`). Carriage returns do what they do on a terminal, colours are dropped, addresses become
    `0x...`, each key of `places` (a path of this machine) becomes its value. `more` is how many bytes follow the text
    that were not read.
    """
    text, more = text[:READ], more + len(text[READ:])
    for place, name in places.items():
        end = "" if place.endswith(("/", "\\")) else r"(?![\w.-])"
        text = re.sub(re.escape(place) + end, name, text)
    text = text.encode("utf-8", "backslashreplace").decode()
    text = COLOUR.sub("", text.replace("\r\n", "\n"))
    text = "\n".join(line.rstrip("\r").rpartition("\r")[2] for line in text.split("\n"))
    text = ADDRESS.sub("0x...", TRIGGERED.sub("", text))
    return cut(text.translate(VISIBLE), more)


def cut(text: str, more: int = 0) -> str:
    """The text, or its first LIMIT characters and how many are missing (`more` of them already are)."""
    missing = max(0, len(text) - LIMIT) + more
    return f"{text[:LIMIT]}\n[{missing:,} more characters, not kept]" if missing else text


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
