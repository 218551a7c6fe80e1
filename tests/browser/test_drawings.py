"""The diagrams of the site, as a browser draws them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

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
