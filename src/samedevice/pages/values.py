"""values: reads the values of a fence's options, and says what is wrong with one that cannot be read."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from samedevice.devices import DEVICES

NAMES = f"{', '.join(DEVICES[1:])} or {DEVICES[0]}"
"""The devices, as an author may name them: `cuda, mps or cpu`."""
NEEDS = re.compile(r"(?:(?:(?P<count>\d+)\s+)?(?P<device>(?!torch\b)\w+))?\s*(?:torch\s*(?P<versions>\S.*))?$")
NEEDS_ADVICE = f'use {NAMES}, "2 cuda" for two, "torch>=2.15" for a version, or "cuda torch>=2.15"'
VERSIONS_ADVICE = 'write torch>=2.15, torch<2.14, or both, as in "torch>=2.11,<2.14"'
LINES = re.compile(r"\d+(?:-\d+)?(?: +\d+(?:-\d+)?)*$")
VERSIONS = re.compile(r"\s*(?P<sign>>=|<)\s*(?P<major>\d+)\.(?P<minor>\d+)\s*$")

Read = Callable[[str], dict[str, Any]]
"""Reads a value as written, and gives fields of `Options` with their values. Raises ValueError for what is wrong."""


def read_one_word(name: str, word: str, fields: dict[str, Any]) -> Read:
    """Reads an option that can have one value only."""

    def read(value: str) -> dict[str, Any]:
        if value != word:
            raise ValueError(f'{name}="{value}" is unknown; write {name}="{word}" or leave it out')
        return fields

    return read


def read_simulated(value: str) -> dict[str, Any]:
    """`no`, or `yes` where numbers vary from GPU to GPU, and PyTorch's code decides them."""
    if value not in ("no", "yes"):
        raise ValueError(f'simulated="{value}" is unknown; write simulated="no" reason="...", or simulated="yes"')
    return {"simulated": value}


def read_run(value: str) -> dict[str, Any]:
    """`no`, or nothing: the word by which a fence asks to be run."""
    if value not in ("", "no"):
        raise ValueError(f'run="{value}" is unknown; write run="no" reason="...", the word run, or leave it out')
    return {"run": value or "yes"}


def read_setup(value: str) -> dict[str, Any]:
    """A bare word: it has no value."""
    if value:
        raise ValueError(f'setup="{value}" is unknown; write the word setup alone')
    return {"setup": True}


def read_lines(value: str) -> dict[str, Any]:
    """Numbers of lines, and ranges of them."""
    if not LINES.match(value):
        raise ValueError(f'hl_lines="{value}" names no lines; write hl_lines="2" or hl_lines="1-3 5"')
    return {"hl_lines": value}


def read_compare(value: str) -> dict[str, Any]:
    """A device beside the CPU."""
    if value not in DEVICES[1:]:
        others = " or ".join(DEVICES[1:])
        raise ValueError(f'compare="{value}" names no device beside the CPU; use {others}')
    return {"compare": value}


def read_needs(value: str) -> dict[str, Any]:
    """The device, how many of it, and the versions of PyTorch that a block needs."""
    match = NEEDS.match(value)
    device = match["device"] or "" if match else ""
    if match is None or device not in ("", *DEVICES) or match["count"] == "0":
        raise ValueError(f'needs="{value}" names no device; {NEEDS_ADVICE}')
    versions = (match["versions"] or "").strip()
    if not all(VERSIONS.match(part) for part in versions.split(",") if versions):
        raise ValueError(f'needs="{value}" names no version of PyTorch; {VERSIONS_ADVICE}')
    return {"needs": device, "count": int(match["count"] or 1), "versions": versions}


def read_raises(value: str) -> dict[str, Any]:
    """The exceptions that a block must raise, each on one device or on all."""
    pairs: list[tuple[str, str]] = []
    for part in filter(None, (part.strip() for part in value.split(","))):
        device, _, name = part.rpartition(":")
        device, name = device.strip(), name.strip()
        if device and device not in DEVICES:
            raise ValueError(f'raises="{value}": {device} names no device; use {NAMES}')
        if not name.isidentifier():
            raise ValueError(f'raises="{value}" names no exception; write raises="RuntimeError"')
        if any(device == where or not (device and where) for where, _ in pairs):
            raise ValueError(f'raises="{value}" names two exceptions for one device; keep one of them')
        pairs.append((device, name))
    return {"raises": tuple(pairs)}
