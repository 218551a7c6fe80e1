"""fences: a Markdown text to its code fences, as pymdownx.superfences decides where they are.

A fence inside a longer fence is text; a fence in a list, an admonition, a tab or a quote is code; a fence in an
indented code block or in an HTML comment is text. What the renderer would silently leave as text although it looks like
a fence (not closed, a line indented less than its fence) is an error here.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from samedevice.errors import PageError
from samedevice.pages.conventions import HIDDEN, HIDES

TAB = 4
OPENING = re.compile(
    r"""(?P<prefix>[ \t>]*)(?P<fence>`{3,}|~{3,})(?P<info>(?:[^`"'\n]|"[^"\n]*"|'[^'\n]*')*|[^`\n]*|(?<=~)[^\n]*)$"""
)
CONTAINER = re.compile(r'(?:[-*+]|\d+\.)\s+\S|(?:!!!|\?\?\?\+?)\s|:\s+\S|===[+!]{0,2} +".*"$')
ITEM = re.compile(r"(?:[-*+]|\d+\.)\s")
FRONT_MATTER = re.compile(r"\A\ufeff?---[ \t]*\n\s*[\w-]+[ \t]*:.*?\n(?:---|\.\.\.)[ \t]*(?:\n|\Z)", re.S)
COMMENT = re.compile(r" {0,3}<!--")


@dataclass(frozen=True)
class Fence:
    """One fenced code block of a text."""

    start: int
    """Offset of the first character of the opening line."""
    end: int
    """Offset just after the last character of the closing line (its newline excluded)."""
    line: int
    """Line of the opening fence, counted from 1."""
    prefix: str
    """What stands before the fence on its line: blanks, and `>` in a quote; tabs expanded."""
    mark: str
    """The fence itself: three or more backticks or tildes; `<!--` where a comment hides the code."""
    info: str
    """The rest of the opening line, stripped."""
    body: str
    """The lines between the fences, without the prefix; ends with a newline unless empty."""

    def lines(self, text: str) -> list[str]:
        """The lines between the fences if they held this text."""
        new = text.removesuffix("\n").split("\n") if text else []
        return [f"{self.prefix}{line}" if line else self.prefix.rstrip() for line in new]


class _Containers:
    """Follows lists, admonitions, tabs, definitions and quotes, to tell a fence in one from an indented code block."""

    def __init__(self) -> None:
        self.indents: list[int] = []
        self.quote: _Containers | None = None
        self.after_blank = True
        self.in_code = False
        self.listing = False

    def feed(self, line: str) -> bool:
        """Take in a line; return whether it belongs to an indented code block."""
        text = line.strip()
        if not text:
            self.rest()
            return self.in_code
        indent = len(line) - len(line.lstrip(" "))
        base = max((i for i in self.indents if i <= indent), default=0)
        self.in_code = (self.after_blank or self.in_code) and indent - base >= TAB
        if self.in_code:
            self.after_blank = False
            return True
        if text.startswith(">"):
            return self._quote(line, indent)
        self.quote = None
        opens = CONTAINER.match(text)
        if opens and ITEM.match(text) and not (self.after_blank or self.listing):
            opens = None  # no list begins within a paragraph, nor right after a fence
        if opens or self.after_blank:
            self.listing = bool(opens)
        if self.after_blank or opens:
            self._leave(indent)
        if opens:
            self.indents.append(base + TAB)
        self.after_blank = False
        return False

    def _quote(self, line: str, indent: int) -> bool:
        if self.after_blank:
            self._leave(indent)
        self.after_blank = False
        self.quote = self.quote or _Containers()
        return self.quote.feed(line[indent + 1 :].removeprefix(" "))

    def _leave(self, indent: int) -> None:
        self.indents = [i for i in self.indents if i <= indent]

    def rest(self) -> None:
        """A blank line: what comes next begins anew."""
        self.after_blank = True
        if self.quote is not None:
            self.quote.rest()


def _strip_prefix(line: str, prefix: str) -> str | None:
    """The line without the fence's prefix; None where it is indented less, or leaves the quote."""
    line = line.expandtabs(TAB)
    if not line.strip(" >"):
        return line[len(prefix) :]
    head = line[: len(prefix)]
    if head.strip(" >") or head.count(">") != prefix.count(">"):
        return None
    return line[len(prefix) :]


def _comment_ends(text: str, offset: int) -> int:
    """The offset at which an HTML comment that begins the line at `offset` ends; `offset` if there is none."""
    opening = COMMENT.match(text, offset)
    end = text.find("-->", opening.end()) if opening else -1
    return end if end >= 0 else offset


@lru_cache(maxsize=512)
def all_fences(text: str, path: str) -> tuple[Fence, ...]:
    """What `find_fences` yields, kept for a text that comes again: `mkdocs serve` reads all pages at each save."""
    return tuple(find_fences(text, path))


def find_fences(text: str, path: str, hidden: bool = False) -> Iterator[Fence]:
    """Yield the fences of `text` that the site's Markdown renders as code, in order.

    If `hidden`, comments with code are among them. `path` is only named in errors. Raises PageError for a fence that is
    not closed, or one of whose lines is indented less than the fence.
    """
    front = FRONT_MATTER.match(text)
    offset = front.end() if front else 0
    lines = re.findall(r"[^\n]*\n|[^\n]+", text[offset:])
    number = text.count("\n", 0, offset)
    containers, comment_end, index = _Containers(), 0, 0
    in_code = after_code = False
    while index < len(lines):
        line = lines[index].rstrip("\r\n").expandtabs(TAB)
        after_code = (after_code or in_code) and bool(lines[index - 1].strip(" >\t\r\n"))
        in_code = containers.feed(line)
        if not in_code and offset >= comment_end:
            comment_end = _comment_ends(text, offset)
            code = HIDDEN.match(text, offset) if hidden else None
            if code:
                info, body = code["info"].strip(), textwrap.dedent(code["code"])
                yield Fence(offset, code.end(), number + index + 1, "", HIDES, info, body)
        opening = OPENING.match(line)
        if opening is None or in_code or offset < comment_end:
            offset += len(lines[index])
            index += 1
            continue
        if after_code:
            raise PageError(path, number + index + 1, "this fence follows indented code; put a blank line before it")
        fence, taken = _read(lines, index, opening, offset, number + index + 1, path)
        yield fence
        offset += sum(map(len, lines[index : index + taken]))
        index += taken


def _read(
    lines: list[str], index: int, opening: re.Match[str], offset: int, number: int, path: str
) -> tuple[Fence, int]:
    """The fence that opens at `lines[index]`, and how many lines it takes."""
    prefix, mark = opening["prefix"], opening["fence"]
    body: list[str] = []
    for count, raw in enumerate(lines[index + 1 :], start=1):
        line = raw.rstrip("\r\n")
        content = _strip_prefix(line, prefix)
        if content is None:
            raise PageError(
                path, number + count, f"this line is indented less than its fence (line {number}); indent it"
            )
        if content.rstrip() == mark:
            length = sum(map(len, lines[index : index + count])) + len(line)
            text = "".join(f"{part}\n" for part in body)
            info = opening["info"].strip()
            return Fence(offset, offset + length, number, prefix, mark, info, text), count + 1
        body.append(content)
    raise PageError(path, number, f"this fence is never closed; end it with {mark}")


def fence_mark(text: str, least: int = 3) -> str:
    """The backticks to write around a text, at least so many: more than any that it holds."""
    longest = max((len(run) for run in re.findall(r"`+", text)), default=0)
    return "`" * max(least, longest + 1)
