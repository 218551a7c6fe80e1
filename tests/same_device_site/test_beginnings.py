"""How pages begin: with a sentence that answers, not with what a reader should have read before."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from same_device_site.settings import page_paths, parse_page

ROOT = Path(__file__).parents[2]
TITLE = re.compile(r"^(?:# )?# .+\n+", re.M)
TOPICS = ("tensors", "devices", "training", "amp", "parallel", "memory")
BEFORE = re.compile(r"\b(?:This|It|This page|This notebook) builds on\b")


def beginning(path: Path) -> str:
    """The first paragraph of a page."""
    text = parse_page(path, ROOT).text
    title = TITLE.search(text)
    assert title is not None, path
    return re.split(r"\n(?:# *)?\n", text[title.end() :])[0]


@pytest.mark.parametrize("path", page_paths(ROOT), ids=lambda path: path.relative_to(ROOT).as_posix())
def test_no_page_begins_with_what_it_builds_on(path: Path) -> None:
    """37 pages did; what to read before is at their end."""
    assert not BEFORE.search(beginning(path))


@pytest.mark.parametrize(
    "path",
    [path for path in page_paths(ROOT) if path.parent.name in TOPICS and path.stem != "index"],
    ids=lambda path: path.relative_to(ROOT).as_posix(),
)
def test_a_page_of_a_topic_begins_with_a_sentence(path: Path) -> None:
    """A reader who came from a search looks for one; the row of what ran where is below it."""
    first = beginning(path)
    assert first[0] not in "|#!<?", first
    assert not first.startswith(("```", "This page is about", "It shows how", "Here you")), first
