"""source: the text of a page or a program as it is on the disk: UTF-8, and of this repository."""

from __future__ import annotations

from pathlib import Path

from samedevice.errors import PageError


def read_page(path: Path, root: Path) -> str:
    """The text of a page.

    Raises PageError for a page that cannot be read, is not UTF-8, or is a link out of the repository at `root`: what
    is run and published from here must be what is reviewed and committed here.
    """
    name = path.relative_to(root).as_posix()
    if not inside(path, root):
        raise PageError(name, 1, "this page is a link out of the repository; put the file itself in its place")
    try:
        return path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        line = path.read_bytes()[: error.start].count(b"\n") + 1
        raise PageError(name, line, "this line is not UTF-8; save the page as UTF-8") from None
    except OSError as error:
        raise PageError(name, 1, f"this page cannot be read ({error.strerror}); put it back, or delete it") from None


def inside(path: Path, root: Path) -> bool:
    """Whether a path leads to a place inside of the repository, links followed."""
    try:
        return path.resolve().is_relative_to(root.resolve())
    except (OSError, RuntimeError):  # links in a circle
        return False


def is_own(path: Path, root: Path) -> bool:
    """Whether a path is the own name of a regular file of the repository, with no link on the way."""
    try:
        return path.resolve(strict=True) == root.resolve() / path.relative_to(root) and path.is_file()
    except (OSError, RuntimeError, ValueError):
        return False
