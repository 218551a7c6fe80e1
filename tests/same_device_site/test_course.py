"""The course: the lessons of the navigation, in its order."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from same_device_site.course import Lesson, lessons


def page(uri: str, title: str, description: str = "", markdown: str = "") -> Any:
    """A page of MkDocs, as far as the course asks for it."""
    file = SimpleNamespace(src_uri=uri)
    about = {"description": description} if description else {}
    html = uri.replace(".md", ".html")
    return SimpleNamespace(
        file=file, url=html, title=title, meta=about, markdown=markdown, is_page=True, is_section=False
    )


def section(title: str, *children: Any) -> Any:
    """A section of the navigation."""
    return SimpleNamespace(title=title, children=children, is_section=True, is_page=False)


def test_the_lessons_are_those_of_the_navigation() -> None:
    """Home, the head of a lesson and the foot have one order: nothing else lists them."""
    picture = "Text.\n\n![A scalar](../assets/diagrams/ranks.svg)\n"
    found = lessons(
        [
            page("index.md", "Home"),
            section("Tensors", page("tensors/a.md", "A")),
            section(
                "Learn",
                page("learn/index.md", "Learn", "", "1. [The GPU](gpu.md){ .sd-step }: choose a device\n"),
                page("learn/first-hour.md", "First hour"),
                page("learn/tensor.md", "Your first tensor", "Make one, print it. Then know its shape.", picture),
                page("learn/gpu.md", "The GPU"),
            ),
        ]
    )
    assert found == (
        Lesson(
            "learn/tensor.md",
            "learn/tensor.html",
            "Your first tensor",
            "Make one, print it",
            "assets/diagrams/ranks.svg",
        ),
        Lesson("learn/gpu.md", "learn/gpu.html", "The GPU", "choose a device", ""),
    )


def test_a_site_without_a_course_has_no_lessons() -> None:
    """The template then shows none."""
    assert lessons([page("index.md", "Home"), section("Tensors", page("tensors/a.md", "A"))]) == ()
