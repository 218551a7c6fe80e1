"""anchors: the ids by which a page's blocks and outputs can be linked to. An edit elsewhere leaves them as they are."""

from __future__ import annotations

import hashlib
from collections import Counter

from samedevice.pages.page import Page

LENGTH = 8
"""Hexadecimal digits of a hash that an id has."""


def anchors(page: Page) -> tuple[str, ...]:
    """An id for each block, made of its own code; of blocks with the same code the later ones have a number as well."""
    seen: Counter[str] = Counter()
    found = []
    for block in page.blocks:
        own = anchor(f"{block.kind}\n{block.code.strip()}\n{block.options.args}", "b")
        seen[own] += 1
        found.append(own if seen[own] == 1 else f"{own}-{seen[own]}")
    return tuple(found)


def of_output(block: str) -> str:
    """The id of the output of the block with this id."""
    return f"{block}-out"


def anchor(text: str, kind: str) -> str:
    """An id that follows from a text alone."""
    return f"{kind}-{hashlib.sha256(text.encode()).hexdigest()[:LENGTH]}"
