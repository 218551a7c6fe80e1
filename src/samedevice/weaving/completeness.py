"""completeness: a page and its HTML to what is wrong: each block that is run is shown once, and each of its outputs.

The engine and Markdown read a page each in its own way. Where they disagree, code would be shown that nothing runs, or
run that nobody sees. So the HTML is compared with the blocks, whatever extensions it was made by. Pure.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html.parser import HTMLParser

from samedevice.errors import Complaints, PageError
from samedevice.pages.options import LOOKALIKES, PYTHON
from samedevice.pages.page import Block, Page

MARK = "language-"
"""What begins the class of highlighted code; pymdownx.highlight writes it if told to."""
START, HEAD = 10, 80
"""Characters by which an output is looked for in a page, and by which it is told from most others."""
NUMBERS = "linenos"
"""The class of line numbers."""
RUN = {*PYTHON, *LOOKALIKES, "console"}
"""Languages whose code a reader takes for code that was run."""
ENDED = frozenset("style script textarea template title noscript iframe select xmp noembed noframes".split())
"""Elements in which no code is read as code, and which their own end ends, whatever is open in them."""
UNSEEN = ENDED | frozenset("object svg math canvas audio video datalist dialog rp plaintext".split())
"""Elements in which no code is read: those, and some that their end ends only where nothing is open in them. Nothing
ends `plaintext`."""
PERHAPS = {"svg", "math", "noscript"}
"""The elements of which a browser may show the code all the same: HTML ends the first two, and scripts may be off."""
SHOWS = {"div", "pre", "code"}
"""Elements that code is in. Others may end before it, as a paragraph does."""
HIDES = {"hidden", "popover"}
"""Attributes of an element that is not shown."""
COMMENT = re.compile(r"<!--(?:-?>|.*?(?:--!?>|\Z))", re.S)
"""A comment, as browsers read it: one that nothing ends hides the rest of the page. Python's parsers differ there."""
VOID = {"area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr"}
"""Elements without an end."""


@dataclass
class RenderedCode:
    """A piece of highlighted code on a page."""

    language: str
    """As its class names it: python."""
    index: str
    """Its `data-block`: the index of the block that it shows; empty if it has none."""
    perhaps: bool = False
    """Whether it is in an element of `PERHAPS`, so that nobody can rely on its being shown, or not."""
    text: str = ""
    """The code."""


class _Code(HTMLParser):
    """Finds the highlighted code of a page, and how often each block's index is on it."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.found: list[RenderedCode] = []
        self.open: list[str] = []
        self.unseen: list[int] = []
        """Where in `open` the elements are in which no code is read."""
        self.at = 0
        """How many elements were open where the last piece of code began; 0 outside of one."""
        self.numbers = 0
        """How many elements were open where the last column of line numbers began, which is beside the code."""
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Begin a piece of code, if it is one."""
        about = dict(attrs)
        language = _language(about.get("class") or "")
        if tag not in VOID and (tag in UNSEEN or not HIDES.isdisjoint(about)):
            self.unseen.append(len(self.open))
        seen = all(self.open[at] in PERHAPS for at in self.unseen if at < len(self.open))
        if not self.at and language in RUN and tag in SHOWS and seen:
            self.found.append(RenderedCode(language, about.get("data-block") or "", bool(self.unseen)))
            self.at = len(self.open) + 1
        if tag not in VOID:
            self.open.append(tag)
            if NUMBERS in (about.get("class") or "").split() and not self.numbers:
                self.numbers = len(self.open)

    def handle_endtag(self, tag: str) -> None:
        """End it, with whatever its author left open in it."""
        if self._ends(tag):
            while self.open.pop() != tag:
                pass
        while self.unseen and self.unseen[-1] >= len(self.open):
            self.unseen.pop()
        if len(self.open) < self.at:
            self.at = 0
        if len(self.open) < self.numbers:
            self.numbers = 0

    def _ends(self, tag: str) -> bool:
        """Whether a tag ends the innermost element of its name."""
        if not self.unseen:
            return tag in self.open
        inner = self.open[self.unseen[-1] :]
        if tag in inner[1:]:
            return True
        return tag == inner[0] != "plaintext" and (tag in ENDED or len(inner) == 1)

    def handle_data(self, data: str) -> None:
        """Take in its text; a title is beside the code, not in it."""
        inside = self.open[max(self.at - 2, 0) :]  # without Pygments, the element that names the language is in `pre`
        if self.at and not self.numbers and (not self.found[-1].index or "pre" in inside):
            self.found[-1].text += data


def _language(classes: str) -> str:
    """The language that a class names; empty if it names none."""
    found = (name.removeprefix(MARK).lower() for name in classes.split() if name.lower().startswith(MARK))
    return next(found, "")


def check_shown(page: Page, outputs: Sequence[str], html: str) -> None:
    """Raise PageError or PageErrors if the page's HTML does not show each block once, as it is run.

    `outputs` is the HTML of each output that the page must hold. Code in a language that is run has to say so by a
    class that begins with `language-`. Code of the page's own source that nothing runs is an error. What others made,
    such as the signatures of mkdocstrings, is theirs; only in a project that holds every fence to the rules, it counts.
    """
    complaints = Complaints()
    expected, places = Counter(outputs), _places(outputs, html)
    found = _Code(COMMENT.sub("", _without(html, places))).found
    shown: dict[str, list[RenderedCode]] = {}
    for one in found:
        shown.setdefault(one.index, []).extend([] if one.perhaps else [one])
    for block in (block for block in page.blocks if block.kind != "transcript" and not block.hidden):
        for problem in _problems(block, shown.get(str(block.index), [])):
            complaints.add(PageError(page.path, block.line, problem))
    known = {str(block.index) for block in page.blocks}
    for one in found:
        line = 0 if one.index in known else _line(page, one.text)
        ours = one.language in PYTHON and one.language not in page.settings.custom
        if one.index not in known and (page.settings.console or (line and ours)):
            complaints.add(_never_run(page, one, line or _like(page, one.text)))
    complaints.raise_all()
    there = Counter(output for _, output in places)
    for output, count in expected.items():  # what is wrong with a block is wrong with its output, and told once
        if there[output] != count:
            complaints.add(_lost(page, output))
    complaints.raise_all()


def _places(outputs: Sequence[str], html: str) -> list[tuple[int, str]]:
    """Where which of the outputs are, in order. A page has thousands of them, so they are looked up by their heads."""
    heads: dict[str, set[str]] = {}
    for output in outputs:
        heads.setdefault(output[:HEAD], set()).add(output)
    lengths, found = {len(head) for head in heads}, list[tuple[int, str]]()
    for start in {output[:START] for output in outputs}:
        at = html.find(start)
        while at >= 0:
            near = (one for length in lengths for one in heads.get(html[at : at + length], ()))
            found += [(at, one) for one in near if html.startswith(one, at)]
            at = html.find(start, at + 1)
    return sorted(found)


def _without(html: str, places: Sequence[tuple[int, str]]) -> str:
    """The HTML without the outputs at these places."""
    kept, end = list[str](), 0
    for at, output in places:
        kept.append(html[end:at])
        end = max(end, at + len(output))
    return "".join([*kept, html[end:]])


def _problems(block: Block, shown: Sequence[RenderedCode]) -> Iterator[str]:
    if not shown:
        yield (
            "this block is run, but the page does not show it as code; put a blank line before it, indent it no deeper"
            " than the list or the box that it is in, and take it out of HTML"
        )
    elif len(shown) > 1:
        yield f"the page shows this block {len(shown)} times; include it once"
    elif shown[0].text.strip("\n") != block.code.strip("\n"):
        yield "the page shows other code than what is run; take out of the block what a Markdown extension changes"


def _never_run(page: Page, shown: RenderedCode, line: int) -> PageError:
    first = next((line.strip() for line in shown.text.split("\n") if line.strip()), "")
    what = f'the page shows "{first[:60]}" as {shown.language}, and nothing runs it'
    advice = (
        "start its fence after a blank line, no deeper than the list or the box that it is in, and not in an include"
    )
    return PageError(page.path, line, f"{what}; {advice}, or write text as its language")


def _line(page: Page, code: str) -> int:
    """The line of a fence that holds some code, and that the engine takes for text; 0 if the page has none."""
    own = page.fences if not page.settings.console else [block.fence for block in page.blocks]
    taken = {line for fence in own for line in range(fence.line, fence.line + fence.body.count("\n") + 2)}
    lines = [(at, _bare(line)) for at, line in enumerate(page.text.split("\n"), start=1) if at not in taken]
    source = [(at, line) for at, line in lines if line]
    wanted = [bare for line in code.split("\n") if (bare := _bare(line))]
    for number, (at, line) in enumerate(source):
        following = [text for _, text in source[number + 1 : number + 1 + len(wanted)]]
        if ("```" in line or "~~~" in line) and wanted and following == wanted:
            return at
    return 0


def _like(page: Page, code: str) -> int:
    """The first line of a page that is like the first line of some code; 1 if there is none."""
    first = next((bare for line in code.split("\n") if (bare := _bare(line))), "")
    lines = enumerate(page.text.split("\n"), start=1)
    return next((at for at, line in lines if first and first in line), 1)


def _bare(line: str) -> str:
    """A line without what a list, a box or a quote puts before it."""
    return line.strip(" \t>")


def _lost(page: Page, output: str) -> PageError:
    words = " ".join(re.sub(r"<[^>]*>", " ", output).split())[:60]
    what = f'the page does not show the output "{words}" once, as it was printed'
    advice = (
        "indent its fence no deeper than the text, the list or the box that it is in, or look for a Markdown extension"
        " or a plugin that changes it"
    )
    return PageError(page.path, page.blocks[0].line if page.blocks else 1, f"{what}; {advice}")
