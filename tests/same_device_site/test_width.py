"""The width of code: what is wider than a page's column is cut off, at every width of the window."""

from __future__ import annotations

import io
import tokenize
from pathlib import Path

import pytest

from same_device_site.settings import page_paths, parse_page

ROOT = Path(__file__).parents[2]
WIDTH = 88
"""Columns that fit beside the navigation and the table of contents."""
NAMES_ITS_LINES = {"docs/parallel/debugging.md"}
"""Pages with blocks that print the numbers of their lines, so that none above them may be broken in two."""


def too_wide(code: str) -> list[str]:
    """The lines of code over the width, without those that are wide because of one string, which nothing breaks."""
    lines = code.split("\n")
    inside: set[int] = set()
    for token in tokenize.generate_tokens(io.StringIO(code + "\n").readline):
        if token.type == tokenize.STRING and (token.start[0] < token.end[0] or token.string.startswith('"""')):
            inside.update(range(token.start[0], token.end[0] + 1))
    return [line for number, line in enumerate(lines, 1) if len(line) > WIDTH and number not in inside]


@pytest.mark.parametrize("path", page_paths(ROOT), ids=lambda path: path.relative_to(ROOT).as_posix())
def test_code_fits_beside_the_navigation(path: Path) -> None:
    """356 blocks had lines that were cut off without a hint, on the widest screen too.

    Programs of snippets/ are left out: what is recorded of them holds for their very text.
    """
    page = parse_page(path, ROOT)
    if page.path in NAMES_ITS_LINES:
        return
    own = [block for block in page.blocks if block.kind == "python" and block.path == page.path]
    assert [(str(block), line) for block in own for line in too_wide(block.code)] == []


def test_a_wide_line_is_found() -> None:
    """Only a string of several lines, or a docstring, may be wider."""
    wide = f"x = [{', '.join('1' * 40)}]"
    assert too_wide(f'def f():\n    """{"a " * 50}"""\n    {wide}') == [f"    {wide}"]
