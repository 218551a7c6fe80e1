"""The heights of code and outputs that are out of sight, which the style computes from the number of their lines."""

from __future__ import annotations

from typing import Any

import pytest
from places import at_rest

HEIGHTS = """(selector) => [...document.querySelectorAll(selector)]
  .filter((one) => !one.closest("details"))
  .filter((one) => [...one.querySelectorAll(".sd-head")].every((head) => head.getBoundingClientRect().height < 30))
  .filter((one) => !one.querySelector("figure, .sd-error, .sd-warning, [data-wrap], .sd-note"))
  .map((one) => one.getBoundingClientRect().height)"""
VISIBLE = "[data-block] pre, .sd-out { content-visibility: visible !important }"

pytestmark = pytest.mark.browser


CODE, OUTPUT = "[data-block] > pre", ".sd-out:not([data-at], .sd-beside)"


@pytest.mark.parametrize(("selector", "width"), [(CODE, 1440), (OUTPUT, 390), (OUTPUT, 1440)])
def test_what_is_out_of_sight_is_as_high_as_when_it_is_seen(
    browser: Any, address: str, selector: str, width: int
) -> None:
    """Otherwise a link into the page, or the bar at its side, leads to another place than the reader chose."""
    page = browser.new_page(viewport={"width": width, "height": 700})
    page.goto(f"{address}tensors/creating.html")
    page.wait_for_load_state()
    guessed = page.evaluate(HEIGHTS, selector)
    page.add_style_tag(content=VISIBLE)
    seen = page.evaluate(HEIGHTS, selector)
    assert len(seen) > 20
    assert [round(one, 1) for one in guessed] == pytest.approx([round(one, 1) for one in seen], abs=1)
    page.close()


def test_on_a_phone_a_link_leads_to_its_section(browser: Any, address: str) -> None:
    """Code is wrapped there, so its height is a guess until it is seen."""
    page = browser.new_page(viewport={"width": 390, "height": 844})
    page.goto(f"{address}tensors/creating.html")
    page.wait_for_load_state()
    for link in page.locator("article table a[href^='#']").all()[-3:]:
        link.click()
        section = page.locator(f"[id='{link.get_attribute('href')[1:]}']")
        assert 0 <= at_rest(section) < 150
        page.go_back()
    page.close()


@pytest.mark.parametrize("width", [390, 1440])
def test_a_subject_of_the_index_of_errors_is_where_its_link_leads(browser: Any, address: str, width: int) -> None:
    """What is closed above it has no height; the page is not a tenth as high as that of all entries."""
    page = browser.new_page(viewport={"width": width, "height": 844})
    page.goto(f"{address}reference/errors.html#messages-memory")
    assert 0 <= at_rest(page.locator("#messages-memory")) < 100
    assert page.evaluate("document.documentElement.scrollHeight") < 15_000
    page.evaluate("location.hash = '#messages-tensors'")
    assert 0 <= at_rest(page.locator("#messages-tensors")) < 100
    page.close()
