"""The site opened from a folder: no server, no network."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.browser


@pytest.fixture
def page(context: Any, site: Path) -> Any:
    """A page of the folder, without a network."""
    context.set_offline(True)
    found = context.new_page()
    found.goto((site / "tensors/creating.html").as_uri())
    return found


def test_links_lead_to_pages(page: Any) -> None:
    """A link to a folder would show its list of files."""
    page.get_by_role("link", name="Next:").click()
    page.wait_for_url("**/tensors/random.html")
    page.get_by_role("link", name="Home").first.click()
    page.wait_for_url("**/index.html")
    assert page.locator(".sd-out").count() == 1


def test_the_search_finds_sections(page: Any) -> None:
    """A browser gives a page of a folder neither workers nor the index, so that both come as scripts."""
    page.get_by_role("textbox", name="Search").fill("mat1 and mat2 shapes cannot be multiplied (3x2 and 3x2)")
    links = page.locator(".md-search-result__link")
    links.first.wait_for()
    assert "errors/mat1-and-mat2-shapes-cannot-be-multiplied.html" in links.first.evaluate("link => link.href")


def test_nothing_is_reported_or_asked_of_a_host(context: Any, site: Path) -> None:
    """A request that fails would say so on the console."""
    context.set_offline(True)
    found = context.new_page()
    said: list[str] = []
    found.on("console", lambda message: said.append(message.text))
    found.on("pageerror", lambda error: said.append(str(error)))
    found.on(
        "request", lambda request: None if request.url.startswith(("file:", "data:")) else said.append(request.url)
    )
    found.goto((site / "index.html").as_uri(), wait_until="networkidle")
    assert said == []


def test_the_box_for_errors_asks_a_folder_for_no_page(context: Any, site: Path) -> None:
    """A browser refuses it, and says so on the console; the box keeps its link."""
    context.set_offline(True)
    found = context.new_page()
    said: list[str] = []
    found.on("console", lambda message: said.append(message.text))
    text = "RuntimeError: mat1 and mat2 shapes cannot be multiplied (64x784 and 512x10)"
    found.goto(f"{(site / 'reference/errors.html').as_uri()}?error={text}")
    link = found.locator(".sd-best a").first
    link.wait_for()
    assert "mat1-and-mat2-shapes-cannot-be-multiplied" in str(link.get_attribute("href"))
    found.wait_for_timeout(500)  # long enough for a request that fails
    assert said == []


def test_a_file_to_take_along_is_named(page: Any, site: Path) -> None:
    """From a folder the browser would show a notebook as text, and download nothing."""
    page.get_by_role("link", name="Notebook", exact=True).click()
    toast = page.locator(".sd-toast")
    assert toast.inner_text().startswith("creating.ipynb is in the folder of this page.")
    toast.get_by_role("button").click()
    assert page.locator(".sd-dialog pre").inner_text() == str(site / "tensors/creating.ipynb")
