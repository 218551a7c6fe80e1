"""Recording: what a device printed for a page, kept in tests/recordings; loading, saving, and whether it is still true.

A recording is a file of JSON, `<folder>/<device>/<topic>/<page>.json`, with the figures beside it. For each block it
holds a hash of the code that led to it (see `Page.hashes`), and a seal: a hash of that hash and the output, by which a
change by hand is noticed on any machine. The build's cache is made of the same files in another folder.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass, replace
from enum import Enum
from functools import cached_property
from pathlib import Path
from typing import Any

from samedevice.devices import DEVICES
from samedevice.errors import RecordingError
from samedevice.outputs.comparison import difference
from samedevice.outputs.environments import Environment
from samedevice.outputs.figures import figure_fault
from samedevice.outputs.output import Output
from samedevice.pages.page import Page
from samedevice.temporary import write_atomically

FORMAT = 1


class State(Enum):
    """What a recording has to say of a block as it now stands."""

    FRESH = "fresh"
    STALE = "stale"
    MISSING = "missing"
    DAMAGED = "damaged"


@dataclass(frozen=True)
class Entry:
    """The recorded output of one block."""

    hash: str
    """Hash of the code that led to the output."""
    code: str
    """First line of the block, for people who read the file."""
    output: Output
    """What the device printed."""
    seal: str
    """Hash of the other fields as they were recorded."""

    @classmethod
    def make(cls, hash: str, code: str, output: Output) -> Entry:
        """An entry with its seal."""
        first = next((line.strip() for line in code.splitlines() if line.strip()), "")[:80]
        return cls(hash, first, output, _seal(hash, first, output))

    @cached_property
    def intact(self) -> bool:
        """Whether the entry is as it was recorded, and its figures are fit for a page."""
        forged = any(figure_fault(figure.svg) for figure in self.output.figures)
        return self.seal == _seal(self.hash, self.code, self.output) and not forged


@dataclass(frozen=True)
class Recording:
    """What one device printed for one page."""

    environment: Environment
    """The device, the versions and the day."""
    entries: tuple[Entry, ...]
    """An entry for each block that ran, in the page's order."""

    @cached_property
    def _by_hash(self) -> dict[str | None, Entry]:
        """The entries by their hashes; where two have the same one, the first."""
        return {entry.hash: entry for entry in reversed(self.entries)}

    def find(self, page: Page, index: int) -> tuple[State, Entry | None]:
        """The state of the page's block number `index`, and its entry where that is fresh or damaged."""
        hashes = page.hashes(self.environment.device)
        entry = self._by_hash.get(hashes[index])
        if entry is not None:
            return (State.FRESH if entry.intact else State.DAMAGED), entry
        position = sum(found is not None for found in hashes[:index])
        if position >= len(self.entries) or self.entries[position].hash in hashes:
            return State.MISSING, None
        entry = self.entries[position]
        return (State.STALE, None) if entry.intact else (State.DAMAGED, entry)


def place(folder: Path, device: str, page: Page) -> Path:
    """Where the recording of a page on a device is, below `folder`."""
    return folder / device / f"{page.name}.json"


def load(path: Path, name: str = "") -> Recording | None:
    """Read a recording; None if there is none. Raises RecordingError, naming it `name`, if it cannot be read."""
    advice = "bring it back with git checkout, or delete it and record again"
    try:
        if not path.exists():
            return None
        found = json.loads(path.read_text(encoding="utf-8"))
        if found["format"] != FORMAT:
            raise RecordingError(name or str(path), f"format {found['format']} is not known here; {advice}")
        environment = Environment(**found["environment"])
        if found["seal"] != _seal(found["environment"]) or environment.device not in DEVICES:
            raise RecordingError(name or str(path), f"its environment was changed by hand; {advice}")
        return Recording(environment, tuple(_read_entry(entry, path) for entry in found["blocks"]))
    except (ValueError, KeyError, TypeError, AttributeError, OSError) as error:
        reason = f"is damaged ({type(error).__name__}: {error}); {advice}"
        raise RecordingError(name or str(path), reason) from error


def save(path: Path, recording: Recording) -> None:
    """Write a recording and its figures so that whoever reads sees the old one or the new one, whole.

    Raises OSError where that cannot be done; the old one is then as it was.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    try:
        for name, svg in _figures(path, recording).items():
            if not (path.parent / name).exists():
                write_atomically(path.parent / name, svg)
        write_atomically(path, _content(path, recording))
    finally:
        tidy(path)


def tidy(path: Path) -> None:
    """Remove the figures beside a recording that are not its own: of an earlier one, or of a run that was killed."""
    try:
        found = load(path)
    except RecordingError:
        return
    figures = _figures(path, found) if found else {}
    for old in path.parent.glob(f"{path.stem}@*.svg"):
        if old.name not in figures:
            old.unlink(missing_ok=True)


def _figures(path: Path, recording: Recording) -> dict[str, str]:
    """The figures of a recording by the names of their files."""
    figures = (figure for entry in recording.entries for figure in entry.output.figures)
    return {_figure_name(path.stem, figure.svg): figure.svg for figure in figures}


def _content(path: Path, recording: Recording) -> str:
    content = {
        "format": FORMAT,
        "environment": asdict(recording.environment),
        "seal": _seal(asdict(recording.environment)),
        "blocks": [_write_entry(entry, path.stem) for entry in recording.entries],
    }
    return json.dumps(content, indent=1, ensure_ascii=False) + "\n"


def update(
    old: Recording | None, page: Page, environment: Environment, outputs: Iterable[Output | None]
) -> Recording | None:
    """The recording of a page after a run; None if the old one says all of it already.

    Outputs that compare equal to the recorded ones stay as they were recorded, unless they were recorded on another
    device or with other versions. So do those of blocks that did not run, as long as their code is the same.
    """
    hashes = page.hashes(environment.device)
    same = old is not None and _same_place(old.environment, environment)
    known = {entry.hash: entry for entry in old.entries if entry.intact} if old and same else {}
    entries: list[Entry] = []
    for block, hash, output in zip(page.blocks, hashes, outputs, strict=True):
        kept = known.get(hash or "")
        if hash is None or (output is None and kept is None):
            continue
        if kept is not None and (output is None or not difference(kept.output, output, block.options.numbers_vary)):
            entries.append(kept)
        elif output is not None:
            entries.append(Entry.make(hash, block.code, output))
    if old and same and tuple(entries) == old.entries:
        return None
    return Recording(environment, tuple(entries))


def _same_place(one: Environment, other: Environment) -> bool:
    return replace(one, day="") == replace(other, day="")


def _seal(*parts: Any) -> str:
    plain = [part.to_json() if isinstance(part, Output) else part for part in parts]
    return hashlib.sha256(json.dumps(plain).encode()).hexdigest()[:20]


def _figure_name(stem: str, svg: str) -> str:
    return f"{stem}@{hashlib.sha256(svg.encode()).hexdigest()[:12]}.svg"


def _write_entry(entry: Entry, stem: str) -> dict[str, Any]:
    found = entry.output.to_json()
    for figure in found.get("figures", ()):
        figure["svg"] = _figure_name(stem, figure["svg"])
    return {"hash": entry.hash, "code": entry.code, "output": found, "seal": entry.seal}


def _read_entry(found: dict[str, Any], path: Path) -> Entry:
    """An entry with its figures, which are found by the recording's own name, so that both may be renamed."""
    output = found["output"]
    for figure in output.get("figures", ()):
        name = path.stem + "@" + figure["svg"].partition("@")[2]
        figure["svg"] = path.with_name(name).read_text(encoding="utf-8")
    return Entry(found["hash"], found["code"], Output.from_json(output), found["seal"])
