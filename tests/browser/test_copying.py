"""Copy buttons and the links of blocks: what a click puts on the clipboard, and where an address leads."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from places import at_rest
from shown import COPIED, copied, outputs, texts

from same_device_site.settings import parse_page

pytestmark = pytest.mark.browser

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize(
    "name", ["memory/model-of-memory.md", "training/loop.md", "notebooks/fundamentals.py", "tensors/reshaping.md"]
)
def test_the_page_puts_together_what_python_does(context: Any, address: str, name: str) -> None:
    """The other tests run what Python puts together, and readers run what the page does: they must be the same."""
    page = context.new_page()
    page.goto(f"{address}{name.rpartition('.')[0]}.html")
    expected = texts(name)
    assert len(expected) > 15
    assert page.evaluate(COPIED, list(expected)) == {str(index): text for index, text in expected.items()}


def test_copy_to_run_puts_a_program_on_the_clipboard(context: Any, address: str) -> None:
    """It can be looked at before it is run; it prints what the page shows."""
    home = context.new_page()
    home.goto(f"{address}tensors/indexing.html")
    index, text = next(
        (index, text) for index, text in texts("tensors/indexing.md").items() if "with contextlib" in text
    )
    copied(home, index)
    home.get_by_text("Copied a program that runs: this block with").wait_for()
    assert "Needs torch" in home.locator(".sd-toast").inner_text()
    home.get_by_role("button", name="Show", exact=True).click()
    assert home.locator("dialog.sd-dialog pre").inner_text().strip() == text.strip()
    home.keyboard.press("Escape")
    assert home.locator("dialog.sd-dialog").is_hidden()
    done = subprocess.run([sys.executable, "-c", text], check=True, capture_output=True, text=True)
    assert done.stdout.strip() in {output.strip() for output in outputs(home)}


def test_what_a_terminal_reads_is_not_called_a_program(context: Any, address: str) -> None:
    """Python cannot run it."""
    page = context.new_page()
    page.goto(f"{address}parallel/ddp.html")
    block = page.locator("[data-block]", has_text="$ torchrun").first
    block.scroll_into_view_if_needed()
    block.locator(".sd-run").click()
    page.locator(".sd-toast", has_text="Copied this block").wait_for()


def test_the_usual_copy_button_copies_the_block_alone(home: Any) -> None:
    """It is the button that readers know, beside the one that copies a program; it says what it did."""
    home.locator('[data-block="0"]').scroll_into_view_if_needed()
    home.locator('[data-block="0"] button[data-md-type="copy"]').click()
    page = parse_page(ROOT / "docs/index.md", ROOT)
    assert home.evaluate("navigator.clipboard.readText()").strip() == page.blocks[0].code.strip()
    home.get_by_text("Copied this block alone").wait_for()


def test_a_link_leads_to_one_block_or_output(home: Any, address: str) -> None:
    """Readers send each other a block, not a page; no id is on a page twice."""
    home.locator('[data-block="0"]').scroll_into_view_if_needed()
    target = home.locator('[data-block="0"] .sd-link').get_attribute("href")
    assert home.locator('[data-block="0"]').evaluate("block => '#' + block.id") == target
    output = home.locator(f"{target}-out")
    assert output.locator("> .headerlink").get_attribute("href") == f"{target}-out"
    home.goto(f"{address}{target}-out")
    assert 0 <= at_rest(output) < 900
    ids = home.evaluate("[...document.querySelectorAll('article [id]')].map((one) => one.id)")
    assert len(ids) == len(set(ids))


def test_the_address_of_a_block_stays(context: Any, address: str) -> None:
    """A reader clicks the sign, and copies the address a second later."""
    page = context.new_page()
    page.goto(f"{address}tensors/creating.html")
    page.locator('[data-block="5"]').scroll_into_view_if_needed()
    page.locator('[data-block="5"] .sd-link').click()
    page.wait_for_timeout(700)
    assert page.url.endswith("#" + page.locator('[data-block="5"]').get_attribute("id"))


def test_each_block_has_a_button_in_words(context: Any, address: str) -> None:
    """A sign alone was taken for one that runs the code. It has one name, whatever the code's width."""
    page = context.new_page()
    page.goto(f"{address}tensors/creating.html")
    page.locator('[data-block="0"]').scroll_into_view_if_needed()
    page.locator('[data-block="0"] .sd-run').wait_for()
    assert set(page.locator(".sd-run").all_inner_texts()) == {"Copy program"}


def test_all_code_of_a_page_is_copied_as_one_script(context: Any, address: str) -> None:
    """From the head of the page, where a reader sees it; it is the script that can be loaded."""
    page = context.new_page()
    page.goto(f"{address}tensors/indexing.html")
    page.get_by_role("link", name="Copy", exact=True).click()
    page.get_by_text("Copied all code of this page").wait_for()
    script = page.request.get(f"{address}tensors/indexing.py").text()
    assert page.evaluate("navigator.clipboard.readText()").strip() == script.strip()


def test_no_block_has_an_empty_row_for_its_buttons(browser: Any, address: str) -> None:
    """They sit on its upper edge; on a phone each block began with two empty lines."""
    for width in (390, 1440):
        page = browser.new_page(viewport={"width": width, "height": 844})
        page.goto(f"{address}devices/choosing.html")
        gaps = page.locator("[data-block] pre > code").evaluate_all(
            "all => all.map((one) => parseFloat(getComputedStyle(one).paddingTop))"
        )
        assert max(gaps) < 16
        page.close()


def test_on_a_phone_no_button_covers_code(browser: Any, address: str) -> None:
    """Its first line can be read whole."""
    context = browser.new_context(viewport={"width": 390, "height": 800})
    page = context.new_page()
    page.goto(f"{address}sixty.html")
    page.locator('[data-block="3"]').scroll_into_view_if_needed()
    buttons = page.locator('[data-block="3"] .md-code__nav').bounding_box()
    code = page.locator('[data-block="3"] code span').last.bounding_box()
    assert buttons["y"] + buttons["height"] <= code["y"] + 1
    context.close()


INDENTS = """(code) => {
  const goesOn = [], begins = [];
  const left = code.getBoundingClientRect().left + parseFloat(getComputedStyle(code).paddingLeft);
  const texts = document.createTreeWalker(code, NodeFilter.SHOW_TEXT), range = document.createRange();
  for (let before = "", top = -1, node; (node = texts.nextNode()); )
    for (let at = 0; at < node.length; before = node.data[at++]) {
      range.setStart(node, at);
      range.setEnd(node, at + 1);
      const box = range.getBoundingClientRect();
      if (box.top > top + 9 && top >= 0 && box.width)
        (before === "\\n" ? begins : goesOn).push(Math.round((box.left - left) / box.width));
      top = box.top;
    }
  return { goesOn, begins };
}"""
"""By how many characters each line is moved to the right that goes on from the one above, or begins."""


def test_on_a_phone_code_is_wrapped_and_copied_as_it_is(browser: Any, address: str) -> None:
    """Nobody scrolls sideways for each line; a line that goes on is indented, and so told from a new one."""
    context = browser.new_context(viewport={"width": 390, "height": 844})
    context.grant_permissions(["clipboard-read", "clipboard-write"])
    page = context.new_page()
    page.goto(f"{address}tensors/creating.html")
    assert page.evaluate(
        "[...document.querySelectorAll('pre > code')].every((one) => one.scrollWidth <= one.clientWidth)"
    )
    block = page.locator('[data-block="1"]')
    block.scroll_into_view_if_needed()
    assert set(block.locator("code").evaluate(INDENTS)["goesOn"]) == {10}
    block.locator('button[data-md-type="copy"]').click()
    code = parse_page(ROOT / "docs/tensors/creating.md", ROOT).blocks[1].code
    assert page.evaluate("navigator.clipboard.readText()").strip() == code.strip()
    page.set_viewport_size({"width": 1280, "height": 844})
    assert block.locator("code").evaluate(INDENTS)["goesOn"] == []
    context.close()


@pytest.mark.parametrize("width", [390, 1280])
def test_a_line_below_marked_lines_begins_where_others_do(browser: Any, address: str, width: int) -> None:
    """Marked lines are a box of their own, and what follows a box was indented as if it went on."""
    context = browser.new_context(viewport={"width": width, "height": 844})
    page = context.new_page()
    page.goto(f"{address}devices/timing.html")
    code = page.locator("[data-block] code:has(.hll)").first
    code.scroll_into_view_if_needed()
    assert set(code.evaluate(INDENTS)["begins"]) == {0}
    context.close()
