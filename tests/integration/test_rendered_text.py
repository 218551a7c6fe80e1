"""with_text: the blocks of a page whose text another plugin changed are those of the page."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from samedevice.errors import PageError
from samedevice.integration.rendered_text import with_text
from samedevice.pages.page import Page

PARTS = "some words " * 50
TEXT = f"# Page\n\n{PARTS}\n\n## A\n\n```python\nx = 1\n```\n\n```python\nx\n```\n\n## B\n\n```python\n2\n```\n"


@pytest.mark.parametrize("written", ["many words " * 100, ""], ids=["longer", "shorter"])
def test_a_text_that_another_plugin_writes_leaves_the_sections_as_they_are(
    write: Callable[..., Page], written: str
) -> None:
    """Else a block is one of the section above or below: its recording does not fit, and its copy lacks names."""
    page = write(TEXT)
    rendered = with_text(page, TEXT.replace(PARTS, written))
    assert [len(section.blocks) for section in rendered.sections] == [2, 1]
    assert rendered.hashes("cpu") == page.hashes("cpu")


def test_a_block_that_another_plugin_changes_is_an_error(write: Callable[..., Page]) -> None:
    """The page would show what did not run."""
    with pytest.raises(PageError, match=r"docs/page\.md:7: another plugin or extension changed this block"):
        with_text(write(TEXT), TEXT.replace("x = 1", "x = 2"))
