"""The site as a reader meets it, in a browser: switch, copy, downloads, accessibility, narrow screens."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from samedevice.closure import closures, standalone
from samedevice.page import parse_page
from samedevice.recording import Recording, load, save
from samedevice.session import Environment

CHROMIUM = shutil.which("chromium")
if os.environ.get("CI") is None:  # where the tests of record run, nothing may be missing
    pytest.importorskip("playwright.sync_api")
    if CHROMIUM is None:
        pytest.skip("needs chromium", allow_module_level=True)

from axe_playwright_python.sync_playwright import Axe  # noqa: E402
from playwright.sync_api import Browser, BrowserContext, Page, sync_playwright  # noqa: E402

pytestmark = pytest.mark.browser

ROOT = Path(__file__).parents[2]
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update"]
LOOKED_AT = [
    "",
    "tensors/creating/",
    "devices/mismatch/",
    "amp/gradscaler/",
    "reference/errors/",
    "notebooks/fundamentals/",
]


class Quiet(SimpleHTTPRequestHandler):
    """Serves files and says nothing."""

    def log_message(self, *_: Any) -> None:
        """Say nothing."""


def pretend_cuda(tree: Path) -> None:
    """Give the home page a recording from a GPU that differs from the CPU's; it is shown nowhere but in this test."""
    page = parse_page(tree / "docs/index.md", tree)
    cpu = load(tree / "tests/recordings/cpu/index.json")
    assert cpu is not None
    text = json.dumps([entry.output.to_json() for entry in cpu.entries])
    assert "cpu" in text
    made = Environment("cuda", "A made-up GPU", "2.11.0", "3.12.0", "580", "2026-01-01")
    entries = []
    hashes = [hash for block, hash in zip(page.blocks, page.hashes("cuda"), strict=True) if block.options.needs == ""]
    for hash, entry in zip(hashes, cpu.entries, strict=True):
        output = json.loads(json.dumps(entry.output.to_json()).replace("cpu", "cuda"))
        entries.append(type(entry).make(str(hash), entry.code, type(entry.output).from_json(output)))
    save(tree / "tests/recordings/cuda/index.json", Recording(made, tuple(entries)))


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Where the site is served, built from a copy of the repository with one made-up recording."""
    tree = tmp_path_factory.mktemp("tree")
    for name in ("docs", "snippets", "tests/recordings", ".cache"):
        if (ROOT / name).exists():
            shutil.copytree(ROOT / name, tree / name)
    shutil.copy(ROOT / "mkdocs.yml", tree)
    pretend_cuda(tree)
    environ = os.environ | {"NO_MKDOCS_2_WARNING": "1"}
    subprocess.run([sys.executable, "-m", "mkdocs", "build", "--quiet"], cwd=tree, check=True, env=environ)
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(tree / "site"))) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Debian's Chromium."""
    with sync_playwright() as playwright:
        found = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield found
        found.close()


@pytest.fixture
def context(browser: Browser) -> Iterator[BrowserContext]:
    """A reader who has not been here before, and lets pages use the clipboard."""
    found = browser.new_context(viewport={"width": 1280, "height": 900})
    found.grant_permissions(["clipboard-read", "clipboard-write"])
    yield found
    found.close()


@pytest.fixture
def home(context: BrowserContext, address: str) -> Page:
    """The home page, opened."""
    page = context.new_page()
    page.goto(address)
    return page


def outputs(page: Page) -> list[str]:
    """The texts of the outputs that can be seen."""
    return [pre.inner_text() for pre in page.locator(".sd-text:visible").all()]


def test_the_switch_sets_every_output_and_is_remembered(home: Page, address: str) -> None:
    """A reader with a GPU chooses once, not on each page."""
    assert any("device(type='cpu')" in text for text in outputs(home))
    home.get_by_role("group", name="Show outputs of").get_by_role("button", name="CUDA").click()
    assert any("device(type='cuda')" in text for text in outputs(home))
    assert not any("device(type='cpu')" in text for text in outputs(home))
    home.goto(f"{address}tensors/creating/")
    home.goto(address)
    assert any("device(type='cuda')" in text for text in outputs(home))
    button = home.get_by_role("group", name="Show outputs of").get_by_role("button", name="CUDA")
    assert button.get_attribute("aria-pressed") == "true"
    assert "A made-up GPU" in (button.get_attribute("title") or "")


def test_a_link_carries_the_choice(context: BrowserContext, address: str) -> None:
    """Whoever is sent a link sees what the sender saw."""
    page = context.new_page()
    page.goto(f"{address}?device=cuda")
    assert any("device(type='cuda')" in text for text in outputs(page))


def test_the_switch_works_with_the_keyboard(home: Page) -> None:
    """Not everybody has a mouse."""
    home.locator(".sd-switch button", has_text="CUDA").first.focus()
    home.keyboard.press("Enter")
    assert any("device(type='cuda')" in text for text in outputs(home))


def test_differences_are_marked_within_the_line(home: Page) -> None:
    """A reader should not have to compare character by character."""
    assert "cpu" in [mark.inner_text() for mark in home.locator(".sd-text:visible mark").all()]


def test_without_javascript_every_output_can_be_read(browser: Browser, address: str) -> None:
    """Readers switch it off, and search engines do not run it."""
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(address)
    found = outputs(page)
    assert any("device(type='cpu')" in text for text in found)
    assert any("device(type='cuda')" in text for text in found)
    context.close()


def test_copy_to_run_puts_the_block_and_what_it_needs_on_the_clipboard(home: Page) -> None:
    """What the page puts together in the browser is the program that the other tests run."""
    page = parse_page(ROOT / "docs/index.md", ROOT)
    index = next(index for index, needed in closures(page).items() if len(needed) > 1)
    home.locator(f'[data-block="{index}"] .sd-run').click()
    home.get_by_text("Copied with").wait_for()
    assert home.evaluate("navigator.clipboard.readText()") == standalone(page, page.blocks[index])
    home.get_by_role("button", name="Show", exact=True).click()
    assert home.locator("dialog pre").inner_text().strip() == standalone(page, page.blocks[index]).strip()


def test_the_usual_copy_button_copies_the_block_alone(home: Page) -> None:
    """It is the button that readers know."""
    home.locator('[data-block="0"] button[data-md-type="copy"]').click()
    page = parse_page(ROOT / "docs/index.md", ROOT)
    assert home.evaluate("navigator.clipboard.readText()").strip() == page.blocks[0].code.strip()


def test_each_page_can_be_taken_along(home: Page) -> None:
    """As a notebook, a script and Markdown; there is no link to Colab where no repository is known."""
    links = home.locator(".sd-take a")
    assert [link.inner_text() for link in links.all()] == ["notebook", "Python script", "Markdown"]
    for link in links.all():
        assert home.request.get(link.evaluate("link => link.href")).ok


@pytest.mark.parametrize("path", LOOKED_AT)
def test_a_page_asks_no_other_host_and_reports_no_error(context: BrowserContext, address: str, path: str) -> None:
    """The site works from a folder without a network."""
    page = context.new_page()
    wrong: list[str] = []
    page.on("console", lambda message: wrong.append(message.text) if message.type == "error" else None)
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.on(
        "request", lambda request: None if request.url.startswith((address, "data:")) else wrong.append(request.url)
    )
    page.goto(address + path, wait_until="networkidle")
    assert not wrong


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("path", LOOKED_AT)
def test_axe_finds_nothing(browser: Browser, address: str, path: str, scheme: Any) -> None:
    """The rules of axe cover much of WCAG 2.2 AA."""
    context = browser.new_context(viewport={"width": 1280, "height": 900}, color_scheme=scheme)
    page = context.new_page()
    page.goto(address + path)
    found = Axe().run(page).response["violations"]
    context.close()
    assert [(one["id"], one["nodes"][0]["html"][:200]) for one in found] == []


@pytest.mark.parametrize("path", LOOKED_AT)
def test_a_narrow_screen_scrolls_down_only(browser: Browser, address: str, path: str) -> None:
    """At 320 px, which is also a desktop enlarged four times."""
    context = browser.new_context(viewport={"width": 320, "height": 700})
    page = context.new_page()
    page.goto(address + path)
    width = page.evaluate("document.documentElement.scrollWidth")
    context.close()
    assert width <= 320
