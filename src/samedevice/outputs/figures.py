"""figures: which SVG a page may hold: shapes, text and embedded pictures, and nothing that acts, links or loads.

A figure is put into the page as it is, so that it takes the page's colour. What Matplotlib writes passes; everything
else is refused. Each tag must have a form that XML and HTML read alike, so that no browser sees another element than
the check did. What a browser has to draw is limited, with everything counted as often as the figure refers to it.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from xml.parsers import expat

PLAIN = r"[\w\s.,#%+-]*"
"""Numbers, keywords, colours, paths: no bracket, no colon, no quote."""
LOCAL = rf"{PLAIN}|url\(#[\w.-]+\)"
"""Plain values, or a reference to something that the figure itself defines."""
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
REFERENCE = re.compile(r"(?:url\()?#([\w.-]+)\)?")
"""A reference to something that the figure itself defines."""
PNG = "data:image/png;base64,"
LARGEST = 10_000_000
"""Characters that a figure may have."""
SHAPES = 50_000
"""Elements that a browser may have to draw, those that others refer to counted each time."""
DEPTH = 100
"""How deep elements may be in each other, references followed."""
PIXELS = 25_000_000
"""Pixels that the pictures of a figure may have together: a browser unpacks them to four bytes each."""
ADVICE = "a figure may hold shapes, text and PNG pictures; leave out url=, set_url() and whatever else makes it act"


class _RefusedError(Exception):
    """Something in a figure is not allowed."""


@lru_cache(maxsize=1024)
def figure_fault(svg: str) -> str:
    """Why a figure must not be on a page, and what to do; empty if it may be."""
    if len(svg) > LARGEST:
        return f"its figure has {len(svg):,} characters of at most {LARGEST:,}; draw less, or with rasterized=True"
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


@dataclass
class _Element:
    """One element of a figure."""

    parts: list[_Element] = field(default_factory=list)
    """The elements in it."""
    references: list[str] = field(default_factory=list)
    """The ids that it refers to."""
    size: int = 0
    """How many elements it makes; 0 where that was not counted yet."""


class _Checker:
    """Reads a figure, and refuses what no list names."""

    def __init__(self) -> None:
        self.names: list[str] = []
        self.open = [_Element()]
        self.by_id: dict[str, list[_Element]] = {}
        self.pixels = 0
        self.sheet = ""

    def check(self, svg: str) -> None:
        """Raises _RefusedError or ExpatError."""
        parser = expat.ParserCreate("utf-8")
        parser.StartElementHandler = self._start
        parser.EndElementHandler = self._end
        parser.CharacterDataHandler = self._text
        parser.Parse(svg.encode(), True)
        self._count(self.open[0], 0)

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        if name not in ELEMENTS or (name == "svg") != (not self.names):
            raise _RefusedError(f"its figure holds <{name}>")
        if len(self.names) > DEPTH:
            raise _RefusedError(f"its figure has elements more than {DEPTH} deep in each other")
        element = _Element()
        for key, value in attributes.items():
            if not _allowed(name, key, value):
                raise _RefusedError(f'its figure holds <{name} {key}="{value[:60]}">')
            element.references += _references(key, value)
        if "id" in attributes:
            self.by_id.setdefault(attributes["id"], []).append(element)
        self.pixels += sum(_pixels(value) for value in attributes.values() if value.startswith(PNG))
        if self.pixels > PIXELS:
            raise _RefusedError(f"its figure holds pictures of more than {PIXELS:,} pixels")
        self.open[-1].parts.append(element)
        self.open.append(element)
        self.names.append(name)
        self.sheet = ""

    def _end(self, name: str) -> None:
        self.open.pop()
        self.names.pop()
        if name == "style" and not re.fullmatch(SHEET, self.sheet):
            raise _RefusedError(f"its figure holds a style sheet of its own, {self.sheet[:60]!r}")

    def _text(self, text: str) -> None:
        self.sheet += text if self.names[-1] == "style" else ""

    def _count(self, element: _Element, depth: int) -> int:
        """How many elements a browser draws for one. Raises _RefusedError for too many, and for a circle."""
        if depth > 2 * DEPTH:
            raise _RefusedError(f"its figure has references more than {DEPTH} deep in each other, or in a circle")
        if not element.size:
            referred = (found for name in element.references for found in self.by_id.get(name, ()))
            element.size = 1 + sum(self._count(one, depth + 1) for one in (*element.parts, *referred))
        if element.size > SHAPES:
            raise _RefusedError(f"its figure makes a browser draw more than {SHAPES:,} elements")
        return element.size


def _references(key: str, value: str) -> Iterator[str]:
    """The ids that an attribute with this value refers to."""
    values = (part.partition(":")[2] for part in value.split(";")) if key == "style" else (value,)
    found = (REFERENCE.fullmatch(one.strip()) for one in values)
    yield from (match[1] for match in found if match)


def _pixels(address: str) -> int:
    """How many pixels an embedded picture has, by the first bytes of its file; so many that it is refused, if none."""
    start = re.sub(r"[\s=]", "", address[len(PNG) : 200])[:32]
    head = base64.b64decode(start) if len(start) == 32 else b""
    if head[12:16] != b"IHDR":
        return PIXELS + 1
    return int.from_bytes(head[16:20], "big") * int.from_bytes(head[20:24], "big")


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
