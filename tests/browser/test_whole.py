"""The whole site, whatever built it: each page has each of its outputs, in a browser too, and its downloads."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from same_device_site.settings import page_paths, parse_page
from samedevice.integration.page_weaver import PageWeaver
from samedevice.site_outputs import SiteOutputs
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
    pages = tuple(parse_page(path, root) for path in page_paths(root))
    weaver = PageWeaver(SiteOutputs(root, print, devices=()), Address("https://someone.github.io/same-device/"))
    made = {page.name: weaver.woven(page) for page in pages}
    return {name: len(OUTPUT.findall("".join(woven_outputs(one.markdown)))) for name, one in made.items()}


def test_each_page_is_there_with_each_output(expected: dict[str, int], site: Path) -> None:
    """A builder that leaves one out says nothing of it."""
    pages = {name: (site / f"{name}.html").read_text(encoding="utf-8") for name in expected}
    assert len(pages) > 40
    assert sum(expected.values()) > 1000
    assert {name: len(OUTPUT.findall(html)) for name, html in pages.items()} == expected


def test_each_page_opens_with_its_outputs_and_without_an_error(
    expected: dict[str, int], context: Any, address: str
) -> None:
    """An output that is in the file and not on the screen is of no use."""
    page, wrong = context.new_page(), []
    page.on("pageerror", lambda error: wrong.append(f"{page.url}: {error}"))
    page.on("response", lambda one: wrong.append(f"{one.url}: {one.status}") if one.status >= 400 else None)
    found = {}
    for name in expected:
        page.goto(f"{address}{name}.html", wait_until="load")
        found[name] = page.locator("article .sd-out[data-devices]").count()
        if expected[name] and not page.locator("article .sd-pane:visible").count():
            wrong.append(f"{name}: no output can be seen")
    assert wrong == []
    assert found == expected


def test_each_page_can_be_taken_along(expected: dict[str, int], context: Any, address: str) -> None:
    """In every form; and the page itself links to those that people read."""
    page, gone = context.new_page(), []
    for name in expected:
        files = [f"{name}.{suffix}" for suffix in SUFFIXES]
        gone += [file for file in files if page.request.get(address + file).status != 200]
        html = page.request.get(f"{address}{name}.html").text()
        gone += [f"link to {file}" for file in files[:3] if f'{file.rpartition("/")[2]}"' not in html]
    assert gone == []
