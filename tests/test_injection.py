"""Hostile outputs: whatever a block prints is read on the page, and in what readers take along, exactly as printed.

"Printed" is what `clean` makes of the bytes: control characters and those that turn the direction of text are visible.
"""

from __future__ import annotations

import ast
import contextlib
import json
import os
import random
import re
import shutil
import subprocess
from collections.abc import Callable
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import quote

import pytest

from samedevice.errors import PageError
from samedevice.exporting.exports import exports
from samedevice.integration.mkdocs.notebooks import convert, with_outputs
from samedevice.outputs.cleaning import UNSEEN, clean
from samedevice.outputs.environments import Environment
from samedevice.outputs.output import Figure, Output, Raised
from samedevice.pages.page import Page
from samedevice.pages.parsing import parse_page
from samedevice.weaving.completeness import check_shown
from samedevice.weaving.panes import ShownOutput
from samedevice.weaving.weave import weave, woven_outputs

WHOLE = bool(os.environ.get("SAMEDEVICE_FAULTS"))
BATCHES = 40 if WHOLE else 6
BATCH = 60
"""Outputs on one page; `make faults` asks for 2,400 of them."""
HERE = {
    "cpu": Environment("cpu", "EPYC 9B14", "2.13.0+cpu", "3.11.7", "", "2026-11-21"),
    "cuda": Environment("cuda", "NVIDIA H200", "2.13.0+cu130", "3.11.7", "580.95.05", "2026-11-20"),
}
CONTROL = "".join(map(chr, range(32))) + "\x7f" + "".join(map(chr, UNSEEN))
ODD = "\u2028\u2029\u200b\u200d\ufeff\u00ad\ufffe\uffff\U000e0041é日本🙂👩‍👧e\u0301\ud800\udfff\udcff"
SAMPLE = Path(__file__).with_name("samples") / "injection/pieces.txt"
PIECES = [line.encode().decode("unicode_escape") for line in SAMPLE.read_text(encoding="ascii").splitlines()]
"""What HTML, Markdown, its extensions, templates, notebooks and the engine itself give a meaning, a line each."""


def hostile(seed: int) -> str:
    """Made-up bytes that a program may print, as text, the same for the same seed."""
    chance = random.Random(seed)
    parts: list[str] = []
    for _ in range(chance.randint(1, 6)):
        fence = chance.choice("`~") * chance.randint(1, 12) + chance.choice(["", "python", " samedevice", "{.python}"])
        parts += chance.choices(
            [chance.choice(PIECES), fence, chance.choice(CONTROL), chance.choice(ODD), colour(chance), "x" * 7_000],
            weights=[12, 5, 3, 3, 2, 1 if chance.random() < 0.1 else 0],
        )
        parts.append(chance.choice(["", " ", "\n", "\n\n", "\n    ", "\r\n", "\t", "\n> ", "\n- "]))
    return "".join(parts)


def colour(chance: random.Random) -> str:
    """A sequence for terminals."""
    return chance.choice(["\x1b[31m", "\x1b[0m", "\x1b[2J", "\x1b]8;;http://x\x07", "\x9b31m", "\x1b[38;5;1m"])


def outputs(batch: int) -> list[Output]:
    """Outputs of one page: text, values and exceptions."""
    found = []
    for seed in range(BATCH * batch, BATCH * (batch + 1)):
        text = clean(hostile(seed), {})
        kinds = Output(text=text), Output(value=text), Output(raised=Raised("E", text)), Output(text, text)
        found.append(kinds[seed % len(kinds)])
    return found


BENIGN = [Output("a"), Output("a" * 200)] * (BATCH // 2) + [Output("a")] * (BATCH % 2)
"""As many outputs that mean no harm, short and long."""


class Seen(HTMLParser):
    """What a reader sees: the texts of the outputs, and all elements with their attributes' names."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.texts: list[str] = []
        self.inside = False
        self.elements: set[tuple[str, ...]] = set()
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note it."""
        self.elements.add((tag, *sorted(name for name, _ in attrs)))
        if tag == "pre" and ("class", "sd-text") in attrs:
            self.inside = True
            self.texts.append("")

    def handle_endtag(self, tag: str) -> None:
        """End an output."""
        self.inside = self.inside and tag != "pre"

    def handle_data(self, data: str) -> None:
        """Take in text."""
        if self.inside:
            self.texts[-1] += data if self.texts[-1] or not data.startswith("\n") else data[1:]


@pytest.fixture
def page(write: Callable[..., Page]) -> Page:
    """A page of many blocks: plain, in a list, in a quote, in an admonition."""
    fence = ["```python", "x", "```"]
    places = ["{}", "- item\n\n    {}", "> {}", "!!! note\n\n    {}"]
    blocks = []
    for number in range(BATCH):
        place = places[number % len(places)]
        prefix = "> " if place.startswith(">") else "    " if "    " in place else ""
        blocks.append(place.format(f"\n{prefix}".join(fence)) + "\n\nText.\n")
    return write("# Page\n\n" + "\n".join(blocks))


@pytest.fixture
def notebook(write: Callable[..., Page]) -> Page:
    """A notebook of as many blocks."""
    return write("# %%\nx\n\n" * BATCH, "docs/notebook.py")


def shown(page: Page, found: list[Output], *devices: str) -> dict[int, list[ShownOutput]]:
    """These outputs under the blocks of a page, each with a line of its own for every device."""
    rest = {device: f"\non {device}" if len(devices) > 1 else "" for device in devices}
    add = lambda one, end: Output(one.text + end, one.value, one.raised, one.figures)  # noqa: E731
    return {b.index: [ShownOutput(d, add(found[b.index], rest[d]), HERE[d]) for d in devices] for b in page.blocks}


@pytest.mark.parametrize("batch", range(BATCHES))
def test_a_hostile_output_reads_as_printed_and_makes_no_element(
    page: Page, render: Callable[[str], str], batch: int
) -> None:
    """Nothing that a program prints may act on the page, hide on it, or be lost."""
    found = outputs(batch)
    benign = Seen(render(weave(page, shown(page, BENIGN, "cpu"), {})))
    seen = Seen(render(weave(page, shown(page, found, "cpu"), {})))
    assert seen.texts == [one.shown for one in found if one.shown]
    assert seen.elements <= benign.elements | {("p", "class")}
    assert not any(re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]", text) for text in seen.texts)


@pytest.mark.parametrize("batch", range(BATCHES // 4))
def test_a_hostile_output_that_differs_reads_as_printed_too(
    page: Page, render: Callable[[str], str], batch: int
) -> None:
    """Marks are put around what differs."""
    there = shown(page, outputs(batch), "cpu", "cuda")
    seen = Seen(render(weave(page, there, {})))
    assert seen.texts == [one.output.shown for pair in there.values() for one in pair if one.output]
    assert not {element[0] for element in seen.elements} & {"script", "img", "svg", "iframe", "style", "strong", "em"}


@pytest.mark.parametrize("batch", range(BATCHES // 4))
def test_a_hostile_output_is_in_the_downloads_as_printed(page: Page, batch: int) -> None:
    """Jupyter shows it as plain text; the Markdown holds it in a fence that it cannot end."""
    from markdown_it import MarkdownIt

    found = outputs(batch)
    made = exports(page, shown(page, found, "cpu"))
    cells = [cell for cell in json.loads(made["ipynb"])["cells"] if cell["cell_type"] == "code"]
    for cell, one in zip(cells, found, strict=True):
        told = [o.get("text") or o.get("evalue") or o.get("data", {}).get("text/plain") for o in cell["outputs"]]
        assert told == [text for text in (one.text, one.value, one.raised and one.raised.message) if text]
        assert all(set(o.get("data", {})) <= {"text/plain"} for o in cell["outputs"])
    tokens = [token for token in MarkdownIt().parse(made["md"]) if token.type == "fence" and token.info == "text"]
    told = [one.shown for one in found if one.shown]
    assert [plain(token.content) for token in tokens] == [plain(text) for text in told]
    compile(made["py"], "page.py", "exec")


FORGED = "2.99.0\nimport os; os.system('echo INJECTED')\n\n# Heading\n\n<script>alert(1)</script> ![x](y) `"


@pytest.mark.parametrize("field", ["torch", "name", "day", "python", "driver", "numpy"])
def test_a_forged_environment_is_text_in_the_downloads(page: Page, render: Callable[[str], str], field: str) -> None:
    """No recording with such a one is loaded. Were it, its code would run where readers run the script."""
    from markdown_it import MarkdownIt

    found = {
        kind: {b.index: [ShownOutput("cpu", Output("a"), about)] for b in page.blocks}
        for kind, about in (("good", HERE["cpu"]), ("forged", replace(HERE["cpu"], **{field: FORGED})))  # type: ignore[arg-type]
    }
    made = {kind: exports(page, shown) for kind, shown in found.items()}
    codes = [ast.dump(ast.parse(files["py"])) for files in made.values()]
    assert codes[0] == codes[1]
    kinds = [[token.type for token in MarkdownIt().parse(files["md"])] for files in made.values()]
    assert kinds[0] == kinds[1]
    good, forged = (Seen(render(weave(page, shown, {}))) for shown in found.values())
    assert {element[0] for element in forged.elements} == {element[0] for element in good.elements}


@pytest.mark.parametrize("batch", range(BATCHES // 4))
def test_a_hostile_output_reads_as_printed_on_the_page_of_a_notebook(
    notebook: Page, tmp_path: Path, batch: int
) -> None:
    """mkdocs-jupyter writes these pages, not Markdown."""
    found = outputs(batch)
    benign, seen = (
        Seen(convert(with_outputs(notebook, shown(notebook, one, "cpu"), {}, str), tmp_path / "kept.json")[0].html)
        for one in (BENIGN, found)
    )
    assert seen.texts == [one.shown for one in found if one.shown]
    assert seen.elements <= benign.elements | {("p", "class")}


PICTURES = [
    "<script>alert(1)</script>",
    '<g onload="alert(1)"/>',
    '<a href="javascript:alert(1)"><text>x</text></a>',
    "<foreignObject><iframe/></foreignObject>",
    '<image href="https://example.org/x.png"/>',
    "<style>body{display: none}</style>",
    "</svg><iframe></iframe><svg>",
    "<!--><script>alert(1)</script>-->",
    "<text><![CDATA[</text><script>alert(1)</script>]]></text>",
]


def test_a_hostile_figure_makes_no_element(page: Page, render: Callable[[str], str]) -> None:
    """A figure is put into the page as it is; a machine that records may forge it, seal included."""
    benign = Seen(render(weave(page, shown(page, BENIGN, "cpu"), {})))
    found = [Output(figures=(Figure(f"<svg>{PICTURES[n % len(PICTURES)]}</svg>", "A line."),)) for n in range(BATCH)]
    seen = Seen(render(weave(page, shown(page, found, "cpu"), {})))
    assert seen.elements <= benign.elements | {("p", "class")}


CHECK = """<script>
const read = [...document.querySelectorAll("pre.sd-text")].map((element) => element.textContent);
const told = JSON.parse(document.getElementById("told").textContent);
const acting = document.querySelectorAll("img, svg, iframe, script:not(.own), style, base, a[href^='javascript']");
const other = read.filter((text, at) => text !== told[at]).length;
document.body.innerHTML = `${document.title}, ${read.length} read, ${other} other, ${acting.length} acting`;
</script>"""


needs_browser = pytest.mark.skipif(not shutil.which("chromium"), reason="needs chromium")


def browsed(html: str, folder: Path) -> str:
    """The page as Chromium has it after its scripts have run."""
    (folder / "page.html").write_text(html, encoding="utf-8")
    flags = "--headless --no-sandbox --disable-gpu --disable-background-networking --no-first-run --dump-dom".split()
    command = ["chromium", *flags, f"--user-data-dir={folder / 'profile'}", (folder / "page.html").as_uri()]
    return subprocess.run(command, capture_output=True, text=True, timeout=120, check=True).stdout


@needs_browser
def test_a_browser_reads_hostile_outputs_as_printed_and_runs_none(
    page: Page, render: Callable[[str], str], tmp_path: Path
) -> None:
    """It reads HTML in its own way, and is what readers use."""
    found = outputs(0)
    told = json.dumps([one.shown for one in found if one.shown]).replace("<", "\\u003c")
    body = render(weave(page, shown(page, found, "cpu"), {}))
    data = f'<script class="own" id="told" type="application/json">{told}</script>'
    check = CHECK.replace("<script>", '<script class="own">')
    html = f"<!doctype html><meta charset=utf-8><title>unhurt</title><body>{body}{data}{check}"
    count = len([one for one in found if one.shown])
    assert f"<body>unhurt, {count} read, 0 other, 0 acting</body>" in browsed(html, tmp_path)


START = "<select> <title> <xmp> <plaintext> <math> <audio> <template> <svg> <p> <div> <!-- <style> <script>".split()
START += [*"<textarea> <table> <noembed> <noframes> <option> <iframe>".split(), '<p title="']
END = [*(f"</{name[1:]}" for name in START if name.endswith(">")), "-->", '">', "]]>", "<p/>", "<br/>"]
BLOCKS = """<!doctype html><meta charset="utf-8"><body><script id="pages" type="application/json">PAGES</script><script>
const hidden = "template, select, dialog, datalist, audio, video, canvas, [hidden], [popover]", found = [];
JSON.parse(document.getElementById("pages").textContent).forEach(([html, codes], page) => {
  const read = new DOMParser().parseFromString("<!doctype html><body><article>" + html + "</article>", "text/html");
  codes.forEach((code, block) => {
    const shown = [...read.querySelectorAll(`[data-block="${block}"]`)].filter((one) => !one.closest(hidden));
    if (shown.length !== 1 || !shown[0].textContent.includes(code)) found.push(page);
  });
});
document.body.innerHTML = `<p>not shown on ${JSON.stringify(found)}</p>`;
</script>"""


def with_html(chance: random.Random) -> str:
    """A page with fences and HTML of any kind, closed or not."""
    lines: list[str] = []
    for number in range(chance.randint(1, 4)):
        lines.append("".join(chance.choices(START + END, k=chance.randint(1, 3))))
        lines += [""] * chance.randint(0, 1)
        if chance.random() < 0.6:
            lines += ["```python", f"x = {number}", "```", ""]
    return "\n".join(lines) + "\n"


@needs_browser
@pytest.mark.parametrize("batch", range(20 if WHOLE else 1))
def test_a_browser_shows_each_block_of_a_page_with_html_that_passes(
    root: Path, render: Callable[[str], str], batch: int
) -> None:
    """A browser closes and moves elements in its own way; where it would hide a block, the page has to be refused."""
    chance, passed = random.Random(batch), []
    for _ in range(100):
        with contextlib.suppress(PageError):
            page = parse_page(root / "docs/page.md", root, with_html(chance))
            about = {block.index: [ShownOutput("cpu", Output("y"), HERE["cpu"])] for block in page.blocks}
            woven = weave(page, about, {})
            html = render(woven)
            check_shown(page, woven_outputs(woven), html)
            passed.append((html, [block.code.strip("\n") for block in page.blocks]))
    assert sum(len(codes) for _, codes in passed) > 10
    pages = BLOCKS.replace("PAGES", json.dumps(passed).replace("<", "\\u003c"))
    assert "<p>not shown on []</p>" in browsed(pages, root)


SCRIPT = Path(__file__).parents[1] / "docs/assets/widgets/errors.js"
READS = """const found = JSON.parse(require("fs").readFileSync(0, "utf8")).map((hash) => {
  const location = { hash, search: "" };
  %s
  return given();
});
console.log(JSON.stringify(found));"""
SAFE = "-_.!~*'()"
"""What encodeURIComponent leaves as it is, beside letters and digits."""


@pytest.mark.skipif(not shutil.which("node"), reason="needs node")
def test_whatever_an_address_holds_is_a_text_for_the_box() -> None:
    """Also where it is no address that the box would write: `#error=50%` once left it empty."""
    script, chance = SCRIPT.read_text(encoding="utf-8"), random.Random(29)
    reads = script[script.index("const decoded =") : script.index("/* The section that")]
    many = 2_000 if WHOLE else 300
    texts = ["".join(chance.choices([*PIECES, "\x00", "\u2028", "é🙂", "x" * 300], k=4)) for _ in range(many)]
    texts = [text.encode("utf-8", "replace").decode().replace("\n", " ")[:2_000] for text in texts]
    typed = ["".join(chance.choices([*"%%%%0aAfF", "e2", "\ud7ff", "c3"], k=chance.randint(1, 9))) for _ in range(many)]
    given = [f"#error={quote(text, safe=SAFE)}" for text in texts] + [f"#error={text}" for text in typed]
    done = subprocess.run(
        ["node", "-e", READS % reads], input=json.dumps(given), capture_output=True, encoding="utf-8", check=True
    )
    read = json.loads(done.stdout)
    assert all(isinstance(one, str) for one in read)
    assert read[:many] == texts


def plain(text: str) -> str:
    """Text as a fence keeps it: without blanks at the ends of lines, and without a part of lines of blanks."""
    return "\n".join(line.rstrip() for line in text.replace("\ufeff", "").split("\n")).strip()
