"""history: which commits changed which pages, from one call of git; nothing where there is no git or no history.

A page changes with its file below docs/ and with its recordings. mkdocs-git-revision-date-localized-plugin knows the
file alone, gives no subject of the commit, and calls git once a page; mkdocs-rss-plugin lists pages, not changes.
"""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree as ET

from samedevice import xml

ATOM = "http://www.w3.org/2005/Atom"
FEED = 30
"""Commits that the feed holds."""
FOLDERS = ("docs", "tests/recordings")
CHANGED = re.compile(r"(?:docs|tests/recordings/[^/]+)/(?P<page>[^@]+?)(?:@\w+)?\.(?:md|py|json|svg)")
"""Finds the page that a file is of."""
FORMAT = "--format=%x00%H%x1f%cI%x1f%P%x1f%s"
LOG = ("-c", "core.quotePath=off", "log", "--name-only", "--no-merges", FORMAT, "--")


@dataclass(frozen=True)
class Commit:
    """A commit that changed pages."""

    commit: str
    """Its hash."""
    when: str
    """Day and time of the commit, ISO 8601."""
    subject: str
    """What it did, in one line."""
    pages: frozenset[str]
    """Paths of the pages, below docs/ and without suffix."""


def read_history(root: Path) -> tuple[Commit, ...]:
    """The changes that git knows of, newest first.

    The oldest commit of a shallow clone holds all files, whenever they changed, so that it tells of none.
    """
    try:
        shallow = _git(root, "rev-parse", "--is-shallow-repository").strip() == "true"
        log = _git(root, *LOG, *FOLDERS)
    except (OSError, subprocess.SubprocessError):
        return ()
    found = (_change(text) for text in log.split("\0")[1:])
    return tuple(change for change, parents in found if parents or not shallow)


def _git(root: Path, *arguments: str) -> str:
    found = subprocess.run(["git", *arguments], cwd=root, check=True, capture_output=True)
    return found.stdout.decode(errors="replace")


def _change(text: str) -> tuple[Commit, str]:
    head, _, names = text.partition("\n")
    commit, when, parents, subject = head.split("\x1f", 3)
    pages = frozenset(match["page"] for name in names.split("\n") if (match := CHANGED.fullmatch(name)))
    return Commit(commit, when, subject, pages), parents


def last_changes(changes: Iterable[Commit]) -> dict[str, Commit]:
    """The newest change of each page."""
    found: dict[str, Commit] = {}
    for change in changes:
        for page in change.pages:
            found.setdefault(page, change)
    return found


def feed(name: str, site: str, changes: Iterable[Commit], pages: dict[str, tuple[str, str]]) -> str:
    """An Atom feed of the newest changes; `pages` are title and address of each page that is there now."""
    listed = [(change, sorted(change.pages & pages.keys())) for change in changes]
    listed = [(change, changed) for change, changed in listed if changed][:FEED]
    root = ET.Element("feed", xmlns=ATOM)
    _text(root, title=f"{name}: changes", id=site, updated=listed[0][0].when if listed else "1970-01-01T00:00:00Z")
    ET.SubElement(root, "link", rel="self", href=f"{site}feed.xml")
    ET.SubElement(root, "link", href=site)
    _text(ET.SubElement(root, "author"), name=name)
    for change, changed in listed:
        entry = ET.SubElement(root, "entry")
        _text(entry, title=change.subject, id=f"{site}#{change.commit}", updated=change.when)
        ET.SubElement(entry, "link", href=pages[changed[0]][1])
        _text(entry, summary=", ".join(pages[page][0] for page in changed))
    ET.indent(root)
    return ET.tostring(root, encoding="unicode", xml_declaration=True) + "\n"


def _text(parent: ET.Element, **texts: str) -> None:
    for tag, text in texts.items():
        ET.SubElement(parent, tag).text = xml(text)
