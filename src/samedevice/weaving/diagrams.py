"""diagrams: drawings in SVG that a page shows inline, so that their ink has the color of the text around them.

A page shows one by an image on a line of its own: `![What it shows](../assets/diagrams/strides.svg)`.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Mapping
from pathlib import Path

from samedevice.errors import PageError
from samedevice.outputs import escaping
from samedevice.pages.page import Page
from samedevice.pages.source import inside

FOLDER = "assets/diagrams/"
DIAGRAM = re.compile(
    rf"^(?P<prefix>[ \t]*)!\[(?P<alt>[^\]\n]*)\]\((?P<path>[^)\s]*{FOLDER}[\w.-]+\.svg)\)[ \t]*$", re.M
)
SVG = re.compile(r"<svg\b[^>]*>")
NAMED = re.compile(r'\s(?:role|aria-label(?:ledby)?)="[^"]*"')


def read_diagrams(page: Page, root: Path) -> dict[str, str]:
    """The SVG of each diagram of a page, by its path as the page has it.

    Raises PageError, with the line, for one that is not there, is no SVG, or has no text alternative.
    """
    if FOLDER not in page.text:
        return {}
    found = {}
    for match in DIAGRAM.finditer(page.text):
        if not any(fence.start <= match.start() < fence.end for fence in page.fences):
            line = page.text.count("\n", 0, match.start()) + 1
            found[match["path"]] = _read(match, page.path, line, root)
    return found


def _read(match: re.Match[str], page: str, line: int, root: Path) -> str:
    place = root / posixpath.normpath(posixpath.join(posixpath.dirname(page), match["path"]))
    if not match["alt"].strip():
        raise PageError(page, line, "this diagram has no text alternative; say in the brackets what it shows")
    if not (inside(place, root) and place.is_file()):
        raise PageError(page, line, f"{match['path']} does not exist; the path starts at the folder of this page")
    svg = place.read_text(encoding="utf-8")
    if SVG.search(svg) is None:
        raise PageError(page, line, f"{match['path']} holds no <svg>; draw it as SVG")
    return svg


def draw(prose: str, diagrams: Mapping[str, str], write: Callable[[str, str], str] = str.__add__) -> str:
    """Prose with its diagrams inline; `write` makes of an indentation and HTML what replaces an image."""

    def drawn(match: re.Match[str]) -> str:
        svg = diagrams.get(match["path"])
        return write(match["prefix"], diagram_html(svg, match["alt"])) if svg else match[0]

    return DIAGRAM.sub(drawn, prose) if diagrams else prose


def diagram_html(svg: str, alt: str) -> str:
    """A diagram as HTML: the SVG itself, named by its text alternative."""
    opening = SVG.search(svg)
    assert opening is not None
    named = NAMED.sub("", opening[0]).replace("<svg", f'<svg role="img" aria-label="{escaping.html(alt)}"', 1)
    return f'<figure class="sd-diagram">{named}{svg[opening.end() :].strip()}</figure>'
