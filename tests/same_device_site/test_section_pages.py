"""The sections of the site: each has a page that names its pages, in the order of the navigation."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parents[2]
LINK = re.compile(r"^(?:-|\d+\.) \[.+?\]\((?P<page>[\w.-]+)\)", re.M)


class Loader(yaml.SafeLoader):
    """Reads mkdocs.yml without the values that MkDocs alone knows."""


Loader.add_multi_constructor("!", lambda *_: None)


def sections() -> Iterator[tuple[str, list[str]]]:
    """The title of each section of the navigation with its pages."""
    nav = yaml.load((ROOT / "mkdocs.yml").read_text(encoding="utf-8"), Loader)["nav"]
    for item in nav:
        for title, pages in item.items():
            if isinstance(pages, list):
                yield title, [page if isinstance(page, str) else next(iter(page.values())) for page in pages]


@pytest.mark.parametrize(("title", "pages"), list(sections()), ids=lambda one: one if isinstance(one, str) else "")
def test_a_section_has_a_page_that_names_its_pages_in_order(title: str, pages: list[str]) -> None:
    """One order everywhere: in the menu, at the foot of a page, on the page of the section."""
    index, *others = pages
    folder, _, name = index.rpartition("/")
    assert name == "index.md", f"{title} has no page of its own"
    named = [f"{folder}/{one['page']}" for one in LINK.finditer((ROOT / "docs" / index).read_text(encoding="utf-8"))]
    assert list(dict.fromkeys(named)) == others
