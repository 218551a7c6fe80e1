"""The whole site, whatever built it: each page has each of its outputs, and its downloads."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from otherwise import BUILDER

from same_device_site.settings import page_paths, parse_page
from samedevice.integration.page_weaver import PageWeaver
from samedevice.page_runs import PageRuns
from samedevice.weaving.prose import Address
from samedevice.weaving.weave import woven_outputs

pytestmark = pytest.mark.browser

OUTPUT = re.compile(r'<div class="sd-out\b[^>]* data-devices=')
SUFFIXES = ("ipynb", "py", "md", "check.json")
"""Those of the files that a page can be taken along as."""


@pytest.fixture(scope="module")
def expected(site: Path) -> dict[str, int]:
    """For each page, by its path on the site without suffix, how many outputs there are for it."""
    root = site.parent
    whole = BUILDER != "zensical"  # which makes no pages of notebooks
    paths = (path for path in page_paths(root) if whole or path.suffix == ".md")
    pages = tuple(parse_page(path, root) for path in paths)
    weaver = PageWeaver(PageRuns(root), Address("https://someone.github.io/same-device/"))
    made = {page.name: weaver.woven(page) for page in pages}
    return {name: len(OUTPUT.findall("".join(woven_outputs(one.markdown)))) for name, one in made.items()}


def test_each_page_is_there_with_each_output(expected: dict[str, int], site: Path) -> None:
    """A builder that leaves one out says nothing of it."""
    pages = {name: (site / f"{name}.html").read_text(encoding="utf-8") for name in expected}
    assert len(pages) > 40
    assert sum(expected.values()) > 1000
    assert {name: len(OUTPUT.findall(html)) for name, html in pages.items()} == expected


def test_each_page_can_be_taken_along(site: Path) -> None:
    """In every form; and the page itself links to those that people read."""
    gone = []
    names = [parse_page(path, site.parent).name for path in page_paths(site.parent)]
    assert len(names) > 40
    for name in names:
        files = [f"{name}.{suffix}" for suffix in SUFFIXES]
        gone += [file for file in files if not (site / file).is_file()]
        html = (site / f"{name}.html").read_text(encoding="utf-8")
        linked = files[:3] if "sd-ran" in html else files[2:3]  # there is nothing to run on a page without blocks
        gone += [f"link to {file}" for file in linked if f'{file.rpartition("/")[2]}"' not in html]
    assert gone == []
