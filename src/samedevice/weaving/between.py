"""between: the text between two blocks of a page to that text as it is shown: with expected results and diagrams.

    !!! expected "cuda"

        The copy waits for the GPU ([CUDA semantics](...)).

says what the block above it should print on a device that has not run it yet, by default the one that it needs, else
CUDA. Until the page shows an output of that device, simulated or not, the text is in a box whose title says what it
rests on: PyTorch's source or documentation, a report, or nothing but our word. Then it is an ordinary paragraph.

The list that explains the marks in a block's code, `# (1)`, comes right after the code, where Material for MkDocs looks
for it; so the output comes after it. An image on a line of its own, `![A view](../assets/diagrams/view.svg)`, is a
drawing that is shown inline, so that its ink has the color of the text around it.
"""

from __future__ import annotations

import posixpath
import re
import textwrap
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

from samedevice.devices import DEVICES
from samedevice.errors import PageError
from samedevice.outputs import escaping
from samedevice.pages.page import Block, Page
from samedevice.pages.parsing import inside
from samedevice.weaving.panes import ShownOutput
from samedevice.weaving.prose import find_links

FOLDER = "assets/diagrams/"
DIAGRAM = re.compile(
    rf"^(?P<prefix>[ \t]*)!\[(?P<alt>[^\]\n]*)\]\((?P<path>[^)\s]*{FOLDER}[\w.-]+\.svg)\)[ \t]*$", re.M
)
SVG = re.compile(r"<svg\b[^>]*>")
NAMED = re.compile(r'\s(?:role|aria-label(?:ledby)?)="[^"]*"')
MARK = re.compile(r"#.*\(\d+\)")
"""A mark in a comment."""
ITEM = re.compile(r"\d+\.\s")
"""How an item of the list begins."""


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


EXPECTED = re.compile(
    r'^(?P<prefix>[ \t]*)!!! +expected(?: +"(?P<device>[^"\n]*)")?[ \t]*\n'
    r"(?P<body>(?:(?:(?P=prefix)(?: {4}|\t).*|[ \t]*)\n)*(?:(?P=prefix)(?: {4}|\t).*)?)",
    re.M,
)
BASES = {
    re.compile(r"https://github\.com/pytorch/pytorch/blob/"): "Expected, from PyTorch's source",
    re.compile(r"https://(?:docs\.)?pytorch\.org/"): "Expected, from PyTorch's documentation",
    re.compile(r"https://docs\.nvidia\.com/"): "Expected, from NVIDIA's documentation",
    re.compile(r"https?://"): "Expected, from a report",
}
"""What a result that no device has shown yet is called, by what it links to; the strongest first."""
PREDICTION = "Our prediction"
"""What one without such a link is called."""


def write_expected(prose: str, page: Page, start: int, block: Block | None, shown: Sequence[ShownOutput]) -> str:
    """Prose with the expected results of the block above it: each in a box, or as text below an output of the device.

    `prose` begins at offset `start` of the page. Raises PageError where there is no block above, or no such device.
    """
    ran = {one.device for one in shown if one.output is not None and not one.wrong}

    def settled(match: re.Match[str]) -> str:
        line = page.text.count("\n", 0, start + match.start()) + 1
        device = _device(match, block, page.path, line)
        if device not in ran:
            return f'{match["prefix"]}!!! expected "{based_on(match["body"])}"\n{match["body"]}'
        body = textwrap.indent(textwrap.dedent(match["body"]), match["prefix"])
        return body.removeprefix("\n")

    return EXPECTED.sub(settled, prose)


def based_on(text: str) -> str:
    """The title of an expected result: what it rests on."""
    addresses = [link.url for link in find_links(textwrap.dedent(text))]
    return next((title for base, title in BASES.items() if any(map(base.match, addresses))), PREDICTION)


def _device(match: re.Match[str], block: Block | None, page: str, line: int) -> str:
    if block is None:
        raise PageError(page, line, "this expected result belongs to no block; put it below the block that it is about")
    device = match["device"] or block.options.needs or "cuda"
    if device not in DEVICES:
        raise PageError(page, line, f'"{device}" names no device; use {", ".join(DEVICES)}')
    return device


def expected(page: Page) -> Iterator[tuple[Block, str, str]]:
    """Each expected result of a page: the block, the device, and the text as Markdown. Raises PageError."""
    ends = [*(block.fence.start for block in page.blocks[1:]), len(page.text)]
    for block, end in zip(page.blocks, ends, strict=False):
        for match in EXPECTED.finditer(page.text[block.fence.end : end]):
            line = page.text.count("\n", 0, block.fence.end + match.start()) + 1
            yield block, _device(match, block, page.path, line), textwrap.dedent(match["body"]).strip()


def notes_end(page: Page, block: Block, end: int) -> int:
    """The offset at which the list below a block ends; the block's own end if it has no such list.

    `end` is where the next block begins. A list that holds that block has its output in it, and is left where it is.
    """
    deeper = page.text.startswith((f"{block.fence.prefix} ", f"{block.fence.prefix}\t"), end)
    if deeper or not MARK.search(block.code):
        return block.fence.end
    found = at = block.fence.end
    after_blank, listing = True, False
    for line in page.text[at:end].splitlines(keepends=True):
        if line.strip():
            text = line.removeprefix(block.fence.prefix) if line.startswith(block.fence.prefix) else ""
            begins = bool(ITEM.match(text))
            if not begins and not (listing and (text.startswith((" ", "\t")) or (text and not after_blank))):
                break
            listing, found = True, at + len(line.rstrip("\n"))
        after_blank = not line.strip()
        at += len(line)
    return found
