"""course: the lessons, in the order of the navigation's section "Learn", which is the only place that lists them.

Home shows them as tiles, and the head of a lesson says which one it is. Without such a section there is no course.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

SECTION = "Learn"
"""The title of the section."""
BESIDE = re.compile(r"(?:^|/)(?:index|first-hour|exercises-[\w-]+)\.md$")
"""Pages of the section that are no lessons: its own page, the way to a GPU, which is a card of home, and exercises."""
PROMISE = re.compile(r"^\d+\. \[[^]]+\]\((?P<name>[\w.-]+)\)(?:\{[^}]*\})?: (?P<promise>.+?)\.?$", re.M)
"""A lesson in the list of the section's own page."""
PICTURE = re.compile(r"!\[[^]]*\]\((?:\.\./)*(?P<path>assets/diagrams/[\w.-]+\.svg)\)")
"""A diagram in the text of a page."""


@dataclass(frozen=True)
class Lesson:
    """A lesson, as a tile of home shows it."""

    uri: str
    """Its file, below docs/."""
    url: str
    """Its address, below the site's."""
    title: str
    """Its title."""
    promise: str
    """What a reader can do after it, as the section's own page says it; else the first sentence of its description."""
    picture: str
    """The path of its first diagram, below the site's address; empty if it has none."""


def lessons(nav: Iterable[Any]) -> tuple[Lesson, ...]:
    """The lessons of a navigation of MkDocs, whose pages were read."""
    section = next((item for item in nav if item.is_section and item.title == SECTION), None)
    pages = [page for page in section.children if page.is_page] if section else []
    promises = {
        found["name"]: found["promise"]
        for page in pages
        if page.file.src_uri.endswith("index.md")
        for found in PROMISE.finditer(page.markdown or "")
    }
    return tuple(_lesson(page, promises) for page in pages if not BESIDE.search(page.file.src_uri))


def _lesson(page: Any, promises: Mapping[str, str]) -> Lesson:
    uri = page.file.src_uri
    picture = PICTURE.search(page.markdown or "")
    about = re.split(r"(?<=[.:?!]) ", str(page.meta.get("description", "")))[0].rstrip(".:")
    promise = promises.get(uri.rpartition("/")[2], about)
    return Lesson(uri, page.url, str(page.title), promise, picture["path"] if picture else "")
