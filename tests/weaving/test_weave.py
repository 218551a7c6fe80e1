"""Weaving: a page's Markdown with the outputs in it, and what a reader sees of them."""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Callable
from html import escape, unescape
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from material.plugins.search.plugin import Parser as SearchParser

from same_device_site.settings import parse_page
from samedevice.outputs.environments import Environment
from samedevice.outputs.output import Figure, Output, Raised
from samedevice.pages.page import Page
from samedevice.weaving.copies import copies
from samedevice.weaving.panes import ShownOutput
from samedevice.weaving.weave import error_page, weave

SAMPLES = Path(__file__).parents[1].joinpath("samples") / "weave"
CPU = Environment("cpu", "EPYC 9B14", "2.13.0+cpu", "3.11.7", "", "2026-11-21")
CUDA = Environment("cuda", "NVIDIA H200", "2.13.0+cu130", "3.11.7", "580.95.05", "2026-11-20")
MPS = Environment("mps", "Apple M4", "2.13.0", "3.11.7", "", "2026-11-19")
FENCE = re.compile(r"^(?P<prefix>[> ]*)``` samedevice\n(?P=prefix)(?P<body>.*)\n(?P=prefix)```$", re.M)

Write = Callable[..., Page]
Render = Callable[[str], str]


def readable(woven: str) -> str:
    """Woven Markdown with each output's HTML in place of its base64, one element a line."""
    return FENCE.sub(lambda match: match["prefix"] + opened(match["body"], match["prefix"]), woven)


def opened(body: str, prefix: str) -> str:
    html = base64.b64decode(body).decode()
    if html.startswith("{"):
        return opened_code(json.loads(html), prefix)
    return re.sub(r"(?<=>)(?=<(?:div|p|pre|figure|button)\b)", f"\n{prefix}", html)


def opened_code(held: dict[str, Any], prefix: str) -> str:
    """A block as it would stand in Markdown that nothing else touches."""
    mark = "````" if "```" in held["source"] else "```"
    attributes = [f'{key}="{value}"' for key, value in (held["options"] | held["data"]).items()]
    lines = [f"{mark} {{ {' '.join(['.' + held['language'], *attributes])} }}", *held["source"].split("\n"), mark]
    return "\n".join(f"{prefix}{line}".rstrip() for line in lines).removeprefix(prefix)


def cpu(output: Output, note: str = "", wrong: bool = False) -> ShownOutput:
    return ShownOutput("cpu", output, CPU, note, wrong)


def cuda(output: Output, note: str = "", wrong: bool = False) -> ShownOutput:
    return ShownOutput("cuda", output, CUDA, note, wrong)


def nothing(device: str, note: str, wrong: bool = False) -> ShownOutput:
    return ShownOutput(device, None, None, note, wrong)


def test_a_page_and_its_outputs_become_one_markdown() -> None:
    """The pair of before.md and after.md shows all of it; open them side by side."""
    page = parse_page(SAMPLES / "before.md", SAMPLES.parent)
    svg = '<svg width="20pt" height="10pt" viewBox="0 0 20 10"><path id="a" d="M 0 0"/><use href="#a"/></svg>'
    shown = {
        0: [cpu(Output(value="tensor(3.)")), cuda(Output(value="tensor(3.)"))],
        1: [cpu(Output(value="tensor([1., 2.])")), cuda(Output(value="tensor([1., 2.], device='cuda:0')"))],
        2: [cpu(Output()), cuda(Output())],
        3: [nothing("cuda", "Needs CUDA; not recorded yet.")],
        4: [cpu(Output(value="tensor(1.5)")), nothing("cuda", "Recorded on 2026-11-20 for earlier code.")],
        5: [cpu(Output(value="tensor([2., 4.])")), cuda(Output(raised=Raised("RuntimeError", "two devices")))],
        6: [cpu(Output("1\n"), "docs/before.md:51 on cpu: not what was recorded", wrong=True)],
        7: [cpu(Output("drawn\n", figures=(Figure(svg, "A rising line."),)))],
    }
    assert readable(weave(page, shown, copies(page, shown))) == (SAMPLES / "after.md").read_text(encoding="utf-8")


def test_a_page_without_blocks_is_not_changed(write: Write) -> None:
    """Woven text is what MkDocs renders."""
    text = "---\na: b\n---\n\n# Title\n\n```text\nno\n```\n"
    assert weave(write(text), {}, {}) == text


def test_a_block_without_anything_to_show_has_no_frame(write: Write, render: Render) -> None:
    """A block of imports prints nothing anywhere."""
    page = write("```python\nimport torch\n```\n")
    assert "sd-out" not in render(weave(page, {0: [cpu(Output()), cuda(Output())]}, {}))


def woven(write: Write, render: Render, *shown: ShownOutput, text: str = "```python\nx\n```\n") -> str:
    """The HTML of a page of one block under which these stand."""
    return render(weave(write(text), {0: list(shown)}, {}))


class Seen(HTMLParser):
    """What a reader sees of a page: the text of each `pre`, of each `mark`, and the names of all elements."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.texts: dict[str, list[str]] = {"pre": [], "mark": [], "button": []}
        self.open: list[str] = []
        self.elements: set[str] = set()
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: object) -> None:
        self.elements.add(tag)
        if tag in self.texts:
            self.open.append(tag)
            self.texts[tag].append("")

    def handle_endtag(self, tag: str) -> None:
        if self.open and self.open[-1] == tag:
            self.open.pop()

    def handle_data(self, data: str) -> None:
        for tag in self.open:
            self.texts[tag][-1] += data


NASTY = [
    "`one` ``two`` ```three```\n```python\nx\n```",
    "<script>alert(1)</script> <b>bold</b> &amp; &lt; <!-- comment -->",
    "# Title\n\n- list\n\n> quote\n\n**bold** _it_ [a](http://b) ![c](d) | t | a |\n|---|---|",
    "{{ variable }} {% block %} {# comment #} ${x}",
    "    four blanks\n\n\n\n   and blank lines   ",
    "\\begin{x} $a$ \\(b\\) \\[c\\] \\* \\`",
    "</pre></div></body>",
    "\"quotes\" and 'apostrophes' {: .class #id } { .annotate }",
    "!!! note\n    text\n\n??? x\n\n=== \"Tab\"\n\n--8<-- 'file'\n[TOC]\n[^1]: x\n*[HTML]: x",
    ":smile: :material-check: ++ctrl+c++ ==mark== ~~del~~ (c) --> ... 1/2",
    "a\u2028b \u200b é 日本 🙂",
    "\twith a tab",
]


@pytest.mark.parametrize("text", NASTY, ids=lambda text: repr(text)[:24])
@pytest.mark.parametrize("prefix", ["", "    ", "> "], ids=["plain", "list", "quote"])
def test_output_is_shown_literally(write: Write, render: Render, text: str, prefix: str) -> None:
    """A reader must see what was printed, character by character, and nothing of it may act on the page."""
    before = "- item\n\n" if prefix == "    " else ""
    page = before + "".join(f"{prefix}{line}\n" for line in ("```python", "x", "```"))
    html = woven(write, render, cpu(Output(text)), text=page)
    seen = Seen(html)
    assert seen.texts["pre"] == ["x\n", text.rstrip("\n")]
    assert not seen.elements & {"script", "b", "strong", "em", "h1", "table", "img"}


@pytest.mark.parametrize("text", NASTY, ids=lambda text: repr(text)[:24])
def test_output_that_differs_is_shown_literally_too(write: Write, render: Render, text: str) -> None:
    """Marks are put into it, and must not change a character of it."""
    seen = Seen(woven(write, render, cpu(Output(text)), cuda(Output(f"{text} <i>on</i> cuda"))))
    assert seen.texts["pre"][1:] == [text, f"{text} <i>on</i> cuda"]
    assert "i" not in seen.elements


def test_a_note_is_shown_literally(write: Write, render: Render) -> None:
    """It holds the code and the difference."""
    html = woven(write, render, cpu(Output("1"), "wrong: <script>x</script> `{{ y }}`", wrong=True))
    assert "wrong: &lt;script&gt;x&lt;/script&gt; `{{ y }}`" in html
    assert "sd-wrong" in html


def test_devices_that_agree_share_one_output(write: Write, render: Render) -> None:
    """Where nothing differs there is nothing to choose."""
    html = woven(
        write, render, cpu(Output("same\n")), cuda(Output("same\n")), ShownOutput("mps", Output("same\n"), MPS)
    )
    assert html.count("<pre class=") == 1
    assert "CPU and CUDA and MPS" in html
    for origin in (
        "EPYC 9B14, PyTorch 2.13.0+cpu, Python 3.11.7, 2026-11-21",
        "NVIDIA H200, PyTorch 2.13.0+cu130, ",
        "Apple M4",
    ):
        assert origin in html
    assert Seen(html).texts["button"] == []


def test_devices_that_differ_have_a_switch_and_marks(write: Write, render: Render) -> None:
    """The difference is what the page is about, and must be seen at a glance."""
    outputs = [
        cpu(Output("on cpu\nsame\n")),
        cuda(Output("on cuda\nsame\n")),
        ShownOutput("mps", Output("on cpu\nsame\n"), MPS),
    ]
    seen = Seen(woven(write, render, *outputs))
    assert seen.texts["button"] == ["CPU and MPS (M4)", "CUDA (H200)"]
    assert seen.texts["mark"] == ["cpu", "cuda"]


def test_devices_that_are_compared_stand_beside_each_other_without_a_switch(write: Write, render: Render) -> None:
    """The home page shows both at once; whichever is chosen, both can be read."""
    outputs = {0: [cpu(Output("on cpu\n")), cuda(Output("on cuda\n"))]}
    html = render(weave(write('```python compare="cuda"\nx\n```\n'), outputs, {}))
    assert 'class="sd-out sd-beside" data-devices="cpu cuda" id="' in html
    assert Seen(html).texts["button"] == []
    assert Seen(html).texts["mark"] == ["cpu", "cuda"]


def test_outputs_of_very_many_pieces_are_not_marked(write: Write, render: Render) -> None:
    """To compare each with each took 14 seconds a block, and a recording of somebody else may hold such outputs."""
    seen = Seen(woven(write, render, cpu(Output("1" + "\na\nb" * 4_000)), cuda(Output("2" + "\na\nb" * 4_000))))
    assert len(seen.texts["pre"]) == 3
    assert seen.texts["mark"] == []


def test_a_difference_of_whole_lines_is_marked_line_by_line(write: Write, render: Render) -> None:
    """A mark over several lines would colour the blanks before and after them too."""
    seen = Seen(woven(write, render, cpu(Output("a\nb\nc\nz")), cuda(Output("a\nz"))))
    assert seen.texts["mark"] == ["b", "c"]


@pytest.mark.parametrize(("length", "wraps"), [(100, False), (101, True)])
def test_a_long_message_is_wrapped_and_a_tensor_is_not(write: Write, length: int, wraps: bool) -> None:
    """Whoever came for the message should see all of it; a tensor's columns must stay under each other."""
    page = write("```python\n1\n```\n")
    html = readable(weave(page, {0: [cpu(Output("short\n" + "x" * length))]}, {}))
    assert ("data-wrap" in html) == wraps


def test_a_long_difference_is_found_in_time(write: Write, render: Render) -> None:
    """Comparing two long outputs word by word would take minutes."""
    one, other = ("\n".join(f"{device} line {n}" for n in range(1_000)) for device in ("cpu", "cuda"))
    assert len(Seen(woven(write, render, cpu(Output(one)), cuda(Output(other)))).texts["pre"]) == 3


def test_an_origin_names_versions_and_driver(write: Write, render: Render) -> None:
    """The line is short; the rest is there for those who look for it."""
    html = woven(write, render, cuda(Output("1")))
    assert '<summary><span class="sd-label">CUDA (H200) · PyTorch 2.13</span></summary>' in html
    assert "<p>NVIDIA H200, PyTorch 2.13.0+cu130, Python 3.11.7, driver 580.95.05, 2026-11-20</p>" in html


def test_no_origin_stands_beside_an_output_that_is_not_there(write: Write, render: Render) -> None:
    """A device that never ran the block printed nothing."""
    html = woven(write, render, cpu(Output("1")), nothing("cuda", "Needs CUDA; not recorded yet."))
    assert "Needs CUDA; not recorded yet." in html
    assert html.count("<details") == 1


SVG = (
    '<svg width="20pt" height="10pt"><defs><clipPath id="p1"/></defs>'
    '<g clip-path="url(#p1)"><use xlink:href="#p1"/></g></svg>'
)


def test_the_ids_of_a_figure_are_its_own(write: Write, render: Render) -> None:
    """Two figures on a page use the same ids; the browser would draw both with the first one's."""
    page = write("```python\nx\n```\n\n```python\ny\n```\n")
    twice = Output(figures=(Figure(SVG, "One."), Figure(SVG, "Two.")))
    html = render(weave(page, {0: [cpu(twice), cuda(Output("none"))], 1: [cpu(twice)]}, {}))
    ids = re.findall(r'\bid="([^"]*p1)"', html)
    assert len(ids) == len(set(ids)) == 4
    for one in ids:
        assert f'clip-path="url(#{one})"' in html
        assert f'xlink:href="#{one}"' in html


def test_a_figure_has_its_text_alternative(write: Write, render: Render) -> None:
    """A picture without one says nothing to those who cannot see it."""
    text = "```python alt='A \"rising\" <line>.'\nx\n```\n"
    html = woven(write, render, cpu(Output(figures=(Figure(SVG, "An older text."),))), text=text)
    assert f'<svg role="img" aria-label="{escape("A " + chr(34) + "rising" + chr(34) + " <line>.")}"' in html


def test_a_text_in_a_figure_that_looks_like_a_reference_stays(write: Write, render: Render) -> None:
    """Only tags refer to something."""
    svg = '<svg><text>url(#a) id="b" href="#c"</text></svg>'
    assert '>url(#a) id="b" href="#c"</text>' in woven(write, render, cpu(Output(figures=(Figure(svg, "A text."),))))


def test_a_figure_that_acts_is_not_woven(write: Write, render: Render) -> None:
    """Recordings are checked when they are loaded; no other way may lead onto the page either."""
    html = woven(write, render, cpu(Output(figures=(Figure('<svg><g onload="alert(1)"/></svg>', "A line."),))))
    assert "<svg" not in html
    assert "<g" not in html
    assert "its figure holds" in html


def test_options_of_ours_do_not_reach_the_renderer(write: Write, render: Render) -> None:
    """An option that it does not know makes it show the fence as text; one that it knows has to reach it."""
    options = 'needs="cpu" raises="cuda: RuntimeError" numbers="vary" alt="x" title="A title" hl_lines="1"'
    page = write(f"```python {options}\nx\n```\n")
    html = render(weave(page, {}, copies(page, {})))
    assert Seen(html).texts["pre"] == ["x\n"]
    assert '<span class="filename">A title</span>' in html
    assert 'class="hll"' in html


@pytest.mark.parametrize("title", ['It says "hello"', "It's", "a < b & c", "braces {x} and # . ="])
def test_a_title_is_shown_as_it_was_written(write: Write, render: Render, title: str) -> None:
    """It may hold what stands for something else in an attribute."""
    quote = "'" if '"' in title else '"'
    page = write(f"```python title={quote}{title}{quote}\nx\n```\n")
    html = render(weave(page, {}, copies(page, {})))
    assert [unescape(found) for found in re.findall(r'<span class="filename">(.*?)</span>', html)] == [title]


@pytest.mark.parametrize(
    "text",
    [
        "````python title='It says \"hello\"'\nx\n````\n",
        "```python\nx = '''\n  ````\n'''\n```\n",
        "~~~~python\nx = '~~~'\n~~~~\n",
        "- a\n\n    ```python\n    if 1:\n\n        x\n    ```\n",
        "> ```python\n> x\n>\n> y\n> ```\n",
        "- a\n\n\t```python\n\tif 1:\n\t\tx\n\t```\n",
    ],
    ids=["quotes in the title", "backticks in the code", "tildes", "list", "quote", "tabs"],
)
def test_code_is_rendered_the_same_after_weaving(
    write: Write, render: Render, code_blocks: Callable[[str], list[tuple[str, str]]], text: str
) -> None:
    """Writing the fence back must not change what a reader copies."""
    before = [(lang.removesuffix("3"), code) for lang, code in code_blocks(render(text))]
    page = write(text)
    assert [block.code.strip() for block in page.blocks] == [code.strip() for _, code in before]
    assert code_blocks(render(weave(page, {0: []}, {}))) == before


def test_the_code_of_a_file_is_shown_with_its_name(write: Write, render: Render, root: Path) -> None:
    """A reader wants to find it in the repository."""
    (root / "snippets").mkdir()
    (root / "snippets/x.py").write_text("print(1)\n")
    html = render(weave(write('```python file="snippets/x.py"\n```\n'), {}, {}))
    assert Seen(html).texts["pre"] == ["print(1)\n"]
    assert ">snippets/x.py<" in html


def test_a_page_that_cannot_be_read_shows_why(render: Render) -> None:
    """Serving goes on; the author sees the message where the page would be."""
    html = render(error_page(['docs/page.md:3: needs="<cud>" names no device', "docs/page.md:5: another"]))
    assert 'docs/page.md:3: needs="&lt;cud&gt;" names no device' in html
    assert "docs/page.md:5: another" in html


def test_the_search_finds_outputs_and_not_their_labels(write: Write, render: Render) -> None:
    """Each output has labels that name machines and versions, and buttons: found, they would bury what was printed."""
    page = write('# Title\n\n```python\nx\n```\n\n```python\ny\n```\n\n```python needs="mps"\nz\n```\n')
    shown = {
        0: [cpu(Output(value="first")), cuda(Output(value="second"))],
        1: [cpu(Output())],
        2: [nothing("mps", "Needs MPS")],
    }
    search = SearchParser()
    search.feed(render(weave(page, shown, copies(page, shown))))
    text = " ".join("".join(section.text) for section in search.data)
    assert re.sub(r"<[^>]*>", " ", text).split() == ["x", "first", "second", "y", "z"]
