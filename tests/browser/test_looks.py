"""How a page looks, where a glance found it wrong: sizes of headings, and what is cut in two."""

from __future__ import annotations

from typing import Any

import pytest
from test_pages import COVERED

pytestmark = pytest.mark.browser

SIZES = """() => ["h1", "h2", "h3"].flatMap((level) => [...document.querySelectorAll(`article ${level}`)].slice(0, 1))
  .map((one) => parseFloat(getComputedStyle(one).fontSize))"""
BROKEN = """() => [...document.querySelectorAll("td:first-child > code:only-child")]
  .filter((code) => !code.textContent.includes(" ") && code.getClientRects().length > 1)
  .map((code) => code.textContent)"""
NARROW = """() => {
  const title = document.querySelector(".admonition.warning > .admonition-title"), box = title.parentElement;
  return box.clientWidth - title.getBoundingClientRect().width;
}"""


@pytest.fixture
def desktop(browser: Any) -> Any:
    """A page of a browser that is 1440 px wide."""
    page = browser.new_page(viewport={"width": 1440, "height": 900})
    yield page
    page.close()


@pytest.mark.parametrize(
    "name", ["errors/mat1-and-mat2-same-dtype", "parallel/dataparallel", "devices/choosing", "amp/autocast-reference"]
)
def test_headings_become_smaller_with_their_level(desktop: Any, address: str, name: str) -> None:
    """A message is a long title in small letters; the sections below it were larger than that."""
    desktop.goto(f"{address}{name}.html")
    sizes = desktop.evaluate(SIZES)
    assert len(sizes) > 1
    assert sizes == sorted(set(sizes), reverse=True)


@pytest.mark.parametrize("name", ["memory/fragmentation", "amp/autocast-reference", "tensors/dtypes"])
def test_a_name_in_the_first_column_is_not_broken(desktop: Any, address: str, name: str) -> None:
    """It is what a reader scans; `cache_enabled` was cut before its last letter."""
    desktop.goto(f"{address}{name}.html")
    assert desktop.evaluate(BROKEN) == []


def test_the_color_of_a_title_fills_its_box(desktop: Any, address: str) -> None:
    """Text has a longest line, a title's color has not."""
    desktop.goto(f"{address}amp/autocast-reference.html")
    assert abs(desktop.evaluate(NARROW)) <= 1


def test_the_first_column_leaves_room_for_the_numbers_on_a_phone(browser: Any, address: str) -> None:
    """One long name made it wider than the screen, and the names wrapped to that width."""
    page = browser.new_page(viewport={"width": 390, "height": 844})
    page.goto(f"{address}about/status.html")
    assert page.locator("#cpu ~ * td:first-child").first.evaluate("(cell) => cell.offsetWidth") < 0.7 * 390
    page.close()


FIRST_LINE = """(code) => {
  const all = document.createRange();
  all.selectNodeContents(code);
  return all.getClientRects()[0].top;
}"""
"""The top of the first line of code."""


def test_the_copy_button_covers_no_text(desktop: Any, address: str) -> None:
    """A fence that no block is has its button on its edge, too; two texts, one over the other, cannot be read."""
    desktop.goto(f"{address}about/how-it-works.html")
    fence = desktop.locator(".highlight:not([data-block])").first
    fence.scroll_into_view_if_needed()
    fence.locator("nav button").wait_for()
    bottom = fence.locator("nav").evaluate("(nav) => nav.getBoundingClientRect().bottom")
    top = fence.locator("code").evaluate(FIRST_LINE)
    assert bottom <= top + 3


IN_SIGHT = """() => {
  const one = document.activeElement, { left, right, top, bottom } = one.getBoundingClientRect();
  if (one.matches(".md-option, [name=query]")) return true;
  const middle = (from, to, end) => (Math.max(from, 0) + Math.min(to, end)) / 2;
  const there = document.elementsFromPoint(middle(left, right, innerWidth), middle(top, bottom, innerHeight));
  return there.includes(one) || one.outerHTML;
}"""
"""Whether a reader sees where the focus is. Of a scheme's switch the label has the ring."""


@pytest.mark.parametrize("width", [390, 1440])
def test_each_stop_of_the_keyboard_is_seen(browser: Any, address: str, width: int) -> None:
    """The closed search opened over the page when the keyboard came by, and its empty list was a stop, too."""
    page = browser.new_page(viewport={"width": width, "height": 844}, reduced_motion="reduce")
    page.goto(f"{address}tensors/creating.html", wait_until="load")
    opened = "document.getElementById('__search').checked"
    for _ in range(12):
        page.keyboard.press("Tab")
        assert page.evaluate(IN_SIGHT) is True
        assert width > 390 or not page.evaluate(opened)
    page.keyboard.press("/")
    page.wait_for_function(opened, timeout=5000)
    page.close()


def test_the_keyboard_reaches_the_menu_only_where_it_is_open(browser: Any, address: str) -> None:
    """On a narrow screen, a desktop enlarged, sixty links that nobody saw came before the first of the page."""
    page = browser.new_page(viewport={"width": 390, "height": 844}, reduced_motion="reduce")
    page.goto(f"{address}index.html")
    in_menu = "!!document.activeElement.closest('.md-sidebar--primary')"
    for _ in range(12):
        page.keyboard.press("Tab")
        assert not page.evaluate(in_menu)
    page.get_by_role("button", name="Open menu").press("Enter")
    page.get_by_role("checkbox", name="Pages of Tensors").press("Space")
    page.keyboard.press("Tab")
    assert page.evaluate(in_menu)
    assert page.evaluate("document.activeElement.innerText") == "Creating tensors"
    page.get_by_role("checkbox", name="Pages of Tensors").press("Space")
    for _ in range(4):
        page.keyboard.press("Tab")
        assert page.evaluate(in_menu)
        assert page.evaluate("document.activeElement.innerText") != "Creating tensors"
    page.keyboard.press("Escape")
    assert page.evaluate("document.activeElement.ariaLabel") == "Open menu"
    assert not page.locator(".md-sidebar--primary").is_visible()
    page.close()


def test_tab_reaches_the_content_in_a_few_stops(desktop: Any, address: str) -> None:
    """92 stops came before the first of the page: 73 links of the navigation were always open."""
    desktop.goto(f"{address}devices/moving-tensors.html")
    desktop.keyboard.press("Tab")
    assert desktop.evaluate("document.activeElement.innerText") == "Skip to content"
    inside, stops = "!!document.activeElement.closest('article')", 1
    while not desktop.evaluate(inside) and stops < 60:
        desktop.keyboard.press("Tab")
        stops += 1
    print("stops before the content:", stops)
    assert stops < 40


def test_a_finger_hits_links_that_stand_by_themselves(browser: Any, address: str) -> None:
    """24 px, which Lighthouse asks for and axe does not by itself: the list of errors, and the foot of each page."""
    page = browser.new_page(viewport={"width": 390, "height": 844})
    page.goto(f"{address}reference/errors.html")
    for links in ("dt > a:not(.headerlink)", ".sd-foot a"):
        heights = page.locator(links).evaluate_all("all => all.map((one) => one.getBoundingClientRect().height)")
        assert min(heights) >= 24
    page.close()


def test_no_button_covers_a_block_in_a_list(desktop: Any, address: str) -> None:
    """Such a block is narrower than others; its line had room beside the buttons elsewhere, and none there."""
    page, name = f"{address}parallel/debugging.html", "gather_losses"

    def with_a_line_of_52_characters(route: Any) -> None:
        response = route.fetch()
        text = response.text().replace("# rank 1 has one batch fewer", "")  # the second line is shorter than the first
        route.fulfill(response=response, body=text.replace(name, name.ljust(52 - len("def (rank):"), "_")))

    desktop.route(page, with_a_line_of_52_characters)
    desktop.goto(page)
    block = desktop.locator("li [data-block]", has_text=f"def {name}__").first
    assert block.locator("code").text_content().strip().splitlines()[0] == f"def {name}{'_' * 28}(rank):"
    block.scroll_into_view_if_needed()
    block.locator("nav .sd-run").wait_for()
    assert desktop.evaluate(COVERED) == []
    desktop.unroute(page)


CUT = """() => [...document.querySelectorAll("[data-block] code :is(.n, .nn, .nf)")]
  .filter((name) => name.textContent.length < 30 && name.getClientRects().length > 1).map((name) => name.textContent)"""
BEYOND = """() => [...document.querySelectorAll("details .sd-out")].filter((one) => {
  const { left, right } = one.getBoundingClientRect(), box = one.closest("details").getBoundingClientRect();
  return left < box.left || right > box.right;
}).length"""


@pytest.mark.parametrize("name", ["tensors/reproducibility", "memory/model-of-memory"])
def test_on_a_phone_no_name_is_cut_and_no_output_is_wider_than_its_box(browser: Any, address: str, name: str) -> None:
    """`check_available=Tr` over `ue` is other code; an output in a solution was drawn over its frame."""
    page = browser.new_page(viewport={"width": 390, "height": 844})
    page.goto(f"{address}{name}.html")
    page.add_style_tag(content="* { content-visibility: visible !important }")
    page.evaluate("document.querySelectorAll('article details').forEach((box) => { box.open = true; })")
    assert page.evaluate(CUT) == []
    assert page.evaluate(BEYOND) == 0
    page.close()
