"""recording_files: recordings as files: `<folder>/<topic>/<page>.json`, with the page's figures beside it.

A recording follows its code: for what the page's own file has nothing, the files of other pages are looked through.
The build's cache and the archives of recorders are such folders, too.
"""

from __future__ import annotations

import contextlib
import glob
import hashlib
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path

from samedevice.errors import RecordingError
from samedevice.files import locked, write_atomically
from samedevice.outputs import figures
from samedevice.outputs.page_file import PageFile, from_text, to_text
from samedevice.outputs.recordings import RecordedBlock, Recording
from samedevice.pages.page import Page
from samedevice.project import DEFAULTS, PAGES, Settings

LARGEST = 50_000_000
"""Bytes that the file of a page's recordings may have."""
ADVICE = "bring it back with git checkout, or delete it and record again"
Recorded = tuple[tuple[Recording, ...], list[RecordingError]]
"""The recordings of a page, newest PyTorch first, and why others cannot be read."""
CONFLICT = "<<<<<<<"
"""What git writes where two branches changed the same lines."""


class Recordings:
    """The recordings of a project's pages below `folder`, a path relative to its root.

    If they `follow` their code, a page also has what was recorded of its blocks when they were on another page.
    """

    def __init__(self, root: Path, folder: Path | str, follow: bool = True) -> None:
        self.root = root
        self.folder = root / folder
        self.follow = follow
        self._hashes: dict[str, str] = {}

    def load(self, page: Page) -> Recorded:
        """What is recorded of a page, newest PyTorch first, and why a file cannot be read. Raises nothing."""
        try:
            return _with_moved(page, self.own(page), self), []
        except RecordingError as error:
            return (), [error]

    def own(self, page: Page) -> tuple[Recording, ...]:
        """What the page's own file has, newest PyTorch first. Raises RecordingError."""
        return self.read(place(self.folder, page)).recordings(self._changed)

    def read(self, path: Path) -> PageFile:
        """The file of a page's recordings; an empty one if there is none. Raises RecordingError."""
        return read_file(path, path.relative_to(self.root).as_posix() if path.is_relative_to(self.root) else str(path))

    def _changed(self, file: tuple[str, str]) -> bool:
        """Whether a file of the repository that a block read has other content now."""
        path, hash = file
        if path not in self._hashes:
            self._hashes[path] = file_hash(self.root / path)
        return self._hashes[path] != hash

    @cached_property
    def by_environment(self) -> Mapping[str, tuple[Recording, Mapping[str, RecordedBlock]]]:
        """Of all pages that can be read what each environment printed, by the hashes of the programs."""
        found: dict[str, tuple[Recording, dict[str, RecordedBlock]]] = {}
        for path in sorted(self.folder.rglob("*.json")):
            with contextlib.suppress(RecordingError):
                for one in self.read(path).recordings(self._changed):
                    _, entries = found.setdefault(one.environment.folder, (one, {}))
                    entries |= {entry.hash: entry for entry in one.entries if not entry.changed}
        return found

    def pages_that_read(self, names: Collection[str]) -> set[str]:
        """The names of the pages of which a block read one of these files, or one in these folders, by their paths."""
        found = set[str]()
        for path in sorted(self.folder.rglob("*.json")):
            with contextlib.suppress(RecordingError):
                file = self.read(path)
                read = {name for each in file.blocks for name, _ in each.read}
                if any(one == name or one.startswith(f"{name}/") for one in read for name in names):
                    found.add(path.relative_to(self.folder).with_suffix("").as_posix())
        return found

    def save(self, page: Page, recording: Recording) -> None:
        """Write a recording into the page's file, so that a reader sees the old file or the new one, whole.

        What other pages' files have of blocks that are on this page now is written, too. Raises OSError where that
        cannot be done, and RecordingError where the old file cannot be read; it is then as it was.
        """
        path = place(self.folder, page)
        path.parent.mkdir(parents=True, exist_ok=True)
        with locked(path.parent):
            file = self.read(path)
            known = {one.environment.folder: one for one in file.recordings()}
            for one in _with_moved(page, tuple(known.values()), self):
                if one != known.get(one.environment.folder):
                    file = file.updated(page, one)
            write_file(path, file.updated(page, recording))


def _with_moved(page: Page, own: tuple[Recording, ...], others: Recordings) -> tuple[Recording, ...]:
    """The recordings with what was recorded of blocks of the page when they were on another one."""
    here = {one.environment.folder: one for one in own}
    for name, hashes in _lacking(page, own, others).items():
        sample, entries = others.by_environment[name]
        moved = tuple(entries[hash] for hash in hashes if hash in entries)
        old = here.get(name)
        if moved:
            here[name] = Recording((old or sample).environment, (*(old.entries if old else ()), *moved))
    return tuple(sorted(here.values(), key=lambda one: one.environment.order, reverse=True))


def _lacking(page: Page, own: Sequence[Recording], others: Recordings) -> dict[str, list[str]]:
    """For each environment the hashes of the blocks of which the page's own file has nothing in any environment."""
    if not others.follow:
        return {}
    devices = {one.environment.device for one in own}
    known = {index for one in own for index, hash in enumerate(one.hashes(page)) if hash in one.by_hash}
    left = [one for one in page.blocks if one.kind != "shown" and one.index not in known]
    left = [one for one in left if not own or one.options.needs in ("", *devices)]
    if not left:
        return {}
    found = {name: sample.hashes(page) for name, (sample, _) in others.by_environment.items()}
    return {name: [hash for one in left if (hash := hashes[one.index])] for name, hashes in found.items()}


def place(folder: Path, page: Page) -> Path:
    """Where the recordings of a page are, below `folder`."""
    return folder / f"{page.name}.json"


def load_all(root: Path, folder: Path, page: Page) -> Recorded:
    """The recordings of a page below `folder`, newest PyTorch first, and why they cannot be read. Raises nothing."""
    return Recordings(root, folder).load(page)


def read_file(path: Path, name: str = "") -> PageFile:
    """What a file holds; nothing, if it is not there. Raises RecordingError, naming it `name`."""
    name = name or str(path)
    try:
        if not path.exists():
            return PageFile()
        return from_text(_text(path, LARGEST), lambda figure: _text(figure_path(path, figure), figures.LARGEST))
    except (ValueError, OSError) as error:
        what = str(error)
        with contextlib.suppress(OSError, ValueError):
            if CONFLICT in path.read_text(encoding="utf-8"):
                what = "git left a conflict in it; take both sides' lines, or record again"
        raise RecordingError(name, f"cannot be read: {what}; {ADVICE}") from error


def write_file(path: Path, file: PageFile) -> None:
    """Write a file and its figures; with nothing in it, remove it."""
    if not file.environments:
        path.unlink(missing_ok=True)
        tidy(path, file)
        return
    try:
        for one in (one for output in file.outputs.values() for one in output.figures):
            if not figure_path(path, one.name).exists():
                write_atomically(figure_path(path, one.name), one.svg)
        write_atomically(path, to_text(file))
    finally:
        with contextlib.suppress(RecordingError):
            tidy(path, read_file(path))


def tidy(path: Path, file: PageFile) -> None:
    """Remove the figures beside a file that are not its own: of an earlier one, or of a run that was killed."""
    own = {figure_path(path, one.name) for output in file.outputs.values() for one in output.figures}
    for old in {*figure_files(path)} - own:
        old.unlink(missing_ok=True)


def figure_path(path: Path, name: str) -> Path:
    """Where a figure of a page is, given the path of the page's recordings."""
    return path.with_name(f"{path.stem}@{name}.svg")


def figure_files(path: Path) -> list[Path]:
    """The figures beside a file that have its page's name, whether or not it names them."""
    return sorted(path.parent.glob(f"{glob.escape(path.stem)}@*.svg"))


def file_hash(path: Path) -> str:
    """Hash of the bytes of a file; empty where it cannot be read."""
    try:
        return hashlib.sha256(path.read_bytes()).hexdigest()[:16]
    except OSError:
        return ""


def _text(path: Path, most: int) -> str:
    """The text of a regular file of at most so many bytes. Raises ValueError or OSError."""
    if not path.is_file():
        raise ValueError(f"{path.name} is no regular file")
    size = path.stat().st_size
    if size > most:
        raise ValueError(f"{path.name} has {size:,} bytes of at most {most:,}")
    return path.read_text(encoding="utf-8")


def orphans(root: Path, settings: Settings = DEFAULTS) -> Iterator[str]:
    """A line for each file among the recordings that belongs to no page, with what to do. A page that cannot be read
    has a file all the same, and keeps its recordings."""
    folder = root / settings.recordings
    for path in sorted(folder.rglob("*")):
        where, name = path.relative_to(root).as_posix(), path.relative_to(folder).with_suffix("").as_posix()
        pages = [root / settings.docs / f"{name}{suffix}" for suffix in PAGES]
        if path.suffix == ".json" and not any(page.is_symlink() or page.exists() for page in pages):
            advice = "if it has another name now, rename this file and its figures alike; else delete them with git rm"
            yield f"{where}: there is no page {settings.docs}/{name}; {advice}"
        elif path.suffix == ".svg" and not _is_used(path):
            yield f"{where}: this figure belongs to no recording; delete it"


def _is_used(figure: Path) -> bool:
    """Whether the recording beside a figure names it."""
    owner, _, hash = figure.stem.rpartition("@")
    try:
        return f'"{hash}"' in figure.with_name(f"{owner}.json").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return False
