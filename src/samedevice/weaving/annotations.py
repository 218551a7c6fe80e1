"""annotations: where the list ends that explains the marks in a block's code, `# (1)`, as Material for MkDocs has them.

Material looks for that list right after the code, so the output comes after the list. Pure.
"""

from __future__ import annotations

import re

from samedevice.pages.page import Block, Page

MARK = re.compile(r"#.*\(\d+\)")
"""A mark in a comment."""
ITEM = re.compile(r"\d+\.\s")
"""How an item of the list begins."""


def notes_end(page: Page, block: Block, end: int) -> int:
    """The offset at which the list below a block ends; the block's own end if it has no such list.

    `end` is where the next block begins. A list that holds that block has its output in it, and is left where it is.
    """
    if not MARK.search(block.code) or _is_deeper(page.text[end:], block.fence.prefix):
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


def _is_deeper(text: str, prefix: str) -> bool:
    """Whether a text begins with a line that is indented deeper than a prefix."""
    return text.startswith((f"{prefix} ", f"{prefix}\t"))
