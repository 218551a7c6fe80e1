"""Completeness: a page shows exactly the blocks that are run, or is an error, whatever Markdown makes of it."""

from __future__ import annotations

import html
import itertools
import json
import os
import random
import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from markdown import Markdown
from mkdocs.config import load_config

from same_device_site.settings import parse_page
from samedevice.errors import PageError
from samedevice.integration.extension import prepare
from samedevice.outputs.environments import Environment
from samedevice.outputs.output import Output
from samedevice.pages.options import PYTHON
from samedevice.pages.page import Page
from samedevice.project import Settings
from samedevice.weaving.completeness import check_shown
from samedevice.weaving.copies import Copy
from samedevice.weaving.panes import ShownOutput
from samedevice.weaving.weave import weave, woven_outputs

HERE = Path(__file__).parents[1]
WHOLE = bool(os.environ.get("SAMEDEVICE_FAULTS"))
ROUNDS = 500 if WHOLE else 25
"""Made-up pages of each of eight parts; `make faults` asks for 4,000 of them."""
EXAMPLES = json.loads((HERE / "samples/commonmark/fences.json").read_text(encoding="utf-8"))
CPU = Environment("cpu", "EPYC 9B14", "2.13.0+cpu", "3.11.7", "", "2026-11-21")
MORE = {"pymdownx.tabbed": {"alternate_style": True}, "md_in_html": {}, "footnotes": {}}
"""Extensions that other sites use, beside those of ours."""

Render = Callable[[str], str]
CodeBlocks = Callable[[str], list[tuple[str, str]]]
Write = Callable[..., Page]


@pytest.fixture(scope="session")
def render_more(tmp_path_factory: pytest.TempPathFactory) -> Render:
    """Renders Markdown as other sites do: with tabs, footnotes, Markdown in HTML, and a file to include."""
    folder = tmp_path_factory.mktemp("included")
    (folder / "code.md").write_text("```python\nincluded = 1\n```\n", encoding="utf-8")
    (folder / "line.txt").write_text("included\n", encoding="utf-8")
    config = load_config(str(HERE.parent / "mkdocs.yml"))
    options = {name: dict(given) for name, given in config.mdx_configs.items()} | MORE
    options["pymdownx.highlight"] = {"pygments_lang_class": True}
    options["pymdownx.snippets"] = {"base_path": [str(folder)]}
    markdown = Markdown(extensions=[*config.markdown_extensions, *MORE], extension_configs=options)
    prepare(markdown)
    return lambda text: str(markdown.reset().convert(text))


def outputs(page: Page) -> dict[int, list[ShownOutput]]:
    """An output of its own for each block."""
    return {block.index: [ShownOutput("cpu", Output(f"output {block.index}"), CPU)] for block in page.blocks}


def complaint(page: Page, render: Render) -> str:
    """What is wrong with the page as rendered; empty if nothing is."""
    woven = weave(page, outputs(page), {block.index: Copy(block.index, (), "", "", "", ()) for block in page.blocks})
    try:
        check_shown(page, woven_outputs(woven), render(woven))
    except PageError as error:
        return str(error)
    return ""


def differs(root: Path, text: str, render: Render, code_blocks: CodeBlocks) -> bool:
    """Whether a page is refused; one that is not must show what it runs, and nothing else that looks like it."""
    try:
        page = parse_page(root / "docs/page.md", root, text)
    except PageError:
        return True
    if complaint(page, render):
        return True
    html = render(weave(page, outputs(page), {}))
    shown = [code for language, code in code_blocks(html) if language in (*PYTHON, "console")]
    assert sorted(plain(shown)) == sorted(plain([block.code for block in page.blocks])), text  # footnotes come last
    assert [html.count(f">output {block.index}<") for block in page.blocks] == [1] * len(page.blocks), text
    return False


def plain(bodies: list[str]) -> list[str]:
    """Bodies of code blocks without what Markdown does not keep: blanks at line ends, blank lines around, tabs."""
    lines = (body.expandtabs(4).strip("\n").split("\n") for body in bodies)
    return ["\n".join(line.rstrip() for line in body) for body in lines]


FENCE = "```python\nx = 1\n```\n"


def placed(markdown: str) -> Iterator[str]:
    """A text with a fence before it, after it, and within it at each of its lines, deeper and deeper."""
    lines = markdown.splitlines(True)
    for gap in ("", "\n"):
        yield FENCE + gap + markdown
        yield markdown + gap + FENCE
        for at, depth in itertools.product(range(1, len(lines)), (0, 2, 4, 8)):
            fence = "".join(" " * depth + line for line in FENCE.splitlines(True))
            yield "".join([*lines[:at], gap, fence, gap, *lines[at:]])


@pytest.mark.parametrize("example", EXAMPLES if WHOLE else EXAMPLES[::8], ids=lambda example: example["example"])
def test_a_fence_around_or_within_an_example_of_commonmark_is_shown_and_run_or_refused(
    root: Path, render: Render, code_blocks: CodeBlocks, example: dict[str, str]
) -> None:
    """These are the corners of Markdown; no author knows all of them."""
    for text in placed(example["markdown"]):
        differs(root, text, render, code_blocks)


@pytest.mark.parametrize("part", range(8))
def test_a_made_up_page_is_shown_as_it_is_run_or_refused(
    root: Path, render: Render, render_more: Render, code_blocks: CodeBlocks, part: int
) -> None:
    """Lists, boxes, tabs, HTML, includes, definitions, comments, and what authors do to them."""
    refused = 0
    for seed in range(ROUNDS * part, ROUNDS * (part + 1)):
        refused += differs(root, made_up(seed), (render, render_more)[part % 2], code_blocks)
    assert refused < ROUNDS * 0.9


STARTS = ["- item", "1. item", "- - item", "1. - item", "> quote", "!!! note", '=== "Tab"', "??? more", ": meaning"]
STARTS += ["<div>", "<details>", "<details markdown>", "<style>", "<!--", "[^1]: note", "[a]: http://b", "*[A]: b"]
ENDS = ["</div>", "</details>", "</style>", "-->", "---", "# Heading", "text", "", "", ""]
INCLUDES = ['--8<-- "code.md"', '--8<-- "line.txt"', "--8<--", "x = '''\n--8<-- \"line.txt\"\n'''"]


def made_up(seed: int) -> str:
    """A page of fences in, below and beside things that Markdown gives a meaning, the same one for the same seed."""
    chance, lines = random.Random(seed), []
    for number in range(chance.randint(2, 6)):
        depth = " " * chance.choice([0, 0, 0, 2, 4, 4, 8])
        lines += chance.choices([[depth + chance.choice(STARTS)], [chance.choice(ENDS)], [""]], [5, 3, 3])[0]
        if chance.random() < 0.7:
            body = chance.choice([f"x = {number}", f"x = '{number}   '", chance.choice(INCLUDES)]).split("\n")
            info = chance.choice(["python", "python", "text", 'py title="a"'])
            lines += [""] * chance.randint(0, 1) + [depth + line for line in (f"```{info}", *body, "```")]
        elif chance.random() < 0.2:
            lines.append(chance.choice(INCLUDES))
    return "\n".join(lines) + "\n"


@pytest.mark.parametrize(
    "code",
    [
        "x = '''\n--8<-- \"line.txt\"\n'''",
        "x = '''\n--8<--\n'''\ny = 1",
        "x = '''ends in blanks   \n'''",
        "x = '</code></pre><script>alert(1)</script>'",
        "# *[HTML]: x\n\n[TOC]\n\n!!! note\n\n    text {: .class }",
        "x = '\\x0c \u2028 \ufeff'",
        "x = '`' * 3 + '''\n```\n'''",
    ],
)
@pytest.mark.parametrize("prefix", ["", "    ", "> "], ids=["plain", "list", "quote"])
def test_no_extension_changes_code(
    write: Write, render_more: Render, code_blocks: CodeBlocks, prefix: str, code: str
) -> None:
    """A reader must be able to copy what was run, character by character."""
    lines = ["````python", *code.split("\n"), "````"]
    page = write(("- item\n\n" if prefix == "    " else "") + "".join(f"{prefix}{line}\n" for line in lines))
    woven = weave(page, outputs(page), {})
    assert complaint(page, render_more) == ""
    assert [text for language, text in code_blocks(render_more(woven)) if language == "python"] == [f"{code}\n"]


@pytest.mark.parametrize("start", ['=== "Tab"', '===+ "Chosen"', '===! "Another row"', '- item\n\n    === "Tab"'])
def test_code_in_a_tab_is_run_and_shown(write: Write, render: Render, render_more: Render, start: str) -> None:
    """Tabs hold the ways to do one thing. Where the site has no tabs, Markdown shows the fence as text: an error."""
    depth = "        " if "item" in start else "    "
    page = write(f"{start}\n\n" + "".join(depth + line for line in FENCE.splitlines(True)))
    assert [block.code for block in page.blocks] == ["x = 1\n"]
    assert complaint(page, render_more) == ""
    assert "this block is run, but the page does not show it as code" in complaint(page, render)


ANNOTATED = {
    "one after the other": "1. The first.\n2. The second.\n",
    "with more": "1.  The first:\n\n    ```text\n    more\n    ```\n\n2.  The\nsecond.\n",
}


@pytest.mark.parametrize("notes", ANNOTATED.values(), ids=ANNOTATED.keys())
@pytest.mark.parametrize("prefix", ["", "    "], ids=["plain", "list"])
def test_the_list_of_annotations_is_right_below_its_code(write: Write, render: Render, prefix: str, notes: str) -> None:
    """Material finds it nowhere else, and the marks in the code would say nothing; the output comes after it."""
    text = f"```python\nx = 1  # (1)!\nx  # (2)\n```\n\n{notes}\nText.\n\n1. Another list.\n"
    page = write(("- item\n\n" if prefix else "") + "".join(prefix + line for line in text.splitlines(True)))
    woven = weave(page, outputs(page), {})
    assert complaint(page, render) == ""
    order = re.findall(r"<ol>|second\.|output 0|Text\.|Another list", render(woven))
    assert order == ["<ol>", "second.", "output 0", "Text.", "<ol>", "Another list"]


def test_annotations_end_with_the_box_that_they_are_in(write: Write, render: Render) -> None:
    """What follows the box is indented, too, if the box is in a list."""
    page = write(
        "- item\n\n    !!! note\n\n        ```python\n        x  # (1)\n        ```\n\n        1. It.\n\n    Text.\n"
    )
    assert complaint(page, render) == ""
    assert re.findall("It|output 0|Text", render(weave(page, outputs(page), {}))) == ["It", "output 0", "Text"]


def test_a_list_of_annotations_that_holds_a_block_stays_whole(write: Write, render: Render) -> None:
    """An output in the middle of the list would end it, and the block in it would be text."""
    page = write("```python\nx = 1  # (1)!\n```\n\n1. Also:\n\n    ```python\n    y = 2\n    ```\n")
    assert complaint(page, render) == ""


def test_a_list_below_code_without_marks_comes_after_the_output(write: Write, render: Render) -> None:
    """It is about what was printed."""
    page = write(f"{FENCE}\n1. A list.\n")
    assert re.findall("output 0|A list", render(weave(page, outputs(page), {}))) == ["output 0", "A list"]


def test_code_that_arrives_by_an_include_is_an_error(write: Write, render_more: Render) -> None:
    """The engine never sees it, so nothing runs it."""
    found = complaint(write('Text.\n\n--8<-- "code.md"\n'), render_more)
    assert found.startswith('docs/page.md:1: the page shows "included = 1" as python, and nothing runs it; ')


def test_code_in_the_html_of_a_page_is_an_error(write: Write, render: Render) -> None:
    """It looks like code that was run."""
    found = complaint(write('Text.\n\n<pre><code class="language-python">y = 2</code></pre>\n'), render)
    assert found.startswith('docs/page.md:3: the page shows "')
    assert "y = 2" in found


GENERATED = {
    "a signature": '<div class="language-python highlight"><pre><code>area(side: float) -> float</code></pre></div>',
    "an include": '<div class="language-python highlight"><pre><code>included = 1</code></pre></div>',
}


@pytest.mark.parametrize("html", GENERATED.values(), ids=GENERATED.keys())
def test_code_that_others_made_is_theirs(write: Write, html: str) -> None:
    """mkdocstrings highlights signatures that nobody wrote; this site alone lets nothing pass."""
    page = write("# Page\n\nThe area.\n")
    check_shown(replace(page, settings=Settings()), [], html)
    with pytest.raises(PageError, match="nothing runs it"):
        check_shown(replace(page, settings=Settings(console=True)), [], html)


def test_code_of_the_page_that_nothing_runs_is_an_error_in_every_project(write: Write) -> None:
    """A reader takes it for code that was run; the fence is indented as other code is."""
    page = Page("docs/page.md", "# Page\n\n> - ```python\n>   y = 2\n\n>   z = 3\n", (), Settings())
    html = '<div class="language-python highlight"><pre><code>y = 2\nz = 3\n</code></pre></div>'
    with pytest.raises(PageError, match=r"^docs/page\.md:3: .* nothing runs it"):
        check_shown(page, [], html)


@pytest.mark.parametrize("element", ["svg", "math", "noscript"])
def test_code_that_a_browser_may_show_is_an_error(write: Write, element: str) -> None:
    """HTML in a drawing or a formula ends it, and readers without scripts see what is in noscript."""
    html = f'<{element}><div class="language-python highlight"><pre><code>y = 2</code></pre></div></{element}>'
    with pytest.raises(PageError, match="nothing runs it"):
        check_shown(write("# Page\n"), [], html)


HIDDEN = [
    *(
        f"<{name}>"
        for name in "plaintext xmp noembed noframes select title math noscript template dialog video".split()
    ),
    "<plaintext></plaintext>",
    "<xmp><select></xmp>",
    "<template><select></template>",
    "<select><p></p>",
    "<audio><div></audio>",
    "<svg><desc><div></svg>",
    "<body hidden>",
    "<div popover>",
]
NOT_SHOWN = {
    "below a heading": "# Title\n    ```python\n    x = 1\n    ```\n",
    "in a comment": "<div><!--\n```python\nx = 1\n```\n-- ></div>\n",
    "in a style": "<style>\n```python\nx = 1\n```\n</style>\n",
    **{f"in {start}": f"{start}\n```python\nx = 1\n```\n" for start in HIDDEN},
    **{f"in {start}, ended by another": f"<div>{start}</div>\n```python\nx = 1\n```\n" for start in HIDDEN[:-1]},
}


@pytest.mark.parametrize("text", NOT_SHOWN.values(), ids=NOT_SHOWN.keys())
def test_a_block_that_is_run_and_not_shown_as_code_is_an_error_at_its_line(
    write: Write, render: Render, text: str
) -> None:
    """Its output would belong to nothing."""
    found = complaint(write(text), render)
    assert found.startswith("docs/page.md:2: this block is run, but the page does not show it as code; ")


def test_a_block_far_right_of_the_text_above_it_is_an_error_that_says_so(write: Write, render: Render) -> None:
    """Markdown shows its code, and takes its output for more of the paragraph."""
    found = complaint(write("Text.\n    ```python\n    x = 1\n    ```\n"), render)
    assert found.startswith("docs/page.md:2: the page does not show the output")
    assert "indent its fence no deeper than the text" in found


def test_a_block_in_a_comment_without_an_end_is_an_error(write: Write, render: Render) -> None:
    """A browser hides the rest of the page, and Python's parser of HTML does not."""
    found = complaint(write("<details>\n<!--\n```text\n```\n```python\nx = 1\n```\n"), render)
    assert found.startswith("docs/page.md:5: this block is run, but the page does not show it as code; ")


def test_what_a_plugin_does_to_a_page_is_an_error(write: Write, render: Render) -> None:
    """A block that is lost, shown twice or changed, and an output that is lost, shown twice or changed."""
    page = write(f"{FENCE}\nText.\n\n{FENCE.replace('1', '2')}")
    woven = weave(page, outputs(page), {})
    html, expected = render(woven), woven_outputs(woven)
    check_shown(page, expected, html)
    for spoilt, told in {
        html.replace('data-block="1"', 'class="x"'): "this block is run, but the page does not show it",
        html + html: "the page shows this block 2 times",
        re.sub('<div (?=[^>]*data-block="1")', '<p title="<div ', html): "the page does not show it",
        html.replace(">2<", ">3<"): "the page shows other code than what is run",
        html.replace("output 1", "output one"): "the page does not show the output",
    }.items():
        with pytest.raises(PageError) as caught:
            check_shown(page, expected, spoilt)
        assert told in str(caught.value)


def test_what_hides_and_is_ended_before_a_block_hides_nothing(write: Write, render: Render) -> None:
    """Pages draw icons, and other sites ask for choices."""
    ended = "<svg><title>x</title><path d=''/></svg><select><option>a</option></select><template></template>"
    assert complaint(write(f"<div>{ended}</div>\n\n{FENCE}\n<p hidden>x</p>\n\n{FENCE}"), render) == ""


def test_an_output_is_below_its_folded_code(write: Write, render: Render) -> None:
    """As below any other: the page says that the code above printed it. The box of the code does not hold it."""
    page = write('```python fold="Plotting code"\nx = 1\n```\n')
    html = render(weave(page, outputs(page), {}))
    assert html.index("Plotting code") < html.index("</details>") < html.index("sd-out")


@pytest.mark.parametrize("title", ["a <b> & *c* `d`", "_e_ [f](g) {{ h }}", "on_two: run it", "&lt; \\* ~~i~~", "1. j"])
def test_the_title_of_folded_code_is_text(write: Write, render: Render, title: str) -> None:
    """As `title=` is."""
    page = write(f'```python fold="{title}"\nx = 1\n```\n')
    assert complaint(page, render) == ""
    found, *_ = re.findall("<summary>(.*?)</summary>", render(weave(page, outputs(page), {})))
    assert html.unescape(found) == title


def test_a_page_without_code_is_complete(write: Write, render: Render) -> None:
    """Text in other languages is shown only."""
    assert complaint(write("# Title\n\n```text\nx\n```\n\n```json\n{}\n```\n"), render) == ""
