"""How long pages are: a lesson is finished in one sitting, and a reference is scanned."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from same_device_site.lesson_links import HEADING, LESSONS
from same_device_site.settings import page_paths
from same_device_site.statements import passages

ROOT = Path(__file__).parents[2]
PAGES = {path.relative_to(ROOT).as_posix(): path.read_text(encoding="utf-8") for path in page_paths(ROOT)}
WORD = re.compile(r"\S*\w\S*")
REFERENCES = ("docs/amp/", "docs/devices/", "docs/memory/", "docs/parallel/", "docs/tensors/", "docs/training/")
"""Where references are."""


def words(text: str) -> int:
    """How many words a page has: its headings, sentences and tables, without front matter, code and addresses."""
    return sum(len(WORD.findall(passage.text)) for passage in passages(text))


def lessons() -> list[str]:
    """The lessons: the pages of the course that end with "All about it"."""
    return [path for path, text in PAGES.items() if path.startswith(LESSONS) and HEADING in text]


@pytest.mark.parametrize("path", lessons())
def test_a_lesson_is_short(path: str) -> None:
    """A reader who cannot see its end does not begin."""
    assert words(PAGES[path]) <= 950


def test_the_course_is_short() -> None:
    """It had 33,310 words when lessons and references were one."""
    assert sum(words(PAGES[path]) for path in lessons()) <= 13_500


@pytest.mark.parametrize("path", [path for path in PAGES if path.startswith(REFERENCES)])
def test_a_reference_has_one_subject(path: str) -> None:
    """What a page has no room for is a subject of its own: people look for it by its name."""
    assert words(PAGES[path]) <= 2000


def test_code_front_matter_and_addresses_are_no_words() -> None:
    """A reader reads none of them."""
    front, code = "---\ntitle: A b c\n---\n", "```python\nx = 1\n```\n"
    page = f"{front}\n# Two words\n\n[A link](../x/y.md) and `x = 1`.\n\n{code}\n| a | b |\n"
    assert words(page) == len(["Two", "words", "A", "link", "and", "`x", "1`", "a", "b"])
