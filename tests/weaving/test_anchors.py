"""The ids of blocks and outputs: a link that somebody sent still leads to its block after an edit elsewhere."""

from __future__ import annotations

from collections.abc import Callable

from samedevice.pages.page import Page
from samedevice.weaving.weave import anchors

Write = Callable[..., Page]


def blocks(*codes: str) -> str:
    return "# Title\n" + "".join(f"\n```python\n{code}\n```\n" for code in codes)


def test_an_id_is_the_blocks_own(write: Write) -> None:
    """A block above, a file name and options for the reader's eye change nothing."""
    one, two = anchors(write(blocks("1", "2")))
    assert anchors(write(blocks("new", "1", "2"), "docs/other.md"))[1:] == (one, two)
    assert anchors(write(blocks("2")))[0] == two
    assert anchors(write('```python title="x"\n1\n```\n')) == (one,)


def test_no_page_has_an_id_twice(write: Write) -> None:
    """The same code may stand on a page several times."""
    one, other, third = anchors(write(blocks("1", "1", "2")))
    assert len({one, other, third}) == 3
    assert other == f"{one}-2"
