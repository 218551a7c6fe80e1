"""The site as a reader meets it, in a browser: switch, copy, downloads, what stands around a page, keyboard, print."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from places import at_rest
from served import served

from same_device_site.settings import parse_page
from samedevice.outputs.recording_files import load_all
from samedevice.project import RECORDINGS
from samedevice.weaving.copies import copies, program
from samedevice.weaving.panes import ShownOutput

pytestmark = pytest.mark.browser

ROOT = Path(__file__).parents[2]
ON_CUDA = "tensor(1.5000, device='cuda:0') cuda:0"
"""What a GPU prints for the block of the home page."""
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


def outputs(page: Any) -> list[str]:
    """The texts of the outputs that can be seen, here or further down; innerText lacks those that are out of sight."""
    return [pre.text_content() for pre in page.locator(".sd-text:visible").all()]


def switch(page: Any, device: str) -> Any:
    """A button of the switch below the page's title."""
    return page.get_by_role("group", name="Outputs of", exact=True).get_by_role("button", name=device)


def test_the_switch_sets_every_output_and_is_remembered(home: Any, address: str) -> None:
    """A reader with a GPU chooses once, not on each page."""
    assert outputs(home) == ["tensor(1.5000) cpu"]
    home.goto(f"{address}sixty.html")
    assert "line 0 of the cpu" in outputs(home)
    switch(home, "CUDA").click()
    assert outputs(home) == [f"line {number} of the cuda" for number in range(60)]
    home.goto(address)
    assert outputs(home) == [ON_CUDA]
    home.goto(f"{address}sixty.html")
    assert switch(home, "CUDA").get_attribute("aria-pressed") == "true"
    assert "A made-up GPU" in (switch(home, "CUDA").get_attribute("title") or "")


def test_a_link_carries_the_choice(context: Any, address: str) -> None:
    """Whoever is sent a link sees what the sender saw."""
    page = context.new_page()
    page.goto(f"{address}?device=cuda")
    assert ON_CUDA in outputs(page)


def test_the_switch_works_with_the_keyboard(home: Any) -> None:
    """Not everybody has a mouse."""
    home.locator(".sd-switch button", has_text="CUDA").first.focus()
    home.keyboard.press("Enter")
    assert ON_CUDA in outputs(home)
    home.keyboard.press("d")
    assert "tensor(1.5000) cpu" in outputs(home)


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
    assert page.locator(".sd-bar").inner_text().endswith("outputs that differ: 60 by device, 30 by version, of 60")
    options = page.get_by_role("combobox", name="Outputs of PyTorch").locator("option").all_inner_texts()
    assert "2.1: 30 differ" in options


def test_a_count_holds_for_each_choice(context: Any, address: str) -> None:
    """It said "0 by device" of outputs that the switch of the device changed, because the versions differ there."""
    page = context.new_page()
    page.goto(f"{address}errors/mat1-and-mat2-shapes-cannot-be-multiplied.html")
    before, bar = outputs(page), page.locator(".sd-bar [role=status]")
    assert bar.inner_text() == "outputs that differ: 2 by version, of 5"
    switch(page, "CUDA").click()
    assert outputs(page) != before
    assert bar.inner_text() == "outputs that differ: 2 by version, of 5"


def test_an_output_that_the_device_lacks_counts_with_the_versions_of_the_one_that_is_seen(
    context: Any, address: str
) -> None:
    """A switch of versions is in sight there, and the line below the title said that no output differs."""
    page = context.new_page()
    page.goto(f"{address}memory/fragmentation.html?device=cpu")
    seen = page.locator('.sd-out:not([data-devices~="cpu"]) > .sd-versions:visible').count()
    assert seen
    told = re.search(r"(\d+) by version, of \d+$", page.locator(".sd-bar").inner_text())
    assert told
    assert int(told[1]) >= seen
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


def test_a_long_label_is_whole_on_a_phone(context: Any, address: str) -> None:
    """It was cut off, and with it which PyTorch the block needs."""
    page = context.new_page()
    page.set_viewport_size({"width": 390, "height": 800})
    page.goto(f"{address}errors/quantile-input-tensor-is-too-large.html")
    labels = page.locator(".sd-head summary").filter(visible=True)
    sizes = labels.evaluate_all("all => all.map((one) => [one.scrollWidth - one.clientWidth, one.offsetHeight])")
    heights = [height for _, height in sizes]
    assert max(heights) > 1.5 * min(heights)
    assert not any(hidden for hidden, _ in sizes)


def test_a_table_that_is_cut_off_is_shaded_at_its_edge(context: Any, address: str) -> None:
    """On a phone nothing else says that there is more to the right; at its end the shade is gone."""
    page = context.new_page()
    page.set_viewport_size({"width": 390, "height": 800})
    page.goto(f"{address}about/status.html")
    table = page.locator(".md-typeset__scrollwrap").first
    table.scroll_into_view_if_needed()
    top = table.bounding_box()["y"]

    def edge() -> bytes:
        return bytes(page.screenshot(clip={"x": 384, "y": top + 6, "width": 5, "height": 5}))

    shaded = edge()
    table.evaluate("wrap => wrap.scrollLeft = wrap.scrollWidth")
    end = edge()
    table.evaluate("wrap => wrap.style.background = 'none'")
    assert shaded != end
    assert end == edge()


def test_a_page_with_one_device_whose_versions_agree_has_no_switch(context: Any, address: str) -> None:
    """A switch with nothing to switch only takes room."""
    page = context.new_page()
    page.goto(f"{address}about/how-it-works.html")
    assert page.locator(".sd-head").count() > 0
    assert page.locator(".sd-choice").count() == page.locator(".sd-torch").count() == 0


def test_what_is_typed_does_not_switch(home: Any) -> None:
    """A d in the search is a letter."""
    home.get_by_role("textbox", name="Search").click()
    home.keyboard.type("device")
    assert "tensor(1.5000) cpu" in outputs(home)


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
    assert [pane.locator(".sd-label").inner_text().split(" · ")[0] for pane in panes.all()] == ["CPU", "CUDA"]
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


def texts(name: str) -> dict[int, str]:
    """What is copied for each block of a page that has a button, by its index."""
    page = parse_page(ROOT / "docs" / name, ROOT)
    shown: dict[int, list[ShownOutput]] = {block.index: [] for block in page.blocks}
    for recording in load_all(ROOT, RECORDINGS, page)[0]:
        for block in page.blocks:
            output = recording.find(page, block.index).output
            if output is not None:
                shown[block.index].append(ShownOutput(recording.environment.device, output, recording.environment))
    parts = copies(page, shown)
    return {index: program(page, index, parts) for index in parts if parts[index].attributes["data-about"]}


def copied(page: Any, index: int) -> str:
    """What a click on a block's button puts on the clipboard."""
    page.evaluate("document.querySelectorAll('article details').forEach((box) => { box.open = true; })")
    page.locator(f'[data-block="{index}"]').scroll_into_view_if_needed()  # the theme makes the buttons of what is seen
    page.evaluate("navigator.clipboard.writeText('nothing yet')")
    page.locator(f'[data-block="{index}"] .sd-run').click()
    for _ in range(500):
        found = str(page.evaluate("navigator.clipboard.readText()"))
        if found.startswith("# From"):
            break
        page.wait_for_timeout(20)
    return found


COPIED = """async (indices) => {
  const soon = async (what) => {
    for (let frame = 0; frame < 500; frame++, await new Promise(requestAnimationFrame)) {
      const found = await what();
      if (found) return found;
    }
    return "";
  };
  document.querySelectorAll("article details").forEach((box) => { box.open = true; });
  const found = {};
  for (const index of indices) {
    const block = document.querySelector(`[data-block="${index}"]`);
    block.scrollIntoView();  // the theme makes the buttons of what is seen
    const button = await soon(() => block.querySelector(".sd-run"));
    await navigator.clipboard.writeText("nothing yet");
    button.click();
    found[index] = await soon(async () => (await navigator.clipboard.readText()).match(/^# From[^]*/)?.[0]);
  }
  return found;
}"""
"""What clicks on the buttons of these blocks put on the clipboard, one after the other."""


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
    page.goto(f"{address}parallel/dataparallel.html")
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
    """A sign alone was taken for one that runs the code; only a long first line leaves no room for words."""
    page = context.new_page()
    page.goto(f"{address}tensors/creating.html")
    page.locator('[data-block="0"]').scroll_into_view_if_needed()
    assert page.locator('[data-block="0"] .sd-run').inner_text() == "Copy runnable program"


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
    page.goto(f"{address}devices/cuda.html")
    code = page.locator("[data-block] code:has(.hll)").first
    code.scroll_into_view_if_needed()
    assert set(code.evaluate(INDENTS)["begins"]) == {0}
    context.close()


def test_a_term_is_explained_by_keyboard_and_tap(context: Any, address: str) -> None:
    """A title is seen by those who have a mouse. A term within a link is no stop: a tap follows the link."""
    page = context.new_page()
    page.goto(f"{address}devices/cuda.html")
    assert page.locator("article a abbr").first.get_attribute("tabindex") is None
    term = page.locator("article abbr[tabindex='0']").first
    for reach in (term.focus, term.click):
        page.evaluate("document.activeElement.blur()")
        reach()
        shown = term.evaluate("term => getComputedStyle(term, '::after').content")
        assert shown == f'"{term.get_attribute("title")}"'


def test_each_page_can_be_taken_along(home: Any) -> None:
    """As a notebook, a script and Markdown; Colab opens the notebook from the repository that the build was told of."""
    links = home.locator(".sd-take a")
    assert [link.inner_text() for link in links.all()] == ["notebook", "script", "Markdown", "in Colab"]
    for link in links.all()[:3]:
        assert home.request.get(link.evaluate("link => link.href")).ok
    target = "https://colab.research.google.com/github/someone/same-device/blob/gh-pages/index.ipynb"
    assert links.last.get_attribute("href") == target


def test_a_page_says_when_it_changed_and_where_to_edit_it(context: Any, address: str) -> None:
    """Whoever finds a mistake is one click from mending it."""
    page = context.new_page()
    page.goto(f"{address}notebooks/fundamentals.html")
    foot = page.locator(".sd-foot")
    assert re.search(r"Last change on \d{4}-\d\d-\d\d: Begin <here>", foot.inner_text())
    edit = "https://github.com/someone/same-device/edit/main/docs/notebooks/fundamentals.py"
    assert foot.get_by_role("link", name="Edit this page").get_attribute("href") == edit
    report = foot.get_by_role("link", name="Report a mistake on this page").get_attribute("href")
    new = edit.replace("/edit/main/", "/issues/new?page=")
    assert report == f"{new}&template=page.yml"
    feed = page.request.get(foot.get_by_role("link", name="Feed").evaluate("link => link.href"))
    assert "https://someone.github.io/same-device/notebooks/fundamentals.html" not in feed.text()  # one link a commit
    assert "Begin &lt;here&gt;" in feed.text()


def test_a_page_has_breadcrumbs_and_neighbors(context: Any, address: str) -> None:
    """A reader who comes from a search engine sees where the page stands, and what follows."""
    page = context.new_page()
    page.goto(f"{address}tensors/dtypes.html")
    assert page.get_by_role("navigation", name="Breadcrumbs").inner_text().split("\n") == ["Home", "Tensors"]
    page.keyboard.press("n")
    page.wait_for_url("**/tensors/operations.html")
    page.get_by_role("link", name="Previous:").click()
    page.wait_for_url("**/tensors/dtypes.html")


def test_a_shared_link_has_a_card(home: Any) -> None:
    """Title, description and picture; addresses in it must be whole."""
    found = {
        meta.get_attribute("property"): meta.get_attribute("content")
        for meta in home.locator('meta[property^="og:"]').all()
    }
    assert found["og:title"] == "Same Device: PyTorch on CPU and GPU, every output printed by its code"
    assert len(found["og:description"]) > 50
    assert found["og:image"] == "https://someone.github.io/same-device/assets/card.png"
    size = (ROOT / "docs/assets/card.png").read_bytes()[16:24]
    assert [int.from_bytes(size[:4]), int.from_bytes(size[4:])] == [1200, 630]


def test_a_missing_page_finds_the_folder_of_a_site_that_does_not_know_its_address(context: Any, tmp_path: Path) -> None:
    """Its links begin at the top of the server: it had no style there, and links that led nowhere."""
    theme = f"theme: {{name: material, custom_dir: {ROOT / 'docs/overrides'}, font: false}}"
    (tmp_path / "mkdocs.yml").write_text(f"site_name: In a folder\n{theme}\nplugins: [offline]\n", encoding="utf-8")
    (tmp_path / "docs/deep").mkdir(parents=True)
    for name in ("index.md", "deep/page.md"):
        (tmp_path / "docs" / name).write_text("# Home\n", encoding="utf-8")
    environ = os.environ | {"NO_MKDOCS_2_WARNING": "1"}
    subprocess.run([sys.executable, "-m", "mkdocs", "build", "--quiet"], cwd=tmp_path, check=True, env=environ)
    page = context.new_page()
    with served(tmp_path / "site") as address:
        for missing in ("gone.html", "gone/deeper/", "deep/gone.html", "404.html"):
            page.goto(f"{address}{missing}")
            page.wait_for_function(
                "[...document.styleSheets].some((one) => one.href?.includes('/same-device/assets/'))"
            )
            assert page.get_by_role("link", name="Home").last.get_attribute("href") == "/same-device/index.html"


def test_a_missing_page_offers_a_search_that_works(context: Any, address: str) -> None:
    """At whatever depth, and where the site stands below the repository's name."""
    page = context.new_page()
    page.goto(f"{address}gone/deeper/moving-tensors/")
    box = page.get_by_role("textbox", name="Search for")
    assert box.input_value() == "moving tensors"
    box.press("Enter")
    page.locator(".md-search-result__link", has_text="Moving tensors between CPU and GPU").first.click()
    page.wait_for_url("**/devices/moving-tensors.html**")


@pytest.mark.parametrize(("typed", "reached"), [("tensors/", "tensors/creating"), ("errors.html", "reference/errors")])
def test_addresses_that_people_type_lead_somewhere(context: Any, address: str, typed: str, reached: str) -> None:
    """A folder has no page of its own; an index is asked for by its name."""
    page = context.new_page()
    page.goto(address + typed)
    page.wait_for_url(f"**/{reached}.html")


def test_menu_and_search_of_a_narrow_screen_open_by_keyboard(browser: Any, address: str) -> None:
    """Four times enlarged, a desktop is a narrow screen, and still has a keyboard."""
    context = browser.new_context(viewport={"width": 320, "height": 700})
    page = context.new_page()
    page.goto(address)
    page.get_by_role("button", name="Open menu").press("Enter")
    page.locator(".md-nav--primary").get_by_text("Devices").first.wait_for()
    assert page.evaluate("document.getElementById('__drawer').checked")
    page.keyboard.press("Escape")
    page.reload()
    page.get_by_role("button", name="Open search").press("Space")
    page.keyboard.type("autocast")
    page.locator(".md-search-result__link").first.wait_for()
    context.close()


def test_on_paper_all_outputs_stand_and_nothing_is_cut_off(home: Any) -> None:
    """There is no switch on paper, and no scrolling."""
    home.emulate_media(media="print")
    assert {"tensor(1.5000) cpu", ON_CUDA} <= set(outputs(home))
    assert not home.locator(".sd-choice, .sd-switch, .md-code__button").filter(visible=True).count()
    home.set_viewport_size({"width": 700, "height": 900})
    cut = ".some((one) => one.scrollWidth > one.clientWidth)"
    assert not home.evaluate("[...document.querySelectorAll('.sd-text, .highlight code')]" + cut)


def test_the_cheat_sheet_prints_on_one_page(context: Any, address: str) -> None:
    """It is made to be printed: all code, and of the outputs that of the ten mistakes alone; no navigation."""
    page = context.new_page()
    page.goto(f"{address}reference/cheat-sheet.html")
    assert len(re.findall(rb"/Type /Page\b", page.pdf(format="A4"))) == 1
    page.emulate_media(media="print")
    assert page.locator("article [data-block] pre:visible").count() >= 10
    assert page.locator("article .sd-text:visible").count() == 1
    assert not page.locator(".md-sidebar, .md-header, .sd-foot, .sd-head p").filter(visible=True).count()


@pytest.mark.parametrize(("width", "height"), [(390, 844), (1440, 900)])
def test_home_is_in_the_first_screen(browser: Any, address: str, width: int, height: int) -> None:
    """The box, the cards, and a block with its output; the picture may be below."""
    page = browser.new_page(viewport={"width": width, "height": height})
    page.goto(address)
    for what in (".sd-lead", ".sd-find", ".sd-cards", "[data-block]", ".sd-out"):
        box = page.locator(f"article {what}").first.bounding_box()
        assert box["y"] + box["height"] <= height, what
    page.close()


def test_home_takes_an_error_to_the_index(home: Any) -> None:
    """With all of its lines, which no server sees; the example does the same."""
    home.get_by_role("textbox", name="Error message").fill(
        "Traceback\nValueError: x\nRuntimeError: mat1 and mat2 shapes cannot be"
    )
    home.get_by_role("button", name="Find this error").click()
    best = home.locator(".sd-best dt:first-of-type", has_text="mat1 and mat2")
    best.wait_for()
    home.go_back()
    home.get_by_role("link", name="Try the example").click()
    best.wait_for()


def test_the_path_marks_the_pages_that_were_opened(
    browser: Any, whole_chromium: dict[str, Any], address: str, tmp_path: Path
) -> None:
    """A beginner sees how far they are. Scripts cannot ask for visited links, so this looks at the pixels."""
    with browser.browser_type.launch_persistent_context(
        str(tmp_path), **whole_chromium
    ) as context:  # others keep no history
        page = context.new_page()
        page.goto(address)
        steps = page.locator("ol:has(.sd-step) li")
        before = [steps.nth(number).screenshot() for number in (0, 1)]
        steps.nth(0).get_by_role("link").click()
        page.wait_for_url("**/tensors/creating.html")
        page.goto(address)
        after = [steps.nth(number).screenshot() for number in (0, 1)]
    assert (after[0] == before[0], after[1] == before[1]) == (False, True)
