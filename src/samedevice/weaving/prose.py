"""prose: a page to the text between its blocks, and that to text without what only this site's renderer understands."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from samedevice.outputs import escaping
from samedevice.pages.fences import FRONT_MATTER, fence_mark
from samedevice.pages.page import Block, Page
from samedevice.pages.percent import prose, read_cells
from samedevice.project import NOTEBOOK, PAGES

CODE = (
    r"(?P<fence>^(?P<indent>[ \t>]*)(?P<mark>`{3,}|~{3,})[^\n]*\n(?:.*?\n)??[ \t>]*(?P=mark)[`~]*[ \t]*$)"
    r"|(?P<span>(?<![`\\])(?P<ticks>`+)(?!`)(?:(?!\n[ \t]*\n)[\s\S])+?(?<!`)(?P=ticks)(?!`))"
    r"|(?P<comment><!--.*?-->)"
)
"""Code and comments, in which nothing is a link."""
TEXT = r"(?P<text>(?:\\.|`[^`\n]*`|\[(?:\\.|[^\[\]\\])*\]|[^\[\]\\`])*)"
"""Each character can be read in one way only: with two, an open bracket before many links took forever."""
URL = r"(?:<(?P<angled>[^<>\n]*)>|(?P<url>[^()<\s][^()\s]*(?:\([^()\s]*\)[^()\s]*)*))"
LINK = rf"(?P<image>!?)\[{TEXT}\]\([ \t]*{URL}(?P<title>[ \t\n]+(?:\"[^\"]*\"|'[^']*'))?[ \t]*\)"
DEFINITION = r"(?P<start>^ {0,3}\[(?!\^)[^\]\n]+\]:[ \t]+)(?P<defined>\S+)"
GRAMMAR = re.compile(rf"{CODE}|{DEFINITION}|{LINK}", re.M | re.S)
ONLY_CODE = re.compile(CODE, re.M | re.S)


@dataclass(frozen=True)
class Link:
    """A link, or an image."""

    text: str
    """What stands for it, as Markdown; for an image its alternative text; empty for a definition of a link."""
    url: str
    """Where it leads, as written."""
    image: bool
    """Whether it is an image."""

    @property
    def outside(self) -> bool:
        """Whether it leads to another site."""
        return bool(re.match(r"[A-Za-z][\w+.-]*:|//", self.url))


def find_links(markdown: str) -> Iterator[Link]:
    """The links, images and definitions of links in a text, in order; none that are in code."""
    return (_link(found) for found in GRAMMAR.finditer(markdown) if _is_link(found))


def relink(markdown: str, change: Callable[[str], str]) -> str:
    """The text with the address of each link replaced by what `change` gives for it; images are left as they are."""
    return replace_links(markdown, lambda link: link.url if link.image else change(link.url))


def replace_links(markdown: str, change: Callable[[Link], str | None]) -> str:
    """The text with the address of each link replaced; where `change` gives None, only the link's text is left."""

    def write(found: re.Match[str]) -> str:
        if not _is_link(found):
            return found[0]
        link = _link(found)
        url = change(link)
        if found["defined"] is not None:
            return found[0] if url is None else found["start"] + url
        text = found["text"] if link.image else replace_links(found["text"], change)
        if url is None:
            return text
        return f"{found['image']}[{text}]({f'<{url}>' if found['angled'] is not None else url}{found['title'] or ''})"

    return GRAMMAR.sub(write, markdown)


def outside_code(markdown: str, change: Callable[[str], str]) -> str:
    """The text with `change` applied to each part of it that is neither code nor a comment."""
    parts, at = [], 0
    for code in ONLY_CODE.finditer(markdown):
        parts += [change(markdown[at : code.start()]), code[0]]
        at = code.end()
    return "".join([*parts, change(markdown[at:])])


def _is_link(found: re.Match[str]) -> bool:
    return found["url"] is not None or found["angled"] is not None or found["defined"] is not None


def _link(found: re.Match[str]) -> Link:
    url = found["url"] if found["url"] is not None else found["angled"]
    return Link(found["text"] or "", url if url is not None else found["defined"], bool(found["image"]))


TITLE = re.compile(r"^# +(?:# +)?(?!%%)(.+?)(?: +\{[^}]*\})? *$", re.M)
ATTRIBUTE = r"(?:[#.][\w-]+|[\w-]+=(?:\"[^\"\n]*\"|'[^'\n]*'|[^\s}\"']+))"
ATTRIBUTES = re.compile(rf"[ \t]*\{{:?[ \t]*{ATTRIBUTE}(?:[ \t]+{ATTRIBUTE})*[ \t]*\}}")
BOX = re.compile(r'(?P<indent> *)(?:!!!|\?\?\?\+?)(?: +(?P<kind>[A-Za-z][\w -]*?))?(?: +"(?P<title>[^"]*)")?[ \t]*$')
"""The first line of an admonition, or of a box that can be opened."""
FENCE = re.compile(r"[ \t>]*(?P<mark>`{3,}|~{3,})")


@dataclass(frozen=True)
class Address:
    """Where the site is found, as far as that is known."""

    root: str = ""
    """The address of its first page, with a slash at its end; empty if it is not known."""
    directories: bool = False
    """Whether the address of a page ends in a slash instead of .html."""

    def of(self, page: Page, url: str = "") -> str | None:
        """The whole address of a link of a page; None if it is not known."""
        if Link("", url, False).outside:
            return url
        path, _, anchor = url.partition("#")
        path = posixpath.normpath(posixpath.join(posixpath.dirname(page.path), path)) if path else page.path
        if not self.root:
            return None
        base, suffix = posixpath.splitext(path.partition("/")[2])
        if suffix in PAGES:
            suffix = "/" if self.directories else ".html"
        return f"{self.root}{escaping.url(base)}{suffix}" + f"#{anchor}" * bool(anchor)

    def between(self, page: Page, target: str) -> str:
        """A link of a page to the one at `target`, a path below the folder of pages, as a browser follows it."""
        path, mark, anchor = target.partition("#")
        here, there = self._place(page.name), self._place(posixpath.splitext(path)[0])
        found = posixpath.relpath(there, posixpath.dirname(here) or ".")
        return escaping.url(found) + "/" * there.endswith("/") + mark + anchor

    def _place(self, name: str) -> str:
        """Where the page with this name is on the site, below its first page."""
        if not self.directories:
            return f"{name}.html"
        folder, _, last = name.rpartition("/")
        return f"{folder}/" * bool(folder) if last == "index" else f"{name}/"


def title(page: Page) -> str:
    """The page's heading, as Markdown."""
    found = TITLE.search(prose(page.text, page.path) if page.path.endswith(NOTEBOOK) else page.text)
    return found[1] if found else page.name


def plain_title(page: Page) -> str:
    """The page's heading, as text that can stand in a comment and in an attribute."""
    return re.sub(r"[`*\\{}]", "", replace_links(title(page), lambda link: None)).replace('"', "'")


def pieces(page: Page) -> Iterator[tuple[str, Block | None]]:
    """The page's prose and blocks in turn: each block with the prose before it, the last prose with None."""
    if page.path.endswith(NOTEBOOK):
        text = ""
        for cell in cells(page):
            if isinstance(cell, str):
                text += f"\n\n{cell}\n"
            else:
                yield text or "\n\n", cell
                text = ""
        yield f"{text}\n", None
        return
    front = FRONT_MATTER.match(page.text)
    at = front.end() if front else 0
    for block in page.blocks:
        yield page.text[at : block.fence.start], block
        at = block.fence.end
    yield page.text[at:], None


def cells(page: Page) -> Iterator[str | Block]:
    """The cells of a notebook in order: text, which code that is left to another tool is too, and blocks."""
    blocks = {block.fence.start: block for block in page.blocks}
    for cell in read_cells(page.text, page.path):
        mark = fence_mark(cell.fence.body)
        left = f"{mark}python\n{cell.fence.body}{mark}\n"
        yield blocks.get(cell.fence.start, left) if cell.markdown is None else cell.markdown


def portable(text: str, page: Page, address: Address) -> str:
    """Prose of a page without attributes, and with links that lead somewhere from any place.

    Where the site's address is not known, the text of a link to another page remains.
    """
    return without_attributes(replace_links(text, lambda link: address.of(page, link.url)))


def without_attributes(text: str) -> str:
    """Prose without what only this site's renderer understands."""
    return outside_code(text, lambda part: ATTRIBUTES.sub("", part))


def headings(text: str) -> Iterator[str]:
    """The headings of prose, and the titles of its boxes, each as one line of text."""
    in_code = ""
    for line in text.split("\n"):
        in_code = _fence_after(line, in_code)
        box = BOX.match(line)
        if not in_code and re.match(r"#{1,6} ", line):
            yield ATTRIBUTES.sub("", line).lstrip("#").strip()
        elif not in_code and box:
            yield _box_title(box)


def _box_title(box: re.Match[str]) -> str:
    return box["title"] or (box["kind"] or "note").split()[0].capitalize()


def _fence_after(line: str, open_fence: str) -> str:
    """The marks of the fence that is open after a line; empty if none is."""
    fence = FENCE.match(line)
    if not fence:
        return open_fence
    if open_fence:
        closes = fence["mark"].startswith(open_fence) and not line[fence.end() :].strip()
        return "" if closes else open_fence
    return fence["mark"]


class Unboxer:
    """Writes the boxes of a text as quotes with a title in bold; takes the text in pieces."""

    def __init__(self) -> None:
        self.levels: list[tuple[int, bool]] = []
        """The boxes, and lists around blocks, that are open: the column of their text, and whether it is a quote."""
        self.fence = ""

    def block(self, prefix: str) -> None:
        """Note that a block with this prefix, which is written elsewhere, stands before the next piece.

        What follows at the same indentation begins at the left margin, as it would be code there.
        """
        self._leave(len(prefix))
        if "> " not in prefix and len(prefix) > self._column:
            self.levels.append((len(prefix), False))

    @property
    def _column(self) -> int:
        return self.levels[-1][0] if self.levels else 0

    def _leave(self, column: int) -> None:
        self.levels = [level for level in self.levels if level[0] <= column]

    def _mark(self) -> str:
        return "> " * sum(quoted for _, quoted in self.levels)

    def feed(self, text: str) -> str:
        """The next piece, without its boxes."""
        found: list[str] = []
        blank = 0
        for line in text.split("\n"):
            if not line.strip():
                blank += 1
                continue
            if not self.fence:
                self._leave(len(line) - len(line.lstrip(" ")))
            between = self._mark().rstrip() if found else ""
            found += [between] * blank + self._line(line)
            blank = 0
        return "\n".join([*found, *[""] * blank])

    def _line(self, line: str) -> list[str]:
        content = line[self._column :] if not line[: self._column].strip() else line
        box = None if self.fence else BOX.match(content)
        self.fence = _fence_after(line, self.fence)
        if box is None:
            return [f"{self._mark()}{content}".rstrip() if self.levels else content]
        self.levels.append((self._column + len(box["indent"]) + 4, True))
        return [f"{box['indent']}{self._mark()}**{_box_title(box)}**"]
