"""expected: what a block should print on a device that has not run it yet, as a page says it.

    !!! expected "cuda"

        The copy waits for the GPU ([CUDA semantics](...)).

belongs to the block above it. Until the page shows an output of that device, simulated or not, the text is in a box
whose title says what it rests on: PyTorch's source or documentation, a report, or nothing but our word. Afterwards it
is an ordinary paragraph. Without a device in quotes the text is about the device that the block needs, else about CUDA.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator, Sequence

from samedevice.devices import DEVICES
from samedevice.errors import PageError
from samedevice.pages.links import find_links
from samedevice.pages.page import Block, Page
from samedevice.weaving.panes import ShownOutput

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
