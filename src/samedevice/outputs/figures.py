"""figures: which SVG a page may hold: shapes, text and embedded pictures, and nothing that acts, links or loads.

A figure is put into the page as it is, so that it takes the page's colour. What Matplotlib writes passes; everything
else is refused. Each tag must have a form that XML and HTML read alike, so that no browser sees another element than
the check did.
"""

from __future__ import annotations

import re
from functools import lru_cache
from xml.parsers import expat

PLAIN = r"[\w\s.,#%+-]*"
"""Numbers, keywords, colours, paths: no bracket, no colon, no quote."""
LOCAL = rf"{PLAIN}|url\(#[\w.-]+\)"
"""The same, or something that the figure itself defines."""
TRANSFORM = r"(?:\s*[a-zA-Z]+\([\d\s.,e+-]*\))*\s*"
FONT = r"[\w\s.,'%/+-]*"

PROPERTIES = {
    **dict.fromkeys(("fill", "stroke", "clip-path"), LOCAL),
    **dict.fromkeys(("font", "font-family"), FONT),
    **dict.fromkeys(
        "fill-opacity fill-rule opacity stroke-opacity stroke-width stroke-linecap stroke-linejoin stroke-dasharray "
        "stroke-dashoffset stroke-miterlimit stop-color stop-opacity font-size font-style font-variant font-weight "
        "font-stretch text-anchor image-rendering shape-rendering mix-blend-mode".split(),
        PLAIN,
    ),
}
"""What may be in a style, and what values it may have."""
ATTRIBUTES = {
    **PROPERTIES,
    **dict.fromkeys(
        "d x y x1 x2 y1 y2 width height viewBox version offset patternUnits gradientUnits in in2 operator values "
        "k1 k2 k3 k4".split(),
        PLAIN,
    ),
    **dict.fromkeys(("transform", "patternTransform", "gradientTransform"), TRANSFORM),
    "filter": LOCAL,
    "id": r"[\w.-]+",
    "type": r"text/css|matrix",
    "xmlns": r"http://www\.w3\.org/2000/svg",
    "xmlns:xlink": r"http://www\.w3\.org/1999/xlink",
}
"""What attributes an element may have, and what values. `style` and `href` have rules of their own."""
ELEMENTS = frozenset(
    "svg g defs style path rect use text tspan image clipPath pattern linearGradient stop filter feComposite "
    "feColorMatrix".split()
)
LINKS = {"use": r"#[\w.-]+", "image": r"data:image/png;base64,[A-Za-z0-9+/=\s]+"}
"""What an element may refer to."""
SHEET = r"\*\{\s*stroke-linejoin: ?\w+;\s*stroke-linecap: ?\w+;?\s*\}"
"""The style sheet that Matplotlib writes. Another one would change the page around the figure."""
TAG = re.compile(r'<(?:/[\w]+|[\w]+(?:\s+[\w:-]+="[^"<>]*")*\s*/?)>')
ADVICE = "a figure may hold shapes, text and PNG pictures; leave out url=, set_url() and whatever else makes it act"


class _RefusedError(Exception):
    """Something in a figure is not allowed."""


@lru_cache(maxsize=1024)
def figure_fault(svg: str) -> str:
    """Why a figure must not be on a page, and what to do; empty if it may be."""
    try:
        _check_form(svg)
        _Checker().check(svg)
    except _RefusedError as refused:
        return f"{refused}; {ADVICE}"
    except (expat.ExpatError, UnicodeEncodeError) as error:
        return f"its figure is not well-formed XML ({error}); {ADVICE}"
    return ""


def _check_form(svg: str) -> None:
    """Refuse what XML and HTML read differently: comments, sections, declarations, other quotes."""
    between = TAG.sub("", svg)
    if "<" in between or ">" in between:
        at = min(found for mark in "<>" if (found := between.find(mark)) >= 0)
        raise _RefusedError(f"its figure holds {between[at : at + 30]!r}, which is neither a plain tag nor text")


class _Checker:
    """Reads a figure, and refuses what no list names."""

    def __init__(self) -> None:
        self.open: list[str] = []
        self.sheet = ""

    def check(self, svg: str) -> None:
        """Raises _RefusedError or ExpatError."""
        parser = expat.ParserCreate("utf-8")
        parser.StartElementHandler = self._start
        parser.EndElementHandler = self._end
        parser.CharacterDataHandler = self._text
        parser.Parse(svg.encode(), True)

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        if name not in ELEMENTS or (name == "svg") != (not self.open):
            raise _RefusedError(f"its figure holds <{name}>")
        if name == "use" and "defs" in self.open:
            raise _RefusedError("its figure holds <use> inside <defs>")  # a few of them can make millions of shapes
        for key, value in attributes.items():
            if not _allowed(name, key, value):
                raise _RefusedError(f'its figure holds <{name} {key}="{value[:60]}">')
        self.open.append(name)
        self.sheet = ""

    def _end(self, name: str) -> None:
        self.open.pop()
        if name == "style" and not re.fullmatch(SHEET, self.sheet):
            raise _RefusedError(f"its figure holds a style sheet of its own, {self.sheet[:60]!r}")

    def _text(self, text: str) -> None:
        self.sheet += text if self.open[-1] == "style" else ""


def _allowed(element: str, key: str, value: str) -> bool:
    if key == "style":
        return all(_declaration(part) for part in value.split(";"))
    if key in ("href", "xlink:href"):
        return bool(re.fullmatch(LINKS.get(element, "(?!)"), value))
    return key in ATTRIBUTES and bool(re.fullmatch(ATTRIBUTES[key], value))


def _declaration(text: str) -> bool:
    """Whether one declaration of a style is allowed; a semicolon may end the last one."""
    name, _, value = text.partition(":")
    return not text.strip() or bool(re.fullmatch(PROPERTIES.get(name.strip(), "(?!)"), value.strip()))
