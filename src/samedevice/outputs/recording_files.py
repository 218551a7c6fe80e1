"""recording_files: recordings as files: `<folder>/<environment>/<topic>/<page>.json`, with the figures beside it.

Environments mostly print the same. An entry whose output another recording of the page holds is written as its hash
and its seal alone, and gets its output from there when it is read; the seal proves that it is the right one. Where no
output is found, nothing proves the hash. So a check of both follows the seal, and a changed hash is an error rather
than a block that was never recorded. The build's cache is made of the same files in another folder.
"""

from __future__ import annotations

import glob
import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from samedevice.errors import RecordingError
from samedevice.outputs import figures
from samedevice.outputs.environments import Environment
from samedevice.outputs.output import Output
from samedevice.outputs.recordings import RecordedBlock, Recording, seal, short_hash
from samedevice.outputs.schema import RECORDING, FormatError, read
from samedevice.pages.page import Page
from samedevice.temporary import write_atomically

FORMAT = 2
LARGEST = 20_000_000
"""Bytes that the file of a recording may have."""
ADVICE = "bring it back with git checkout, or delete it and record again"
SEAL, CHECK = 20, 12
"""Characters of a seal, and of the check that follows the seal of an entry without an output of its own."""
Outputs = Mapping[str, list[RecordedBlock]]
"""Entries with an output of their own, by hash."""


@dataclass(frozen=True)
class RecordingFile:
    """A recording as its file has it."""

    path: Path
    recording: Recording
    """What is in the file; entries without an output of their own have None."""

    @property
    def own(self) -> list[RecordedBlock]:
        """The entries that are written with their outputs."""
        return [entry for entry in self.recording.entries if entry.output is not None]


def place(folder: Path, environment: str, page: Page) -> Path:
    """Where the recording of a page is, below `folder`, for the environment with this folder."""
    return folder / environment / f"{page.name}.json"


def paths(folder: Path, page: Page) -> list[Path]:
    """The files of all recordings of a page below `folder`."""
    if not folder.is_dir():
        return []
    found = (place(folder, child.name, page) for child in sorted(folder.iterdir()))
    return [path for path in found if path.exists()]


def load(path: Path, name: str = "", among: Iterable[Path] = ()) -> Recording | None:
    """Read a recording; None if there is none. `among` are the page's other recordings, whose outputs it may share.

    Raises RecordingError, naming it `name`, if it cannot be read.
    """
    found = _read(path, name)
    if found is None:
        return None
    if len(found.own) == len(found.recording.entries):
        return found.recording
    return _filled(found.recording, _outputs([found, *_readable(other for other in among if other != path)]))


def load_all(root: Path, folder: Path, page: Page) -> tuple[tuple[Recording, ...], list[RecordingError]]:
    """The recordings of a page below `folder`, newest PyTorch first, and why others cannot be read. Raises nothing."""
    files, errors = [], []
    for path in paths(root / folder, page):
        try:
            found = _read(path, path.relative_to(root).as_posix())
            if found is not None:
                files.append(_in_place(found, root / folder, path.relative_to(root).as_posix()))
        except RecordingError as error:
            errors.append(error)
    outputs = _outputs(files)
    recordings = [_filled(file.recording, outputs) for file in files]
    return tuple(sorted(recordings, key=lambda one: one.environment.order, reverse=True)), errors


def save(path: Path, recording: Recording, among: Iterable[Path] = ()) -> None:
    """Write a recording and its figures so that a reader sees the old one or the new one, whole.

    Outputs that one of the page's other recordings, `among`, has too are not written again. Others that share an output
    of the old recording that changes now are written first, with the output. Raises OSError where that cannot be done;
    the old one is then as it was.
    """
    readable = (file for file in _readable(among) if file.path != path)
    others = [file for file in readable if _may_share(file.recording.environment, recording.environment)]
    old = next(iter(_readable([path])), None)
    if old is not None:
        _release(old, recording, others)
    kept = {entry.hash: entry.output for entry in old.own} if old else {}
    elsewhere = _outputs(others)
    entries = tuple(
        replace(entry, output=None)
        if kept.get(entry.hash) != entry.output and _shared(entry, recording.environment, elsewhere)
        else entry
        for entry in recording.entries
    )
    _write(path, replace(recording, entries=entries))


def _may_share(one: Environment, other: Environment) -> bool:
    """Whether two environments may write an output that both have once.

    Those of one kind of device do, and a simulated device shares with the CPU, which computes its values. What a real
    GPU printed stands in its own file.
    """
    kinds = {(one.device, one.simulated), (other.device, other.simulated)}
    return len(kinds) == 1 or all(simulated or device == "cpu" for device, simulated in kinds)


def tidy(path: Path) -> None:
    """Remove the figures beside a recording that are not its own: of an earlier one, or of a run that was killed."""
    try:
        found = _read(path)
    except RecordingError:
        return
    figures = _figures(path, found.recording) if found else {}
    for old in path.parent.iterdir() if path.parent.is_dir() else ():
        if old.suffix == ".svg" and figure_owner(old) == path.stem and old.name not in figures:
            old.unlink(missing_ok=True)


def figure_files(path: Path) -> list[Path]:
    """The figures beside a recording that have its page's name, whether or not it names them."""
    return sorted(path.parent.glob(f"{glob.escape(path.stem)}@*.svg"))


def figure_owner(figure: Path) -> str:
    """The name of the page that a figure's file belongs to."""
    return figure.name.rpartition("@")[0]


def _read(path: Path, name: str = "") -> RecordingFile | None:
    try:
        if not path.exists():
            return None
        found = read(_text(path, LARGEST), RECORDING, FORMAT)
        environment = Environment(**found["environment"])
        if found["seal"] != short_hash(environment.to_json()):
            raise RecordingError(name or str(path), f"its environment was changed by hand; {ADVICE}")
        for number, one in enumerate(found["blocks"], start=1):
            if "output" not in one and one["seal"] != _sealed(one["hash"], one["seal"][:SEAL], environment):
                raise RecordingError(name or str(path), f"its block {number} was changed by hand; {ADVICE}")
        return RecordingFile(path, Recording(environment, tuple(_read_entry(one, path) for one in found["blocks"])))
    except FormatError as error:
        raise RecordingError(name or str(path), f"{error}; {ADVICE}") from None
    except (ValueError, OSError) as error:
        raise RecordingError(name or str(path), f"is damaged ({error}); {ADVICE}") from error


def _text(path: Path, most: int) -> str:
    """The text of a regular file of at most so many bytes. Raises ValueError or OSError."""
    if not path.is_file():
        raise ValueError(f"{path.name} is no regular file")
    size = path.stat().st_size
    if size > most:
        raise ValueError(f"{path.name} has {size:,} bytes of at most {most:,}")
    return path.read_text(encoding="utf-8")


def _readable(files: Iterable[Path]) -> Iterator[RecordingFile]:
    """Those files that can be read."""
    for path in files:
        try:
            found = _read(path)
        except RecordingError:
            continue
        if found is not None:
            yield found


def _in_place(file: RecordingFile, folder: Path, name: str) -> RecordingFile:
    """The file, if it is in its environment's folder. Raises RecordingError."""
    environment, at = file.recording.environment, file.path.relative_to(folder).parts[0]
    if at != environment.folder:
        raise RecordingError(name, f"{environment} recorded it; move it to {environment.folder} with git mv")
    return file


def _outputs(files: Iterable[RecordingFile]) -> Outputs:
    """The entries that are written with their outputs."""
    found: dict[str, list[RecordedBlock]] = {}
    for file in files:
        for entry in file.own:
            found.setdefault(entry.hash, []).append(entry)
    return found


def _filled(recording: Recording, outputs: Outputs) -> Recording:
    """The recording with the outputs that it shares."""
    about = recording.environment
    entries = (one if one.output else _shared(one, about, outputs) or one for one in recording.entries)
    return replace(recording, entries=tuple(entries))


def _shared(entry: RecordedBlock, environment: Environment, outputs: Outputs) -> RecordedBlock | None:
    """The entry with the output that its seal was made for, if it is there."""
    for other in outputs.get(entry.hash, ()):
        if other.output and entry.seal == seal(environment, entry.hash, other.code, other.output):
            return replace(entry, code=other.code, output=other.output)
    return None


def _release(old: RecordingFile, new: Recording, others: list[RecordingFile]) -> None:
    """Write the outputs that others share with the old recording, and that the new one has no more, to the others.

    What was recorded for code that the page has no more is not written: nobody is shown it.
    """
    changed = [one for one in old.own if one.hash in new.by_hash and new.by_hash[one.hash].output != one.output]
    for number, other in enumerate(others):
        outputs = _outputs([replace(old, recording=replace(old.recording, entries=tuple(changed)))])
        filled = _filled(other.recording, outputs)
        if filled != other.recording:
            _write(other.path, filled)
            others[number] = replace(other, recording=filled)


def _write(path: Path, recording: Recording) -> None:
    """Write a file and the figures of the outputs that are in it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    try:
        for name, svg in _figures(path, recording).items():
            if not (path.parent / name).exists():
                write_atomically(path.parent / name, svg)
        write_atomically(path, _content(path, recording))
    finally:
        tidy(path)


def _figures(path: Path, recording: Recording) -> dict[str, str]:
    """The figures of a recording by the names of their files."""
    figures = (figure for entry in recording.entries if entry.output for figure in entry.output.figures)
    return {_figure_name(path.stem, figure.svg): figure.svg for figure in figures}


def _figure_name(stem: str, svg: str) -> str:
    return f"{stem}@{hashlib.sha256(svg.encode()).hexdigest()[:12]}.svg"


def _content(path: Path, recording: Recording) -> str:
    content = {
        "format": FORMAT,
        "environment": recording.environment.to_json(),
        "seal": short_hash(recording.environment.to_json()),
        "blocks": [_write_entry(entry, path.stem, recording.environment) for entry in recording.entries],
    }
    return json.dumps(content, indent=1, ensure_ascii=False) + "\n"


def _sealed(hash: str, seal: str, environment: Environment) -> str:
    """The seal of an entry without an output of its own, as it is written: with a check of it, the hash and where."""
    return seal + short_hash(environment.sealed, hash, seal)[:CHECK]


def _write_entry(entry: RecordedBlock, stem: str, environment: Environment) -> dict[str, Any]:
    if entry.output is None:
        return {"hash": entry.hash, "seal": _sealed(entry.hash, entry.seal, environment)}
    found = entry.output.to_json()
    for figure in found.get("figures", ()):
        figure["svg"] = _figure_name(stem, figure["svg"])
    return {"hash": entry.hash, "code": entry.code, "output": found, "seal": entry.seal}


def _read_entry(found: dict[str, Any], path: Path) -> RecordedBlock:
    """An entry with its figures, which are found by the recording's own name, so that both may be renamed."""
    if "output" not in found:
        return RecordedBlock(found["hash"], "", None, found["seal"][:SEAL])
    output = found["output"]
    for figure in output.get("figures", ()):
        name = path.stem + "@" + figure["svg"].rpartition("@")[2]
        figure["svg"] = _text(path.with_name(name), figures.LARGEST)
    return RecordedBlock(found["hash"], found.get("code", ""), Output.from_json(output), found["seal"])
