"""statements: the prose of a page as plain text, in passages that can be quoted, each with its lines.

A passage is a paragraph, an item of a list, a heading or a row of a table. Links, emphasis, `{ #ids }` and line breaks
do not count, so that a quote survives a new link or another line break, and nothing else.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

FENCE = re.compile(r"^[ >]*(`{3,}|~{3,})")
CODE = re.compile(r"(`+)(?!`).+?(?<!`)\1(?!`)", re.DOTALL)
"""A code span. In a link's address there is none on this site."""
LINK = re.compile(r"!?\[([^][]*)\]\([^()\s]*(?:\([^()\s]*\)[^()\s]*)*\)")
ATTRIBUTES = re.compile(r"[ \t]*\{:?\s*[#.][^{}]*\}")
EMPHASIS = re.compile(r"(?<![\w*])(\*{1,2})(\S(?:[^*]*\S)?)\1(?![\w*])")
TAG = re.compile(r"</?[a-z][^<>]*>|<!--.*?-->", re.DOTALL)
ITEM = re.compile(r"^\s*(?:[-*+]|\d+\.|:)\s+")
HEADING = re.compile(r"^#{1,6} ")
ADMONITION = re.compile(r"^\s*(?:!!!|\?\?\?\+?|===)")
SETTING = re.compile(r"^\s*(?:\{[^{}]*\}|\[TOC\]|---+)\s*$")
RULE = re.compile(r"^\s*\|?[\s:|-]*-{3}[\s:|-]*\|?\s*$")
CELL = re.compile(r"(?<!\\)\|")
END = re.compile(r"[.!?:;][\"')”]*(?= |$)")
"""What ends a sentence, or a part of one that can be quoted by itself."""
SENTENCE = re.compile(r"(?<=[.!?])[\"')”]* +(?=[A-Z`(“\"])")


@dataclass(frozen=True)
class Passage:
    """A paragraph, an item of a list, a heading or a row of a table."""

    text: str
    """Plain text in one line; the cells of a row are joined by ` | `."""
    lines: tuple[tuple[int, int], ...]
    """Pairs of an offset in the text and the line of the page that begins there."""
    kind: str
    """`text`, `row` or `heading`."""
    source: str
    """The Markdown that it was made of."""

    def line(self, offset: int) -> int:
        """The line of the page that holds the character at this offset."""
        return max(line for start, line in self.lines if start <= offset)

    def places(self, quote: str) -> Iterator[int]:
        """The offsets at which the quote stands as a whole: it begins and ends with a line, a cell, or a sentence.

        A colon at its end is as good as a full stop: which of them it is depends on whether a block follows.
        """
        ends = {found.end() for found in END.finditer(self.text)} | {len(self.text)}
        ends |= {start - 1 for start, _ in self.lines[1:]}
        if self.kind == "row":
            ends |= {found.start() for found in re.finditer(r" \| ", self.text)}
        starts = {0, *(end + 1 for end in ends), *(end + 3 for end in ends)}
        stem, stop = (quote[:-1], ".:") if quote[-1:] in (".", ":") else (quote, "")
        for found in re.finditer(re.escape(stem) + (f"[{stop}]" if stop else ""), self.text):
            if found.start() in starts and found.end() in ends:
                yield found.start()

    @property
    def sentences(self) -> list[tuple[str, int]]:
        """Its sentences, each with the line where it begins; a row and a heading are one."""
        if self.kind != "text":
            return [(self.text, self.lines[0][1])]
        starts = [0, *(found.end() for found in SENTENCE.finditer(self.text)), len(self.text) + 1]
        return [(self.text[start:end].strip(), self.line(start)) for start, end in pairwise(starts)]


def plain(markdown: str) -> str:
    """Markdown without links' addresses, emphasis, tags and `{ #ids }`; code spans stay as they are written."""
    text, spans = _hide_code(markdown)
    for _ in range(2):  # a picture can be the text of a link
        text = LINK.sub(lambda found: "" if found[0][0] == "!" else found[1], text)
    text = EMPHASIS.sub(r"\2", ATTRIBUTES.sub("", TAG.sub("", text)))
    return _show_code(text, spans)


def quotable(sentence: str) -> str:
    """A quote as it stands in a passage."""
    return " ".join(plain(sentence).split())


@lru_cache(maxsize=4)
def passages(page: str) -> tuple[Passage, ...]:
    """All passages of a page, in its order; its code and its front matter hold none. Kept by the page's text."""
    return tuple(passage for lines in _groups(page) if (passage := _passage(lines)).text)


def quoted(page: str, sentence: str) -> list[int]:
    """The lines at which a page says this sentence."""
    quote = quotable(sentence)
    found = ((passage, offset) for passage in passages(page) for offset in passage.places(quote))
    return [passage.line(offset) for passage, offset in found]


def _prose(page: str) -> Iterator[tuple[int, str]]:
    """The lines that are no code and no front matter, with their numbers; what is left out gives an empty line."""
    lines, inside = page.splitlines(), ""
    front = lines.index("---", 1) if lines[:1] == ["---"] and "---" in lines[1:] else -1
    for number, line in enumerate(lines, 1):
        fence = FENCE.match(line)
        if number <= front + 1:
            yield number, ""
        elif inside:
            inside = "" if fence and fence[1].startswith(inside) and line.strip() == fence[1] else inside
            yield number, ""
        elif fence:
            inside = fence[1]
            yield number, ""
        else:
            yield number, "" if ADMONITION.match(line) or SETTING.match(line) or RULE.match(line) else line


def _groups(page: str) -> Iterator[list[tuple[int, str]]]:
    """The lines of each passage."""
    group: list[tuple[int, str]] = []
    for number, line in _prose(page):
        alone = line.lstrip().startswith("|") or bool(HEADING.match(line))
        if group and (not line.strip() or alone or ITEM.match(line)):
            yield group
            group = []
        if alone:
            yield [(number, line)]
        elif line.strip():
            group.append((number, line))
    if group:
        yield group


def _passage(lines: list[tuple[int, str]]) -> Passage:
    source = "\n".join(line.strip() for _, line in lines)
    if source.startswith("|"):
        return Passage(_row(source), ((0, lines[0][0]),), "row", source)
    kind = "heading" if HEADING.match(source) else "text"
    parts = plain(HEADING.sub("", ITEM.sub("", source))).split("\n")
    text, starts = "", []
    for (number, _), part in zip(lines, parts, strict=False):
        starts.append((len(text) + bool(text), number))
        text = " ".join([*([text] if text else []), *part.split()])
    return Passage(text, tuple(starts), kind, source)


def _row(source: str) -> str:
    """The cells of a table's row, joined by ` | `."""
    text, spans = _hide_code(source.strip().strip("|"))
    texts = (_show_code(cell, spans) for cell in CELL.split(text))
    return " ".join(" | ".join(quotable(text) for text in texts).split()).strip(" |")


def _hide_code(markdown: str) -> tuple[str, list[str]]:
    """The text with a mark in the place of each code span, and the spans."""
    spans: list[str] = []

    def keep(found: re.Match[str]) -> str:
        spans.append(found[0])
        return f"\0{len(spans) - 1}\0"

    return CODE.sub(keep, markdown), spans


def _show_code(text: str, spans: list[str]) -> str:
    """The text with the spans in the places of their marks."""
    return re.sub(r"\0(\d+)\0", lambda found: spans[int(found[1])], text)
