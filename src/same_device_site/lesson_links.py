"""lesson_links: a reference page names the lessons about its subject: those that name it below "All about it".

The lesson's own link is the only place that says so. The line is below the page's first paragraph, for a beginner
whom a search brought there.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Mapping, Sequence

from same_device_site.site import link
from samedevice import Page, find_links, title

LESSONS = "docs/learn/"
"""What the path of a lesson begins with."""
HEADING = "\n## All about it\n"
"""Begins the end of a lesson."""
FIRST = re.compile(r"^# [^\n]+\n\n(?!```|[<!|#?])(?:[^\n]+\n)+(?=\n)", re.M)
"""A page's title and its first paragraph."""
LINE = "New to this? Begin with the lesson {}.\n{{ .sd-lesson }}\n"

Taught = Mapping[str, Sequence[Page]]
"""For each page, by its path, the lessons that name it, those first that name it first."""


def taught(pages: Sequence[Page]) -> Taught:
    """The lessons about each page. A page about a message has none: it answers by itself."""
    found: dict[str, list[tuple[int, Page]]] = {}
    for lesson in pages:
        end = lesson.text.partition(HEADING)[2] if lesson.path.startswith(LESSONS) else ""
        for place, one in enumerate(find_links(end)):
            path = posixpath.normpath(posixpath.join(posixpath.dirname(lesson.path), one.url.partition("#")[0]))
            if path.startswith((LESSONS, "docs/errors/")):
                continue
            own = found.setdefault(path, [])
            if lesson.path not in [other.path for _, other in own]:
                own.append((place, lesson))
    return {path: [lesson for _, lesson in sorted(own, key=lambda one: one[0])] for path, own in found.items()}


def with_lessons(page: Page, text: str, lessons: Taught) -> str:
    """The text of a page with a line that leads to its lessons, if it has any."""
    own = lessons.get(page.path, ())
    named = " or ".join(link(page, one, text=title(one).partition(":")[0]) for one in own)
    return FIRST.sub(lambda found: f"{found[0]}\n{LINE.format(named)}", text, count=1) if own else text
