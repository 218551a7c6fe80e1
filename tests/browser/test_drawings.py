"""The diagrams of the site, as a browser draws them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from places import at_rest

DRAWN = sorted((Path(__file__).parents[2] / "docs/assets/diagrams").glob("*.svg"))
CUT = """(svg) => {
  const { x, y, width, height } = svg.viewBox.baseVal;
  const out = (from, to, start, size) => from < start || to > start + size;
  const cut = (box) => out(box.x, box.x + box.width, x, width) || out(box.y, box.y + box.height, y, height);
  return [...svg.querySelectorAll("text")].filter((text) => cut(text.getBBox())).map((text) => text.textContent);
}"""

pytestmark = pytest.mark.browser


def test_no_text_of_a_diagram_is_cut_off(browser: Any) -> None:
    """A picture ends at its viewBox; fonts differ in width, and this one is wide."""
    page = browser.new_page()
    page.set_content("".join(path.read_text(encoding="utf-8") for path in DRAWN))
    page.add_style_tag(content="svg { width: 358px; font-family: 'DejaVu Sans', Verdana, sans-serif }")
    cut = {path.name: page.locator("svg").nth(at).evaluate(CUT) for at, path in enumerate(DRAWN)}
    assert len(cut) > 12
    assert {name: texts for name, texts in cut.items() if texts} == {}
    page.close()


LETTERS = """() => [...document.querySelectorAll(".sd-figure svg text")]
  .filter((one) => one.checkVisibility()).map((text) => {
    const { clientWidth, viewBox } = text.ownerSVGElement;
    return parseFloat(getComputedStyle(text).fontSize) * clientWidth / viewBox.baseVal.width;
  })"""


@pytest.mark.parametrize("name", ["amp/autocast-reference", "amp/gradscaler-reference"])
def test_a_wide_plot_can_be_read_on_a_phone(browser: Any, address: str, name: str) -> None:
    """It scrolls in its own box, by keyboard too, rather than shrink to letters of 8 px; the page stays narrow."""
    page = browser.new_page(viewport={"width": 390, "height": 844})
    page.goto(f"{address}{name}.html")
    letters = page.evaluate(LETTERS)
    assert letters
    assert min(letters) >= 10
    page.wait_for_function("() => document.querySelector('.sd-figure').tabIndex === 0")
    assert page.evaluate("document.documentElement.scrollWidth") == 390
    page.close()


def test_a_plot_that_is_cut_off_on_a_phone_says_so(browser: Any, address: str) -> None:
    """Its edge is shaded until the reader is at its end; the line of `inf` was out of sight, and nothing said so."""
    page = browser.new_page(viewport={"width": 390, "height": 844})
    page.goto(f"{address}amp/gradscaler.html")
    figure = page.locator(".sd-figure").first
    figure.scroll_into_view_if_needed()
    at_rest(figure)
    box = figure.bounding_box()
    corner = {"x": box["x"] + box["width"] - 4, "y": box["y"] + box["height"] - 4, "width": 4, "height": 4}
    cut = page.screenshot(clip=corner)
    figure.evaluate("one => { one.scrollLeft = one.scrollWidth; }")
    assert page.screenshot(clip=corner) != cut
    figure.evaluate("one => { one.scrollLeft = 0; }")
    assert page.screenshot(clip=corner) == cut
    page.close()
