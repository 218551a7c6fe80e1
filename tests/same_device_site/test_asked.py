"""What people ask of a section: read from the pages, and given to the section that answers it."""

from __future__ import annotations

from pathlib import Path

import pytest

from same_device_site.asked import asked, asked_by_location
from samedevice import PageError

PAGE = """---
title: Here
asked:
  page: |
    what is here
  there: |
    how: to get there?
    is it "far"
---

# Here
"""
NOTEBOOK = "# ---\n# title: Walk\n# asked:\n#   first: |\n#     where to begin\n# ---\n\n# %% [markdown]\n# # Walk\n"


def test_questions_are_lines_by_the_id_of_their_section() -> None:
    """What a question has in it, colons and quotes, needs no care."""
    assert asked(PAGE) == {"page": ["what is here"], "there": ["how: to get there?", 'is it "far"']}
    assert asked(NOTEBOOK) == {"first": ["where to begin"]}
    assert asked("# asked: no front matter\n") == {}


def test_they_are_given_to_the_sections_of_the_index(tmp_path: Path) -> None:
    """With the addresses that the builder gives the pages."""
    path = tmp_path / "docs/a/here.md"
    path.parent.mkdir(parents=True)
    path.write_text(PAGE, encoding="utf-8")
    found = asked_by_location(tmp_path, [path], ["a/here.html", "a/here.html#there", "b.html#there"])
    assert list(found) == ["a/here.html", "a/here.html#there"]
    assert asked_by_location(tmp_path, [path], ["a/here/", "a/here/#there"])["a/here/"] == ["what is here"]


def test_a_section_that_is_gone_is_an_error(tmp_path: Path) -> None:
    """Its heading got another id; the questions would find nothing from then on. Not so for a page that is not made."""
    path = tmp_path / "docs/here.md"
    path.parent.mkdir(parents=True)
    path.write_text(PAGE, encoding="utf-8")
    assert asked_by_location(tmp_path, [path], ["index.html"]) == {}
    with pytest.raises(PageError, match=r"docs/here\.md:6: asked: no section that the search knows has the id there"):
        asked_by_location(tmp_path, [path], ["here.html", "here.html#then"])
