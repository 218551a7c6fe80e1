"""The things to play with, in a browser: by keyboard, with odd input, without JavaScript, on a narrow screen."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.browser

PLACES = {
    "broadcasting": "tensors/operations",
    "floats": "tensors/precision",
    "memory": "memory/model-of-memory",
    "devices": "devices/mismatch",
}
ODD = '<img src=x onerror="window.hit=1">'


def opened(context: Any, address: str, name: str) -> Any:
    """The widget on its page, ready."""
    page = context.new_page()
    page.goto(f"{address}{PLACES[name]}.html")
    widget = page.locator(f"[data-widget={name}]")
    widget.locator("[role=status]").wait_for()
    return widget


def test_shapes_are_typed(context: Any, address: str) -> None:
    """The result, or the message that PyTorch gives; odd text is shown as text."""
    widget = opened(context, address, "broadcasting")
    assert "(3, 4)" in widget.get_by_role("status").inner_text()
    assert widget.locator(".sd-grid").count() == 3
    second = widget.get_by_role("textbox", name="Shape of b")
    second.fill("2, 3")
    assert "size of tensor a (3) must match the size of tensor b (2)" in widget.get_by_role("status").inner_text()
    second.fill(ODD)
    assert "whole numbers" in widget.get_by_role("status").inner_text()
    assert not widget.evaluate("() => window.hit")


def test_a_bit_is_turned_over_by_keyboard(context: Any, address: str) -> None:
    """The focus stays at the bit, and the number follows."""
    widget = opened(context, address, "floats")
    widget.get_by_role("textbox", name="A number").fill("1")
    bits = widget.get_by_role("group", name="Bits of float16").get_by_role("button")
    assert bits.count() == 16
    bits.first.focus()
    widget.page.keyboard.press("Enter")
    assert widget.get_by_role("textbox", name="A number").input_value() == "-1"
    assert bits.first.evaluate("bit => bit === document.activeElement")


def test_the_memory_of_a_model_follows_the_fields(context: Any, address: str) -> None:
    """With the formula beside each part."""
    widget = opened(context, address, "memory")
    assert "124,439,808 parameters" in widget.get_by_role("status").inner_text()
    whole = re.findall(r"[\d.]+ GiB", widget.get_by_role("status").inner_text())
    widget.get_by_label("checkpoint each layer").check()
    assert re.findall(r"[\d.]+ GiB", widget.get_by_role("status").inner_text()) != whole
    assert "one layer at a time" in widget.inner_text()
    widget.get_by_label("width").fill("-3")
    assert "a whole number from" in widget.get_by_role("status").inner_text()


def test_a_program_is_stepped_through_by_keyboard(context: Any, address: str) -> None:
    """One answer a line, to the line that fails."""
    widget = opened(context, address, "devices")
    for said in ("cuda", "cpu", "cpu", "cuda", "raises an error"):
        widget.get_by_role("button", name=said, exact=True).focus()
        widget.page.keyboard.press("Enter")
        assert widget.get_by_role("status").inner_text().startswith("Right.")
    assert "5 of 5 right" in widget.inner_text()
    pads = "cell => parseFloat(getComputedStyle(cell).paddingLeft) / parseFloat(getComputedStyle(cell).fontSize)"
    assert widget.locator(".sd-on-cpu").first.evaluate(pads) > 0.3  # the bar of the device is not over its name
    widget.get_by_role("button", name="again").press("Enter")
    assert widget.get_by_role("button", name="cpu").evaluate("button => button === document.activeElement")


@pytest.mark.parametrize("name", PLACES)
def test_nothing_is_wider_than_a_phone(browser: Any, address: str, name: str) -> None:
    """Tables scroll in their own boxes."""
    context = browser.new_context(viewport={"width": 390, "height": 844})
    widget = opened(context, address, name)
    assert widget.page.evaluate("document.documentElement.scrollWidth") == 390
    context.close()


@pytest.mark.parametrize("name", PLACES)
def test_without_javascript_there_is_a_sentence(browser: Any, address: str, name: str) -> None:
    """With the answer to the first example in it."""
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(f"{address}{PLACES[name]}.html")
    assert "needs JavaScript. Without it" in page.locator(f"[data-widget={name}]").inner_text()
    context.close()


def test_a_page_without_a_widget_loads_none(context: Any, address: str, site: Path) -> None:
    """Each is loaded where it is used alone."""
    page, loaded = context.new_page(), []
    page.on("request", lambda request: loaded.append(request.url))
    page.goto(f"{address}about/how-it-works.html", wait_until="networkidle")
    assert (site / "assets/widgets/memory.js").exists()
    assert not [url for url in loaded if "/widgets/" in url]


def test_an_answer_is_compared_with_the_solution(context: Any, address: str) -> None:
    """Right, another line, or an error: the page says which."""
    page = context.new_page()
    page.goto(f"{address}memory/levers.html")
    box = page.locator(".sd-try").first
    box.get_by_text("Check your answer").click()
    text = page.locator("details.success:has(.sd-text)").first.locator(".sd-text").all_text_contents()
    told = box.get_by_role("status")
    for said, expected in (
        ("\n".join(text), "Right"),
        ("42", "Not yet."),
        ("NameError: name 'x'", "ended with NameError"),
    ):
        box.get_by_role("textbox").fill(said)
        box.get_by_role("button", name="Compare").click()
        assert expected in told.inner_text()
    box.get_by_role("textbox").fill("\n".join(["42"] * len(text[0].splitlines())))
    box.get_by_role("button", name="Compare").click()
    assert text[0].splitlines()[0] not in told.inner_text(), "the solution is told before a reader asks"
    box.get_by_role("button", name="Show the solution's line").click()
    assert text[0].splitlines()[0] in told.inner_text()


TAKEN = """() => [...document.querySelectorAll(".sd-try")].map((box) => {
  const panes = [...box.nextElementSibling.querySelectorAll(".sd-out")].map((out) => out.querySelector(".sd-pane"));
  const text = panes.map((pane) => pane.querySelector(".sd-text")?.textContent ?? "").filter(Boolean).join("\\n");
  return [text, `${text}\\none line more`].map((said) => {
    box.querySelector("textarea").value = said;
    box.querySelector("form").requestSubmit();
    return box.querySelector("[role=status]").textContent.split(/[:.]/)[0];
  });
})"""

MOUNTED = """() => !document.querySelector("script[src$='exercises.js']") || document.querySelector(".sd-try")"""


@pytest.mark.parametrize("name", ["memory/levers", "learn/exercises-training", "learn/exercises-amp"])
def test_each_exercise_with_a_box_can_be_solved_and_failed(context: Any, address: str, name: str) -> None:
    """A solution that prints on a GPU alone has no box: on a CPU no answer would be right."""
    page = context.new_page()
    page.goto(f"{address}{name}.html")
    page.wait_for_function(MOUNTED)
    boxes = page.evaluate(TAKEN)
    assert all(told == ["Right", "Not yet"] for told in boxes), boxes
    assert name != "memory/levers" or boxes
