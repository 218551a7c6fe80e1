"""orphans: finds recordings whose page was deleted or renamed, and figures without a recording. Removes nothing."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from samedevice.errors import RecordingError
from samedevice.outputs.recording_files import figure_owner, place, read_file
from samedevice.pages.page import Page
from samedevice.project import DEFAULTS, PAGES, Settings


def orphans(root: Path, pages: Iterable[Page], settings: Settings = DEFAULTS) -> Iterator[str]:
    """A line for each file among the recordings that belongs to no page, with what to do.

    `pages` are those that can be read. A page that cannot be read has a file all the same, and keeps its recordings.
    """
    folder, found = root / settings.recordings, tuple(pages)
    for path in sorted(folder.rglob("*")):
        where = path.relative_to(root).as_posix()
        name = f"{settings.docs}/{path.relative_to(folder).with_suffix('').as_posix()}"
        if path.suffix == ".json" and not _has_page(root, name):
            yield f"{where}: {_advice(path, folder, found, name)}"
        elif path.suffix == ".svg" and not _is_used(path):
            yield f"{where}: this figure belongs to no recording; delete it"


def _has_page(root: Path, name: str) -> bool:
    files = [root / f"{name}{suffix}" for suffix in PAGES]
    return any(file.is_symlink() or file.exists() for file in files)


def _is_used(figure: Path) -> bool:
    """Whether the recording beside a figure names it."""
    owner, hash = figure_owner(figure), figure.stem.rpartition("@")[2]
    try:
        return f'"{hash}"' in figure.with_name(f"{owner}.json").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return False


def _advice(path: Path, folder: Path, pages: Iterable[Page], name: str) -> str:
    """What to do with a recording that has no page."""
    gone = f"there is no page {name}"
    page = _renamed(path, folder, pages)
    if page is None:
        return f"{gone}; delete it and its figures with git rm, or bring the page back with git checkout"
    new = place(folder, page).relative_to(folder).as_posix()
    return f"{gone}, but {page.path} has its code, and shows what is in it; rename it, and its figures alike, to {new}"


def _renamed(path: Path, folder: Path, pages: Iterable[Page]) -> Page | None:
    """The page without recordings for whose code these were made."""
    try:
        recordings = read_file(path).recordings()
    except RecordingError:
        return None
    free = [page for page in pages if not place(folder, page).exists()]
    return next((one for one in free if any(set(each.by_hash) & set(each.hashes(one)) for each in recordings)), None)
