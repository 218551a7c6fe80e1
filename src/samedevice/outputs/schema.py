"""schema: what a file or a server may say, field by field: of which kind, of which form, how long, how many.

Recordings, archives and published pages come from other people. Each is checked here, whole, before any of it is used.
These are plain functions and no library: the shapes are few and flat, and a checkout must record with Sybil alone.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from datetime import date
from typing import Any

from samedevice.devices import DEVICES
from samedevice.outputs.cleaning import LIMIT, VISIBLE

Check = Callable[[Any], None]
"""Raises SchemaError for a value that it does not allow."""


class SchemaError(ValueError):
    """A value that is not what its field may hold. Its `str` names the field: `blocks[3].output.text is no text`."""

    def __init__(self, problem: str, field: str = "") -> None:
        super().__init__(f"{field or 'it'} {problem}")
        self.problem = problem
        self.field = field


class FormatError(SchemaError):
    """A file of another version of this package, in the format `version`."""

    def __init__(self, problem: str, version: int) -> None:
        super().__init__(problem, "format")
        self.version = version


def must(allowed: bool, problem: str) -> None:
    """Raise SchemaError, unless a value is allowed."""
    if not allowed:
        raise SchemaError(problem)


def inside(field: str, check: Check, value: Any) -> None:
    """Check a field of another value."""
    try:
        check(value)
    except SchemaError as error:
        raise SchemaError(error.problem, field + "." * error.field[:1].isalpha() + error.field) from None


def text(form: str, most: int, what: str) -> Check:
    """Text that matches the pattern `form` as a whole, in linear time; `what` says so in words."""
    pattern = re.compile(form, re.ASCII)

    def check(value: Any) -> None:
        must(isinstance(value, str), "is no text")
        if len(value) > most:
            raise SchemaError(f"has {len(value):,} characters of at most {most:,}")
        must(bool(pattern.fullmatch(value)), f"is no {what}")

    return check


def day(value: Any) -> None:
    """A day of the calendar, YYYY-MM-DD, or nothing."""
    text(r"(?:\d{4}-\d\d-\d\d)?", 10, "day, YYYY-MM-DD")(value)
    try:
        date.fromisoformat(value or "2026-11-28")
    except ValueError:
        raise SchemaError("is no day of the calendar") from None


def whole(least: int, most: int) -> Check:
    """A whole number."""
    return lambda value: must(
        type(value) is int and least <= value <= most, f"is no whole number from {least} to {most}"
    )


def flag(value: Any) -> None:
    """True or false."""
    must(type(value) is bool, "is neither true nor false")


def one_of(*values: str) -> Check:
    """One of these texts."""
    return lambda value: must(isinstance(value, str) and value in values, f"is none of {', '.join(values)}")


def many(each: Check, most: int, least: int = 0) -> Check:
    """A list, in which all are of one kind."""

    def check(value: Any) -> None:
        must(isinstance(value, list) and least <= len(value) <= most, f"is no list of {least} to {most}")
        for number, one in enumerate(value):
            inside(f"[{number}]", each, one)

    return check


def named(name: Check, each: Check, most: int) -> Check:
    """Values by names."""

    def check(value: Any) -> None:
        must(isinstance(value, dict) and len(value) <= most, f"is no table of at most {most:,}")
        for key, one in value.items():
            inside(f"[{key[:100]!r}]", name, key)
            inside(f"[{key[:100]!r}]", each, one)

    return check


def record(needed: Mapping[str, Check], others: Mapping[str, Check] | None = None) -> Check:
    """Fields by their names: those that are needed, perhaps others of these, and none beside them."""
    known = {**needed, **(others or {})}

    def check(value: Any) -> None:
        must(isinstance(value, dict), "is no table")
        for name in needed:
            must(name in value, f"has no {name}")
        for name, one in value.items():
            must(name in known, f"has a field {name[:40]!r} that is not known")
            inside(name, known[name], one)

    return check


def read(data: str, check: Check, version: int | None = None) -> Any:
    """What JSON says, if the check allows it. Raises SchemaError, also for what is no JSON.

    With a `version` it must be a table whose field `format` has it. Raises FormatError for another number there.
    """
    try:
        found = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise SchemaError(f"is no JSON that can be read: {error}") from None
    said = found.get("format") if isinstance(found, dict) else None
    if version is not None and type(said) is int and said != version:
        raise FormatError(f"{said} is not known here", said)
    check(found)
    return found


UNSEEN = "".join(map(re.escape, map(chr, VISIBLE))) + r"\ud800-\udfff"
"""The characters that no cleaned text holds, as a pattern has them."""
VERSION = r"\d{1,4}(?:\.\d{1,9}){1,4}[\w.-]{0,40}(?:\+[\w.-]{1,60})?"
LINE = text(r"[^\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]*", 2_000, "line of text")
"""What an author writes in one line; it may be of any language."""
NAME = text(r"[\w .,()/+@:#-]*", 120, "name of letters, digits and .,()/+@:#-")
HASH = text(r"[0-9a-f]{16,64}", 64, "hash")
CODE = text(r"[^\ud800-\udfff]*", 500_000, "text")
"""What programs and blocks are made of."""
PRINTED = text(rf"[^{UNSEEN}]*", LIMIT + 100, "text that was cleaned")
PATH = text(
    r"(?!\.\.?(?:/|$))[^\x00-\x1f\x7f/\\:\ud800-\udfff]{1,100}"
    r"(?:/(?!\.\.?(?:/|$))[^\x00-\x1f\x7f/\\:\ud800-\udfff]{1,100}){0,15}",
    600,
    "path below a folder",
)
"""A path with forward slashes that stays below its folder."""
PICTURE = text(r"[0-9a-f]{12}", 12, "name of a figure")

ENVIRONMENT_NAME = text(r"[\w.+-]{1,200}", 200, "name of an environment")
ENVIRONMENT = record(
    {
        "device": one_of(*DEVICES),
        "name": NAME,
        "torch": text(rf"(?:{VERSION})?", 120, "version of PyTorch"),
        "python": text(VERSION, 60, "version of Python"),
    },
    {
        "driver": text(r"[\w.-]*", 60, "version of a driver"),
        "day": day,
        "numpy": text(rf"(?:{VERSION})?", 120, "version of NumPy"),
        "simulated": flag,
        "library": ENVIRONMENT_NAME,
        "library_version": text(r"[\w.!+-]*", 120, "version of a library"),
    },
)
"""Where outputs were made."""
RAISED = record({"type": PRINTED, "message": PRINTED}, {"announced": PRINTED})


def output(picture: Check) -> Check:
    """What a block printed; `picture` is what it may say of each figure."""
    figures = many(record({"svg": picture, "alt": LINE}), 100)
    return record({}, {"text": PRINTED, "value": PRINTED, "raised": RAISED, "figures": figures, "died": LINE})


NAMES = many(ENVIRONMENT_NAME, 200)
READ = named(PATH, HASH, 1_000)
CODE_BLOCK = record(
    {"code": HASH},
    {
        "line": LINE,
        "read": READ,
        "text": HASH,
        "alone": flag,
        "only": NAMES,
        "unused": NAMES,
        "printed": named(HASH, NAMES, 200),
    },
)
CODE_BLOCKS = many(CODE_BLOCK, 50_000)
RECORDING = record(
    {
        "format": whole(0, 1_000),
        "environments": named(ENVIRONMENT_NAME, ENVIRONMENT, 200),
        "setup": CODE_BLOCKS,
        "sections": many(
            record(
                {"anchor": LINE, "blocks": CODE_BLOCKS}, {"after": LINE, "programs": named(ENVIRONMENT_NAME, HASH, 200)}
            ),
            10_000,
        ),
        "outputs": named(HASH, output(PICTURE), 50_000),
    }
)
"""The file of a page's recordings."""
