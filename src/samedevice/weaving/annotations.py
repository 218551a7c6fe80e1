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
    """The offset at which the list below a block ends, before `end`; the block's own end if it has no such list."""
    if not MARK.search(block.code):
        return block.fence.end
    found = at = block.fence.end
    after_blank, listing = True, False
    for line in page.text[at:end].splitlines(keepends=True):
        text = line.removeprefix(block.fence.prefix)
        begins = bool(ITEM.match(text))
        if line.strip() and not begins and (not listing or (after_blank and not text.startswith((" ", "\t")))):
            break
        listing, after_blank = listing or begins, not line.strip()
        at += len(line)
        found = found if after_blank else at - line.endswith("\n")
    return found
