"""Links in Markdown: which there are, and that looking for them ends."""

from __future__ import annotations

import pytest

from samedevice.weaving.prose import find_links, relink

TEXTS = {
    "[a](b.md)": ["b.md"],
    "![a](b.png)": ["b.png"],
    "[![a](b.png)](c.md)": ["c.md"],
    "[a [b] c](d.md)": ["d.md"],
    "[a](<b c.md>)": ["b c.md"],
    "[a](b_(c).md)": ["b_(c).md"],
    "[`[`](b.md)": ["b.md"],
    r"[\]](b.md)": ["b.md"],
    "`[a](b.md)`": [],
    "<!-- [a](b.md) -->": [],
    "[a]: b.md": ["b.md"],
}


@pytest.mark.parametrize("text", TEXTS)
def test_links_are_found_outside_of_code(text: str) -> None:
    """An image within a link is looked for in the text of that."""
    assert [link.url for link in find_links(text)] == TEXTS[text]


def test_an_open_bracket_before_many_links_is_read_at_once() -> None:
    """A slip of an author must not keep the build busy for ever."""
    links = "".join(f" [a{n}](b{n}.md), ![c](d{n}.png)!" for n in range(200))
    assert len([*find_links(f"[open{links}")]) == 400
    assert relink(f"[open{links}", str.upper).count(".MD") == 200
