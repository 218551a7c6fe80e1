"""The site as a reader meets it, in a browser: home, menus, downloads, what stands around a page, keyboard, print."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from served import served
from shown import ON_CUDA, outputs

pytestmark = pytest.mark.browser

ROOT = Path(__file__).parents[2]


def test_a_long_label_is_whole_on_a_phone(context: Any, address: str) -> None:
    """It was cut off, and with it which PyTorch the block needs."""
    page = context.new_page()
    page.set_viewport_size({"width": 390, "height": 800})
    page.goto(f"{address}errors/quantile-input-tensor-is-too-large.html")
    labels = page.locator(".sd-head summary").filter(visible=True)
    sizes = labels.evaluate_all("all => all.map((one) => [one.scrollWidth - one.clientWidth, one.offsetHeight])")
    heights = [height for _, height in sizes]
    assert max(heights) > 30, "no label has two lines"
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


def test_each_page_can_be_taken_along(context: Any, address: str) -> None:
    """As a notebook, a script and Markdown; Colab opens the notebook from the repository that the build was told of."""
    page = context.new_page()
    page.goto(f"{address}tensors/indexing.html")
    links = page.locator(".sd-take a")
    assert links.all_inner_texts() == ["Copy", "Notebook", "Colab"]
    foot = page.locator(".sd-foot span", has_text="This page as").locator("a")
    assert foot.all_inner_texts() == ["script", "Markdown"]
    for link in [*links.all()[:2], *foot.all()]:
        assert page.request.get(link.evaluate("link => link.href")).ok
    target = "https://colab.research.google.com/github/someone/same-device/blob/gh-pages/tensors/indexing.ipynb"
    assert links.last.get_attribute("href") == target


def test_a_page_says_when_it_changed_and_where_to_edit_it(context: Any, address: str) -> None:
    """Whoever finds a mistake is one click from mending it."""
    page = context.new_page()
    page.goto(f"{address}notebooks/fundamentals.html")
    foot = page.locator(".sd-foot")
    assert re.search(r"Last change on \d{4}-\d\d-\d\d", foot.inner_text())
    assert "Begin" not in foot.inner_text(), "the subject of a commit says nothing to a reader"
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
    page.wait_for_url("**/tensors/precision.html")
    page.get_by_role("link", name="Previous:").click()
    page.wait_for_url("**/tensors/dtypes.html")


def test_a_shared_link_has_a_card(home: Any) -> None:
    """Title, description and picture; addresses in it must be whole."""
    found = {
        meta.get_attribute("property"): meta.get_attribute("content")
        for meta in home.locator('meta[property^="og:"]').all()
    }
    assert found["og:title"] == "Same Device: PyTorch answers that were run, on a CPU and on an H100"
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


@pytest.mark.parametrize(("typed", "reached"), [("cuda.html", "devices/cuda"), ("errors.html", "reference/errors")])
def test_addresses_that_people_type_lead_somewhere(context: Any, address: str, typed: str, reached: str) -> None:
    """A page is asked for by its name; each folder has a page of its own."""
    page = context.new_page()
    page.goto(address + typed)
    page.wait_for_url(f"**/{reached}.html")


def test_menu_and_search_of_a_narrow_screen_open_by_keyboard(browser: Any, address: str) -> None:
    """Four times enlarged, a desktop is a narrow screen, and still has a keyboard."""
    context = browser.new_context(viewport={"width": 320, "height": 700})
    page = context.new_page()
    page.goto(address)
    page.get_by_role("button", name="Open menu").press("Enter")
    page.locator(".md-nav--primary").get_by_text("Devices", exact=True).first.wait_for()
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
    """What it is, the box, errors to click, and a program with both of its outputs."""
    page = browser.new_page(viewport={"width": width, "height": height})
    page.goto(address)
    for what in (".sd-lead", ".sd-find", ".sd-chips", "[data-block]", ".sd-out"):
        box = page.locator(f"article {what}").first.bounding_box()
        assert box["y"] + box["height"] <= height, what
    page.close()


@pytest.mark.parametrize("width", [390, 1440])
def test_a_page_begins_with_its_answer_in_the_first_screen(browser: Any, address: str, width: int) -> None:
    """On a phone too; 19 of 48 pages began with counts and links."""
    page = browser.new_page(viewport={"width": width, "height": 844})
    for name in ("devices/moving-tensors", "memory/oom", "parallel/debugging", "tensors/printing", "amp/autocast"):
        page.goto(f"{address}{name}.html")
        lead = page.locator("article h1 + .sd-lead").bounding_box()
        assert lead["y"] + lead["height"] <= 400, name
        assert page.locator(".sd-row").bounding_box()["y"] > lead["y"]
    page.close()


def test_home_takes_an_error_to_the_index(home: Any) -> None:
    """With all of its lines, which no server sees; the examples do the same."""
    home.get_by_role("textbox", name="Error message").fill(
        "Traceback\nValueError: x\nRuntimeError: mat1 and mat2 shapes cannot be"
    )
    home.get_by_role("button", name="Find this error").click()
    home.locator(".sd-best dt:first-of-type", has_text="mat1 and mat2").wait_for()
    home.go_back()
    examples = home.locator(".sd-chips a").all_inner_texts()
    assert len(examples) == 3
    for example in examples:
        home.locator(".sd-chips a", has_text=example).click()
        home.locator(".sd-best dt:first-of-type", has_text=example).wait_for()
        home.go_back()


def test_lessons_are_numbered_and_marked_once_they_were_read(context: Any, address: str) -> None:
    """A beginner sees how far they are: tiles, head and foot have the order of the navigation."""
    page = context.new_page()
    page.goto(address)
    tiles = page.locator(".sd-tiles a")
    names, count = tiles.locator("b").all_inner_texts(), tiles.count()
    assert [name.split(" ")[0] for name in names] == [str(number + 1) for number in range(count)]
    assert not page.locator(".sd-tiles .sd-done").count()
    tiles.first.click()
    page.locator(".sd-place", has_text=f"1 of {count}").wait_for()
    assert page.locator("article h1").inner_text().startswith(names[0].split(" ", 1)[1][:10])
    page.locator(".md-footer").scroll_into_view_if_needed()
    page.wait_for_function("localStorage['sd-lessons']")
    page.goto(address)
    assert page.locator(".sd-tiles .sd-done b").all_inner_texts() == names[:1]
    assert f"1 of {count}" in page.locator(".sd-progress").inner_text()
    tiles.first.click()
    page.get_by_role("link", name="Next:").click()
    page.locator(".sd-place", has_text=f"2 of {count}").wait_for()


def test_a_page_about_a_message_has_a_way_back(context: Any, address: str) -> None:
    """389 pages were islands: no breadcrumb, no link to the index, none to their neighbors."""
    page = context.new_page()
    page.goto(f"{address}errors/mat1-and-mat2-shapes-cannot-be-multiplied.html")
    path = page.get_by_role("navigation", name="Breadcrumbs").get_by_role("link")
    assert path.all_inner_texts() == ["Home", "Errors and warnings"]
    assert page.get_by_role("heading", name="Fix").count() == 2
    related = page.locator(".sd-what", has_text="Related").locator("~ ul a")
    assert related.count() >= 2
    assert page.get_by_role("link", name="Matrix multiplication", exact=True).count() == 1
    path.last.click()
    page.wait_for_url("**/reference/errors.html")


def test_the_link_over_the_menu_keeps_what_the_box_found(context: Any, address: str) -> None:
    """By keyboard it is the first stop; links to other entries empty the box."""
    page = context.new_page()
    page.goto(f"{address}reference/errors.html?error=mat1 and mat2 shapes cannot be multiplied (64x784 and 512x10)")
    page.locator(".sd-best dt").first.wait_for()
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.matches('.md-skip')")
    page.keyboard.press("Enter")
    page.wait_for_function("location.hash")
    assert page.locator(".sd-best dt").first.is_visible()


def test_the_index_of_errors_opens_where_a_link_leads(context: Any, address: str) -> None:
    """Entries are in closed boxes, and links to them from elsewhere still work."""
    page = context.new_page()
    page.goto(f"{address}reference/errors.html")
    assert not page.locator("article details dt").filter(visible=True).count()
    row = page.locator("article details dt[id]").nth(40).get_attribute("id")
    page.goto(f"{address}reference/errors.html?again#{row}")
    page.locator(f"dt[id='{row}']").wait_for(state="visible")
