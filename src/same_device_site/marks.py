"""marks: the small link behind each statement of a page that is a test. It leads to the test.

The link is empty: styles show its sign, and its label is for screen readers. So what is copied, searched or exported
has the sentence alone. Statements are found in the tree of elements, where links and emphasis are no text.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from html import unescape
from typing import NamedTuple
from xml.etree.ElementTree import Element

from same_device_site.claims import Claim
from same_device_site.statements import Passage, quotable
from same_device_site.tested import address, place

INLINE = set("a abbr b br code del em i img ins kbd mark small span strong sub sup".split())
LABEL = "Tested: opens the test"
HELD = re.compile(r"\x02(?:(\d+)|[^\x03]*)\x03")
"""What Python-Markdown keeps for later: a character that was escaped by its number, raw HTML by a name."""
LETTER = re.compile(rf"{HELD.pattern}|.", re.DOTALL)
ESCAPED = re.compile(r"\\([!-/:-@\[-`{-~])")


class Piece(NamedTuple):
    """A piece of a page's text, and where a link within or behind it belongs."""

    text: str
    parent: Element
    """The paragraph, item or cell."""
    after: Element | None
    """The child behind which the link comes; without one, it comes into the parent's own text."""
    whole: bool = False
    """Whether the text is that child's own, so that no link comes into it."""


class Letter(NamedTuple):
    """A character of a piece."""

    text: str
    piece: Piece
    offset: int
    """How much of the text behind the child, or of the parent's own, comes before a link that follows the letter."""


def with_marks(root: Element, claims: Sequence[Claim], up: str) -> None:
    """Put a mark behind each claim's statement in a page's tree; `up` leads from the page to the top of `docs`."""
    quotes = [(_words(ESCAPED.sub(r"\1", quotable(claim.sentence))), claim) for claim in claims]
    for pieces, kind in list(_passages(root)):
        text = _words(HELD.sub(_held, "".join(piece.text for piece in pieces)))
        here = [(quote, claim) for quote, claim in quotes if quote[:-1] in text]  # a colon is as good as a full stop
        if here:
            _mark(*_passage(pieces, kind), here, up)


def _mark(passage: Passage, letters: Sequence[Letter], quotes: Iterable[tuple[str, Claim]], up: str) -> None:
    """Put in the marks of one passage, the last first: so the places of the others stay."""
    places = [(start + len(quote), claim) for quote, claim in quotes for start in [*passage.places(quote)][:1]]
    for end, claim in sorted(places, key=lambda one: one[0], reverse=True):
        target = f"{up}{place(claim)}#{address(claim)}"
        mark = Element("a", {"class": "sd-tested", "href": target, "aria-label": LABEL, "title": LABEL})
        (_, parent, after, _), offset = letters[end - 1].piece, letters[end - 1].offset
        if after is None:
            parent.text, mark.tail = (parent.text or "")[:offset], (parent.text or "")[offset:]
            parent.insert(0, mark)
        else:
            after.tail, mark.tail = (after.tail or "")[:offset], (after.tail or "")[offset:]
            parent.insert(list(parent).index(after) + 1, mark)


def _passages(element: Element) -> Iterator[tuple[list[Piece], str]]:
    """The pieces of each passage below an element; those of a table's row are one passage, its cells apart."""
    if element.tag in ("pre", "script", "style"):
        return
    if element.tag == "tr":
        cells = [[piece for pieces, _ in _passages(cell) for piece in pieces] for cell in element]
        yield [piece for cell in cells for piece in (Piece(" | ", element, None), *cell)][1:], "row"
        return
    pieces = [Piece(element.text or "", element, None)]
    for child in element:
        if child.tag in INLINE:
            inside = "" if child.get("class") == "headerlink" else unescape("".join(child.itertext()))
            pieces.append(Piece(inside, element, child, whole=True))
        else:
            yield pieces, "text"
            pieces = []
            yield from _passages(child)
        pieces.append(Piece(child.tail or "", element, child))
    yield pieces, "text"


def _letters(piece: Piece) -> Iterator[Letter]:
    """The characters of a piece but backticks, which quotes have and code in a tree has not."""
    for found in LETTER.finditer(piece.text):
        text = HELD.sub(_held, found[0])
        if text not in ("", "`"):
            yield Letter(text, piece, 0 if piece.whole else found.end())


def _held(found: re.Match[str]) -> str:
    return chr(int(found[1])) if found[1] else ""


def _passage(pieces: Iterable[Piece], kind: str) -> tuple[Passage, list[Letter]]:
    """A passage with one blank for each gap, as quotes have it, and its letters."""
    kept: list[Letter] = []
    lines = [(0, 1)]
    for letter in (letter for piece in pieces for letter in _letters(piece)):
        if not letter.text.isspace():
            kept.append(letter)
        elif kept and not kept[-1].text.isspace():
            kept.append(letter._replace(text=" "))
        if letter.text == "\n" and kept and lines[-1][0] != len(kept):
            lines.append((len(kept), 1))
    text = "".join(letter.text for letter in kept)
    return Passage(text.rstrip(" |" if kind == "row" else None), tuple(lines), kind, ""), kept


def _words(text: str) -> str:
    return " ".join(text.replace("`", "").split())
