"""Pages with the text that a builder renders: their blocks are found in it, and stay in their sections."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from samedevice.errors import PageError
from samedevice.integration.page_weaver import with_text, without_front_matter
from samedevice.pages.page import Page
from samedevice.pages.parsing import parse_page
from samedevice.project import Settings

CODE = "```python\n{}\n```\n\n"
TEXT = f"---\ntitle: T\n---\n# T\n\nMARK\n\n## One\n\n{CODE.format(1)}{CODE.format(2)}## Two\n\n{CODE.format(3)}"


def _lines(page: Page) -> list[list[int]]:
    return [[block.line for block in section.blocks] for section in page.sections]


@pytest.mark.parametrize("put", ["", "a\n\n\n" * 40, "## More\n\ntext"], ids=["less", "much", "a heading"])
def test_a_block_stays_in_its_section_where_another_plugin_adds_text(
    write: Callable[..., Page], root: Path, put: str
) -> None:
    """Two blocks of a section were taken for two sections, and their recordings for those of other code."""
    page = parse_page(root / write(TEXT).path, root, settings=Settings(namespace="section"))
    found = with_text(page, without_front_matter(TEXT).replace("MARK", put))
    assert _lines(found) == _lines(page) == [[10, 14], [20]]
    assert found.hashes("cpu") == page.hashes("cpu")


def test_a_block_that_another_plugin_changes_is_an_error(write: Callable[..., Page]) -> None:
    """The page would show what did not run."""
    with pytest.raises(PageError, match="another plugin or extension changed this block"):
        with_text(write(TEXT), without_front_matter(TEXT).replace("\n2\n", "\n3\n"))
