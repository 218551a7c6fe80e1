"""A reference page leads a beginner to the lesson about its subject, by the lesson's own link."""

from __future__ import annotations

from pathlib import Path

import pytest

from same_device_site.lesson_links import taught, with_lessons
from same_device_site.settings import page_paths, parse_page
from samedevice import Page

ROOT = Path(__file__).parents[2]
SHAPES = "# Shapes: a form\n\n[no](../a/no.md)\n\n## All about it\n\n- [1](../a/one.md#x), [2](../a/two.md)\n"
VIEWS = "# Views\n\n## All about it\n\n- [Two](../a/two.md)\n- [A message](../errors/e.md)\n"
PAGE = "---\ntitle: Two\n---\n\n# Two\n\nThe answer.\nMore.\n\n## Then\n"


def page(path: str, text: str) -> Page:
    """A page without blocks."""
    return Page(path, text, ())


PAGES = [page("docs/learn/shapes.md", SHAPES), page("docs/learn/views.md", VIEWS), page("docs/a/two.md", PAGE)]


@pytest.mark.parametrize(
    ("path", "line"),
    [
        ("docs/a/one.md", "New to this? Begin with the lesson [Shapes](../learn/shapes.md).\n{ .sd-lesson }\n"),
        (
            "docs/a/two.md",
            "New to this? Begin with the lesson [Views](../learn/views.md) or [Shapes](../learn/shapes.md).\n"
            "{ .sd-lesson }\n",
        ),
        ("docs/a/no.md", ""),
        ("docs/errors/e.md", ""),
    ],
)
def test_the_lines_are_those_of_the_lessons(path: str, line: str) -> None:
    """The lesson that names the page first comes first. A link in the middle of a lesson is no "All about it"."""
    lead = "# Two\n\nThe answer.\nMore.\n"
    text = with_lessons(page(path, PAGE), PAGE, taught(PAGES))
    assert text == PAGE.replace(lead, f"{lead}\n{line}" if line else lead)


def test_each_lesson_is_named_by_a_page() -> None:
    """A reader of any reference page that a lesson leads to finds the way back: each has a place for the line."""
    pages = [parse_page(path, ROOT) for path in page_paths(ROOT)]
    lessons = taught(pages)
    shown = {one.path: with_lessons(one, one.text, lessons) for one in pages}
    missing = [
        f"{path}: {one.path}" for path, own in lessons.items() for one in own if Path(one.path).name not in shown[path]
    ]
    assert missing == []
    names = {lesson.path for own in lessons.values() for lesson in own}
    assert len(names) == len([one for one in pages if "\n## All about it\n" in one.text]) >= 15
