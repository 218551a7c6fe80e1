"""orphans: finds recordings whose page was deleted or renamed, and figures without a recording. Removes nothing."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from samedevice.errors import RecordingError
from samedevice.outputs.recording_files import figure_owner, load, place
from samedevice.pages.page import Page
from samedevice.project import DEFAULTS, PAGES, Settings


def orphans(root: Path, pages: Iterable[Page], settings: Settings = DEFAULTS) -> Iterator[str]:
    """A line for each file among the recordings that belongs to no page, with what to do.

    `pages` are those that can be read. A page that cannot be read has a file all the same, and keeps its recordings.
    """
    found = tuple(pages)
    for environment in sorted((root / settings.recordings).glob("*/")):
        for path in sorted(environment.rglob("*")):
            where = path.relative_to(root).as_posix()
            name = f"{settings.docs}/{path.relative_to(environment).with_suffix('').as_posix()}"
            if path.suffix == ".json" and not _has_page(root, name):
                yield f"{where}: {_advice(path, environment, found, name)}"
            elif path.suffix == ".svg" and not _is_used(path):
                yield f"{where}: this figure belongs to no recording; delete it"


def _has_page(root: Path, name: str) -> bool:
    files = [root / f"{name}{suffix}" for suffix in PAGES]
    return any(file.is_symlink() or file.exists() for file in files)


def _is_used(figure: Path) -> bool:
    """Whether the recording beside a figure names it."""
    stem, rest = figure_owner(figure), figure.name.rpartition("@")[2]
    try:
        return f"@{rest}" in figure.with_name(f"{stem}.json").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return False


def _advice(path: Path, environment: Path, pages: Iterable[Page], name: str) -> str:
    """What to do with a recording that has no page."""
    gone = f"there is no page {name}"
    page = _renamed(path, environment, pages)
    if page is None:
        return f"{gone}; delete it and its figures with git rm, or bring the page back with git checkout"
    new = place(environment.parent, environment.name, page).relative_to(environment.parent).as_posix()
    return f"{gone}, but {page.path} has its code; rename it, and its figures alike, to {new} with git mv"


def _renamed(path: Path, environment: Path, pages: Iterable[Page]) -> Page | None:
    """The page without a recording for whose code this one was made."""
    try:
        recording = load(path)
    except RecordingError:
        return None
    if recording is None or not recording.entries:
        return None
    hashes = {entry.hash for entry in recording.entries}
    free = (page for page in pages if not place(environment.parent, environment.name, page).exists())
    return next((page for page in free if hashes <= set(recording.hashes(page))), None)
