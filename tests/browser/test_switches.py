"""The switches of a page, and the outputs that they show: click, keyboard, address, without JavaScript."""

from __future__ import annotations

import re
from typing import Any

import pytest
from places import at_rest
from shown import ON_CUDA, outputs

pytestmark = pytest.mark.browser

FRAME = "new Promise((done) => requestAnimationFrame(() => setTimeout(done)))"
SWITCHED = f"""async () => {{
  const times = [];
  for (const device of ["cuda", "cpu", "cuda", "cpu", "cuda"]) {{
    const start = performance.now();
    document.querySelector(`.sd-choice [data-sd=${{device}}]`).click();
    document.body.getBoundingClientRect();
    times.push(performance.now() - start);
    await {FRAME};
  }}
  return times.sort((a, b) => a - b)[2];
}}"""


def switch(page: Any, device: str) -> Any:
    """A button of the switch below the page's title."""
    return page.get_by_role("group", name="Outputs of", exact=True).get_by_role("button", name=device)


def test_the_switch_sets_every_output_and_is_remembered(context: Any, address: str) -> None:
    """A reader with a GPU chooses once, not on each page."""
    page = context.new_page()
    page.goto(f"{address}sixty.html")
    assert "line 0 of the cpu" in outputs(page)
    switch(page, "CUDA").click()
    assert outputs(page) == [f"line {number} of the cuda" for number in range(60)]
    page.goto(f"{address}devices/moving-tensors.html")
    assert switch(page, "CUDA").get_attribute("aria-pressed") == "true"
    page.goto(f"{address}sixty.html")
    assert switch(page, "CUDA").get_attribute("aria-pressed") == "true"


def test_the_switch_says_what_it_switches_to(context: Any, address: str) -> None:
    """By count, with the GPU's name: one real output decided the word before."""
    page = context.new_page()
    page.goto(f"{address}sixty.html")
    assert switch(page, "CUDA").inner_text() == "CUDA: A-MADE-UP-GPU 60"
    page.goto(f"{address}devices/moving-tensors.html")
    told = switch(page, "CUDA").inner_text()
    counts = {kind: int(count) for kind, count in re.findall(r"(H100|simulated) (\d+)", told)}
    switch(page, "CUDA").click()
    panes = page.locator(".sd-out:has(> .sd-switch [data-sd]) > .sd-pane:visible")
    simulated = panes.and_(page.locator(".sd-simulated")).count()
    assert counts.get("simulated", 0) == simulated > 0
    assert counts.get("H100", 0) == panes.count() - simulated


def test_a_badge_opens(context: Any, address: str) -> None:
    """It is short; what it stands for is one click or Enter away, over the page, which does not move."""
    page = context.new_page()
    page.goto(f"{address}sixty.html")
    code, badge = page.locator("[data-block]").first, page.locator(".sd-badge summary").first
    before = at_rest(code)
    badge.press("Enter")
    assert "All 60 code blocks ran on CPU, with PyTorch" in page.locator(".sd-badge[open] p").inner_text()
    page.locator(".sd-badge summary").nth(1).click()
    assert page.locator(".sd-badge[open]").count() == 1
    assert "A made-up GPU" in page.locator(".sd-badge[open] p").inner_text()
    assert at_rest(code) == before


def test_a_link_carries_the_choice(context: Any, address: str) -> None:
    """Whoever is sent a link sees what the sender saw."""
    page = context.new_page()
    page.goto(f"{address}sixty.html?device=cuda")
    assert "line 0 of the cuda" in outputs(page)


def test_the_switch_works_with_the_keyboard(context: Any, address: str) -> None:
    """Not everybody has a mouse."""
    page = context.new_page()
    page.goto(f"{address}sixty.html")
    page.locator(".sd-switch button", has_text="CUDA").first.focus()
    page.keyboard.press("Enter")
    assert "line 0 of the cuda" in outputs(page)
    page.keyboard.press("d")
    assert "line 0 of the cpu" in outputs(page)


def test_the_newest_version_is_seen_until_a_reader_chooses_another(context: Any, address: str) -> None:
    """By keyboard, for the whole site, without the button moving, and remembered."""
    page = context.new_page()
    page.goto(f"{address}sixty.html")
    assert outputs(page) == [f"line {number} of the cpu" for number in range(60)]
    assert page.locator(".sd-versions").count() == 30
    button = page.locator(".sd-versions").get_by_role("button", name="2.1", exact=True).nth(20)
    button.focus()
    before = at_rest(button)
    page.keyboard.press("Enter")
    assert at_rest(button) == before
    assert button.get_attribute("aria-pressed") == "true"
    assert outputs(page) == [f"line {number} of the {'old' if number % 2 else 'cpu'}" for number in range(60)]
    page.reload()
    assert outputs(page)[1] == "line 1 of the old"
    select = page.get_by_role("combobox", name="Outputs of PyTorch")
    assert select.input_value() == "2.1"
    select.select_option("")
    assert outputs(page)[1] == "line 1 of the cpu"


def test_a_choice_is_in_the_address(context: Any, address: str) -> None:
    """The address bar is what people copy; the section stays in it."""
    page = context.new_page()
    page.goto(f"{address}sixty.html#sixty")
    switch(page, "CUDA").click()
    page.get_by_role("combobox", name="Outputs of PyTorch").select_option("2.1")
    assert page.url == f"{address}sixty.html?device=cuda&torch=2.1#sixty"
    page.get_by_role("combobox", name="Outputs of PyTorch").select_option("")
    assert page.url == f"{address}sixty.html?device=cuda#sixty"


def test_the_switches_say_how_many_outputs_differ(context: Any, address: str) -> None:
    """A reader who sees no difference would think that the switch is broken."""
    page = context.new_page()
    page.goto(f"{address}sixty.html")
    options = page.get_by_role("combobox", name="Outputs of PyTorch").locator("option").all_inner_texts()
    assert "2.1: 30 differ" in options


def test_a_count_holds_for_each_choice(context: Any, address: str) -> None:
    """It said "0 by device" of outputs that the switch of the device changed, because the versions differ there."""
    page = context.new_page()
    page.goto(f"{address}errors/expected-all-tensors-same-device.html")
    before, told = outputs(page), switch(page, "CUDA").inner_text()
    assert re.fullmatch(r"CUDA: H100 [1-9]\d*", told)
    switch(page, "CUDA").click()
    assert outputs(page) != before
    assert switch(page, "CUDA").inner_text() == told


def test_an_output_that_the_device_lacks_counts_with_the_versions_of_the_one_that_is_seen(
    context: Any, address: str
) -> None:
    """A switch of versions is in sight there, and the line below the title said that no output differs."""
    page = context.new_page()
    page.goto(f"{address}memory/fragmentation.html?device=cpu")
    seen = page.locator('.sd-out:not([data-devices~="cpu"]) > .sd-versions:visible').count()
    assert seen
    options = page.get_by_role("combobox", name="Outputs of PyTorch").locator("option").all_inner_texts()
    assert f"2.9: {seen} differ{'s' if seen == 1 else ''}" in options


def test_a_link_carries_the_version(context: Any, address: str) -> None:
    """As it carries the device; an odd one does no harm."""
    page = context.new_page()
    page.goto(f"{address}sixty.html?torch=2.1")
    assert outputs(page)[1] == "line 1 of the old"
    page.locator(".sd-head summary:visible").first.click()
    assert (
        "An old machine, PyTorch 2.1.0, Python 3.10.1, 2026-01-02" in page.locator(".sd-head[open]").first.inner_text()
    )
    page.goto(f"{address}sixty.html?torch=%22%5D")
    assert outputs(page)[1] == "line 1 of the old"


def test_what_the_site_does_not_have_is_not_taken_from_an_address(context: Any, address: str) -> None:
    """It became a choice on every page from then on, with nothing to see."""
    page = context.new_page()
    page.goto(f"{address}sixty.html?torch=2.1&device=cuda")
    page.goto(f"{address}sixty.html?torch=1.4&device=mps")
    assert outputs(page)[1] == "line 1 of the cuda"
    assert switch(page, "CUDA").get_attribute("aria-pressed") == "true"
    select = page.get_by_role("combobox", name="Outputs of PyTorch")
    assert select.input_value() == "2.1"
    assert select.locator("option[value='1.4']").count() == 0
    assert page.evaluate("[localStorage['sd-torch'], localStorage['sd-device']]") == ["2.1", "cuda"]


def test_a_page_with_one_device_whose_versions_agree_has_no_switch(context: Any, address: str) -> None:
    """A switch with nothing to switch only takes room."""
    page = context.new_page()
    page.goto(f"{address}about/how-it-works.html")
    assert page.locator(".sd-head").count() > 0
    assert page.locator(".sd-choice").count() == page.locator(".sd-torch").count() == 0


def test_what_is_typed_does_not_switch(context: Any, address: str) -> None:
    """A d in the search is a letter."""
    page = context.new_page()
    page.goto(f"{address}sixty.html")
    page.get_by_role("textbox", name="Search").click()
    page.keyboard.type("device")
    assert "line 0 of the cpu" in outputs(page)


def test_the_switch_is_done_within_a_moment(context: Any, address: str) -> None:
    """On a page of sixty outputs, style and layout included: 50 ms, with room for a machine that does other things."""
    page = context.new_page()
    page.goto(f"{address}sixty.html")
    took = page.evaluate(SWITCHED)
    print(f"switched sixty outputs in {took:.1f} ms")
    assert took < 500


def test_differences_are_marked_within_the_line(home: Any) -> None:
    """A reader should not have to compare character by character."""
    assert "cpu" in [mark.inner_text() for mark in home.locator(".sd-text:visible mark").all()]


def test_a_comparison_shows_two_outputs_beside_each_other(context: Any, address: str) -> None:
    """In one screen, without a click, whichever device is chosen."""
    page = context.new_page()
    page.goto(f"{address}beside.html")
    panes = page.locator(".sd-beside .sd-pane")
    assert [pane.locator(".sd-label").inner_text().split(" · ")[0] for pane in panes.all()] == [
        "CPU",
        "CUDA (A-MADE-UP-GPU)",
    ]
    left, right = (pane.bounding_box() for pane in panes.all())
    assert left["y"] == right["y"]
    assert max(box["y"] + box["height"] for box in (left, right)) < 900


def test_without_javascript_every_output_can_be_read(browser: Any, address: str) -> None:
    """Readers switch it off, and search engines do not run it."""
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(address)
    assert {"tensor(1.5000) cpu", ON_CUDA} <= set(outputs(page))
    context.close()
