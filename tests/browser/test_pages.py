"""Every page of the site, in both schemes and on a narrow screen: accessibility, width, weight, errors, other hosts."""

from __future__ import annotations

import asyncio
import contextlib
import gzip
import os
import re
import shutil
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal
from urllib.parse import urlsplit

import pytest
from otherwise import FIRST_VIEW
from served import NAME

pytestmark = pytest.mark.browser

PLOTS = re.compile(r'<figure class="sd-figure">.*?</figure>', re.S)
WITHOUT_PLOTS = """document.querySelectorAll(".sd-figure svg").forEach((plot) => plot.replaceChildren())"""
"""Takes out what axe need not look at: thousands of lines and letters that say nothing but their description."""
NEW_LOOKS = """(seen) => {
  const still = document.createElement("style");
  still.textContent = "* { transition: none !important }";
  document.head.append(still);
  const selectors = (rules) => [...rules].map((rule) => (rule.selectorText ?? "") + selectors(rule.cssRules ?? []));
  const named = [...document.styleSheets].map((sheet) => selectors(sheet.cssRules)).join().matchAll(/\\[([\\w-]+)/g);
  const chosen = new Set(["class", ...[...named].map((match) => match[1])]), text = /^(data-block|for|href|id)$/;
  const own = ({ name, value }) => name === "style" ? value.replace(/--sd-lines:\\d+/, "")
    : text.test(name) ? name : chosen.has(name) ? name + value : "";
  const look = (one) => one ? one.tagName + [...one.attributes].map(own).join("") + look(one.parentElement) : "";
  const short = (look) => [...look].reduce((sum, letter) => (31 * sum + letter.codePointAt(0)) % 2 ** 47, 0);
  const known = new Set(seen), found = new Set(), all = [...document.body.querySelectorAll("*")].reverse();
  const visible = new Set(all.filter((one) => one.checkVisibility()));
  for (const one of all) {
    // the theme asks for its components, and inputs for the scheme, later
    if (one.firstElementChild || one.matches("input, style, [data-md-component]")) continue;
    const looks = short(look(one));
    if (!visible.has(one) || known.has(looks) || found.has(looks)) one.remove();
    else found.add(looks);
  }
  return [...found];
}"""
"""Leaves one visible element of each that look the same: up to the root they have the same tags, styles, classes, and
attributes that a rule of a style sheet asks for. Takes and gives what was seen as numbers. Colors change at once from
there on, not gradually."""
COVERED = """() => [...document.querySelectorAll("[data-block] nav.md-code__nav")].filter((nav) => {
  const { left, bottom } = nav.getBoundingClientRect(), lines = document.createRange();
  lines.selectNodeContents(nav.parentElement.querySelector("code"));
  return [...lines.getClientRects()].some((line) => line.right > left + 1 && line.top < bottom - 8);
}).map((nav) => `the buttons cover the code of ${nav.parentElement.id}`)"""
READY = """[...document.querySelectorAll("pre > code")].every((code) => {
  if (!code.checkVisibility() || code.getBoundingClientRect().top > innerHeight) return true;
  const own = code.closest("[data-block]");
  return (!own || own.querySelector("nav")) && (code.scrollWidth <= code.clientWidth || code.tabIndex === 0);
})"""
"""Whether the code in sight has its buttons, and the keyboard reaches what scrolls; the theme sees to both soon after
a page is loaded."""
NAVIGATION = "document.querySelector('.md-sidebar--primary')?.outerHTML ?? ''"
WITHOUT_NAVIGATION = "document.querySelector('.md-sidebar--primary .md-nav')?.replaceChildren()"
AXE = """async (rules) => {
  const found = await axe.run(document, { resultTypes: ["violations"], preload: false, ...rules });
  return found.violations.map(({ id, nodes }) => `${id}: ${nodes[0].html.slice(0, 200)}`);
}"""
OF_COLORS = ["color-contrast", "link-in-text-block"]
"""The rules that a scheme of colors can break; the others are for the page as it is at first."""
NOT_OF_COLORS = {"rules": {rule: {"enabled": False} for rule in OF_COLORS}}
Scheme = Literal["light", "dark"]
SCHEMES: dict[Scheme, str] = {"light": "default", "dark": "slate"}
"""What a reader's system asks for, and the theme's name of what it then shows."""
SHARE = 1 if os.environ.get("CI") else 20
"""Which part of the messages' pages is visited, one in so many: they have one shape. CI visits all."""
AXE_SCRIPT = "axe.min.js"
"""Where the site that is visited has axe."""
WIDE: Any = {"width": 1280, "height": 900}
NARROW: Any = {"width": 320, "height": 700}
"""A window, and a screen of 320 px. The window is first: the theme looks for what scrolls when a page is loaded."""
PAINTED = "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"
"""Ends when the page has been laid out anew."""
HEAVIER = {"reference/errors.html": 156_000, "reference/versions.html": 131_072, "about/claims-tensors.html": 150_000}
"""Pages with more than others in their first view, of which the browser finds each word: errors, whose box also loads
the search at once, what each version changed, and tests."""
OWN = 13_000
OUTPUT = re.compile(r'<div class="sd-out\b[^>]* data-devices=')
OUTPUTS = """[document.querySelectorAll("article .sd-out[data-devices]").length,
  [...document.querySelectorAll("article .sd-pane")]
    .filter((pane) => pane.checkVisibility() || pane.closest("details:not([open])")).length]"""
"""How many outputs a page has, and how many panes of them are on show, or in a closed box, as solutions are."""


@dataclass
class Visit:
    """What came of opening one page."""

    violations: dict[str, list[str]] = field(default_factory=dict)
    """What axe found, by scheme where it is of colors."""
    width: int = 0
    """Width of the content on a screen of 320 px, in px."""
    outputs: int = 0
    """How many outputs the page has once its scripts ran."""
    shown: int = 0
    """How many panes of them can be seen."""
    wrong: list[str] = field(default_factory=list)
    """What was reported on the console, what was asked of other hosts or is not there, and what buttons cover."""
    loaded: set[str] = field(default_factory=set)
    """Paths of what was loaded, below the site."""


async def visit(
    tab: Any, page: str, address: str, schemes: tuple[Scheme, ...], looks: set[int], navigations: set[str]
) -> Visit:
    """Open a page and look at it, on a narrow screen too, then in both schemes at what no page before had like this.

    Messages are not in the navigation, so that theirs is the same to the letter: axe looks at it once. The tab has the
    first scheme already.
    """
    from playwright.async_api import TimeoutError

    seen = Visit()
    told: dict[str, Callable[[Any], object]] = {
        "console": lambda message: seen.wrong.append(message.text) if message.type == "error" else None,
        "pageerror": lambda error: seen.wrong.append(str(error)),
        "request": lambda request: note(seen, request.url, address),
        "response": lambda one: seen.wrong.append(f"{one.url}: {one.status}") if one.status >= 400 else None,
    }
    for event, tell in told.items():
        tab.on(event, tell)
    await tab.goto(address + page, wait_until="load")
    with contextlib.suppress(TimeoutError):
        await tab.wait_for_function(READY, polling=50, timeout=5000)
    seen.wrong += await tab.evaluate(COVERED)
    seen.outputs, seen.shown = await tab.evaluate(OUTPUTS)
    await tab.evaluate(WITHOUT_PLOTS)
    # the browser compiles a file once, and each text that it is told anew
    await tab.add_script_tag(url=address + AXE_SCRIPT)
    navigation = await tab.evaluate(NAVIGATION)
    if navigation in navigations:
        await tab.evaluate(WITHOUT_NAVIGATION)
    seen.violations["all rules but of colors"] = await tab.evaluate(AXE, NOT_OF_COLORS)
    navigations.add(navigation)
    await tab.set_viewport_size(NARROW)
    seen.width = await tab.evaluate("document.documentElement.scrollWidth")
    await tab.set_viewport_size(WIDE)
    await tab.evaluate(PAINTED)
    new = set(await tab.evaluate(NEW_LOOKS, list(looks)))
    looks.update(new)
    for scheme in schemes if new else ():
        await tab.emulate_media(color_scheme=scheme)
        # not at each frame: on one page that waited for half a minute
        await tab.wait_for_function(f"document.body.dataset.mdColorScheme === '{SCHEMES[scheme]}'", polling=50)
        seen.violations[scheme] = await tab.evaluate(AXE, {"runOnly": OF_COLORS})
    for event, tell in told.items():
        tab.remove_listener(event, tell)
    return seen


def note(seen: Visit, url: str, address: str) -> None:
    """Keep what is loaded of the site apart from what is asked of others."""
    if url == address + AXE_SCRIPT:
        return
    if url.startswith(address):
        seen.loaded.add(urlsplit(url).path.removeprefix(f"/{NAME}/") or "index.html")
    elif not url.startswith("data:"):
        seen.wrong.append(url)


async def visits_of(pages: list[str], address: str, chromium: dict[str, Any]) -> dict[str, Visit]:
    """Visit all pages with one browser, in as many tabs as there are cores: a new tab costs more than a new page."""
    from playwright.async_api import async_playwright

    left, found, looks, navigations = list(reversed(pages)), {}, set[int](), set[str]()

    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(**chromium)
        context = await browser.new_context(viewport=WIDE, reduced_motion="reduce")

        async def visit_some() -> None:
            tab = await context.new_page()
            schemes: tuple[Scheme, ...] = ("light", "dark")
            await tab.emulate_media(color_scheme="light")
            while left:
                page = left.pop()
                found[page] = seen = await visit(tab, page, address, schemes, looks, navigations)
                # a change of scheme costs a layout: the next page begins with the one that is shown
                if schemes[1] in seen.violations:
                    schemes = (schemes[1], schemes[0])

        await asyncio.gather(*(visit_some() for _ in range(os.cpu_count() or 1)))
        await browser.close()
    return found


@pytest.fixture(scope="module")
def visits(site: Path, address: str, chromium: dict[str, Any]) -> dict[str, Visit]:
    """Pages of the site with what came of opening them; in a thread, because pytest's own has a loop already."""
    import axe_playwright_python

    found = [path.relative_to(site).as_posix() for path in site.rglob("*.html")]
    pages = sorted(page for page in found if "http-equiv" not in (site / page).read_text(encoding="utf-8")[:600])
    messages = [page for page in pages if page.startswith("errors/")]
    pages = [page for page in pages if page not in messages] + messages[::SHARE]
    assert len(pages) > 70
    shutil.copy(Path(axe_playwright_python.__file__).parent / "axe.min.js", site / AXE_SCRIPT)
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(asyncio.run, visits_of(pages, address, chromium)).result()


def sent(site: Path, path: str) -> int:
    """Bytes of a file as it is sent; a page without its plots."""
    data = (site / path).read_bytes()
    if path.endswith(".html"):
        data = PLOTS.sub("", data.decode()).encode()
    return len(gzip.compress(data, 6)) if not path.endswith(".png") else len(data)


def complaints(site: Path, page: str, seen: Visit) -> list[str]:
    """What is wrong with a page."""
    weight = sum(sent(site, path) for path in {page, *seen.loaded})
    found = [f"{scheme}: {one}" for scheme, ones in seen.violations.items() for one in ones] + seen.wrong
    found += [f"{seen.width} px wide on a screen of 320 px"] * (seen.width > 320)
    written = len(OUTPUT.findall((site / page).read_text(encoding="utf-8")))
    found += [f"{seen.outputs} outputs of {written}"] * (seen.outputs != written)
    found += ["no output can be seen"] * (written > 0 and seen.shown == 0)
    return found + [f"{weight} bytes in the first view"] * (weight > max(FIRST_VIEW, HEAVIER.get(page, 0)))


def test_every_page_is_accessible_narrow_light_has_its_outputs_and_keeps_to_itself(
    site: Path, visits: dict[str, Visit]
) -> None:
    """No rule of axe broken in either scheme; 320 px, a desktop enlarged four times; 120 KiB; no error, no other host.

    One test, because a visit answers all of it and takes seconds.
    """
    weights = {page: sum(sent(site, path) for path in {page, *seen.loaded}) for page, seen in visits.items()}
    print(len(visits), "pages; heaviest first view:", max((weight, page) for page, weight in weights.items()))
    found = {page: complaints(site, page, seen) for page, seen in visits.items()}
    assert {page: wrong for page, wrong in found.items() if wrong} == {}


def test_our_own_style_and_script_are_small(site: Path) -> None:
    """The styles and scripts of the site and of the engine on a page without a widget, and what is in its head."""
    head = (site / "index.html").read_text(encoding="utf-8").partition("</head>")[0]
    ours = r"<script>((?:var sd\b|document\.documentElement\.className).*?)</script>"  # the others are the theme's
    inline = "".join(found := re.findall(ours, head, re.S))
    assert len(found) == 2
    linked = re.findall(
        r'(?:href|src)="(assets/samedevice[./][\w./]+)"', (site / "index.html").read_text(encoding="utf-8")
    )
    files = [(site / name).read_bytes() for name in linked]
    assert len(files) == 4
    weights = [len(gzip.compress(data, 6)) for data in [*files, inline.encode()]]
    print("style, script, head:", weights)
    assert sum(weights) <= OWN
