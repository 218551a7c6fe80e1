"""rendered_text: a page with the text that a builder renders in the place of its file's.

Other plugins and extensions may change a page before it is rendered: they expand macros, or include other files. Their
text is shown, and the blocks of the page are found in it again.
"""

from __future__ import annotations

import re
from dataclasses import replace

from samedevice.errors import PageError
from samedevice.pages.fences import FRONT_MATTER, Fence, find_fences
from samedevice.pages.page import Page

ADVICE = "the page would not show what ran; keep them from changing it, or list the page below leave"


def with_text(page: Page, text: str) -> Page:
    """The page with this text, which has no front matter. Raises PageError where a block is not in it as it was."""
    front = FRONT_MATTER.match(page.text)
    head = front[0] if front else ""
    if _lines(page.text[len(head) :]) == _lines(text):
        return page
    whole = f"{head}{text}"
    fences = find_fences(whole, page.path, hidden=not page.settings.console)
    blocks = []
    for block in page.blocks:
        if block.of_project:
            blocks.append(block)
            continue
        like = (_language(block.fence), block.fence.body)
        fence = next((fence for fence in fences if (_language(fence), fence.body) == like), None)
        if fence is None:
            raise PageError(page.path, block.line, f"another plugin or extension changed this block; {ADVICE}")
        blocks.append(replace(block, fence=replace(fence, line=block.fence.line)))
    return replace(page, text=whole, blocks=tuple(blocks))


def without_front_matter(text: str) -> str:
    """A text as builders render it."""
    return FRONT_MATTER.sub("", text, count=1)


def _language(fence: Fence) -> str:
    """The first word of a fence's first line: others may take options out that they alone know."""
    found = re.search(r"[\w#+-]+", fence.info)
    return found[0] if found else ""


def _lines(text: str) -> list[str]:
    """The lines of a text without blank ones at its ends, which builders drop."""
    return text.strip("\n\ufeff").splitlines()
