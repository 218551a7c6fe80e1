"""Which fences of a page are code: what the engine finds is what the site's Markdown renders."""

from __future__ import annotations

import contextlib
import itertools
import json
import os
import random
import textwrap
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from mkdocs.utils.meta import get_data

from same_device_site.settings import SETTINGS
from samedevice.errors import PageError
from samedevice.pages.fences import find_fences
from samedevice.pages.options import PYTHON, read_info

SAMPLES = sorted(Path(__file__).parents[1].joinpath("samples").joinpath("fences").glob("*.md"))
RUN = (*PYTHON, "console")
ROUNDS = 220 if os.environ.get("SAMEDEVICE_FAULTS") else 30
"""Made-up pages for each part of a test; `make faults` asks for 2,200 of each kind."""

Render = Callable[[str], str]
CodeBlocks = Callable[[str], list[tuple[str, str]]]


def found_by_engine(text: str) -> list[str]:
    """The bodies of the fences that the engine takes for code to run."""
    fences = find_fences(text, "docs/page.md")
    return [fence.body.strip("\n") for fence in fences if read_info(fence, "docs/page.md", SETTINGS)[0] in RUN]


def found_in_html(html: str, code_blocks: CodeBlocks) -> list[str]:
    """The texts of the code blocks in a language that is run."""
    return [text.strip("\n") for language, text in code_blocks(html) if language in RUN]


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda sample: sample.stem)
def test_code_is_what_the_site_renders_as_code(sample: Path, render: Render, code_blocks: CodeBlocks) -> None:
    """A block that is shown but not run would be an untested claim; one that is run but not shown a riddle."""
    text = sample.read_text(encoding="utf-8")
    assert found_by_engine(text) == found_in_html(render(get_data(text)[0]), code_blocks)


EXAMPLES = json.loads(
    Path(__file__).parents[1].joinpath("samples").joinpath("commonmark/fences.json").read_text(encoding="utf-8")
)


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example["example"])
def test_the_examples_of_commonmark_are_read_as_the_site_renders_them(
    example: dict[str, str], render: Render, code_blocks: CodeBlocks
) -> None:
    """Where the site's Markdown shows a fence as text, as it does with many of these, the page is refused."""
    text = example["markdown"]
    blocks = [body for _, body in code_blocks(render(text))]
    shown = [body for body in blocks if "```" not in body or textwrap.indent(body, "    ") not in text]  # else indented
    try:
        fences = find_fences(text, "docs/page.md")
        found = [fence.body for fence in fences if read_info(fence, "docs/page.md", SETTINGS)]
    except PageError:
        found = []
    assert plain(found) == plain(shown)


def plain(bodies: list[str]) -> list[str]:
    """Bodies of code blocks without what Markdown does not keep: blanks at line ends, blank lines around, tabs."""
    lines = (body.expandtabs(4).strip("\n").split("\n") for body in bodies)
    return ["\n".join(line.rstrip() for line in body) for body in lines]


@pytest.mark.parametrize("part", range(10))
def test_a_heap_of_lines_is_refused_or_read_as_the_site_renders_it(
    part: int, render: Render, code_blocks: CodeBlocks
) -> None:
    """Containers that end too early, or begin where none can: authors make such mistakes, and see nothing of them."""
    read = 0
    for seed in range(ROUNDS * part, ROUNDS * (part + 1)):
        text = heap(seed)
        with contextlib.suppress(PageError):
            found = plain(found_by_engine(text))
            assert found == plain(found_in_html(render(text), code_blocks)), f"seed {seed}:\n{text}"
            read += 1
    assert read > ROUNDS / 2


def heap(seed: int) -> str:
    """Lines of text, blank lines, fences and beginnings of containers at any place and depth."""
    chance, lines, prefix = random.Random(seed), [], ""
    for _ in range(chance.randint(3, 14)):
        prefix = chance.choice(PREFIXES) if chance.random() < 0.5 else prefix
        what = chance.random()
        if what < 0.4:
            mark = chance.choice(["```", "````", "~~~", "~~~~"])
            body = [f"x{chance.randint(0, 99)}" for _ in range(chance.randint(1, 3))]
            info = chance.choice(["", "python", ' python title="a"', "text"])
            lines += [prefix + line for line in (mark + info, *body, mark)]
        elif what < 0.6:
            lines.append("")
        elif what < 0.7 and not prefix.strip() and len(prefix.expandtabs(4)) % 4 == 0:
            lines.append(prefix + chance.choice(["- a", "1. b", "* c", "+ d"]))
        else:
            lines.append(f"{prefix}text {chance.randint(0, 99)}")
    return "\n".join(lines) + "\n"


PREFIXES = ["", "", "", " ", "  ", "    ", "    ", "        ", "\t", "> ", "> ", "> > ", ">"]


@pytest.mark.parametrize("part", range(10))
def test_code_is_what_the_site_renders_as_code_however_it_is_nested(
    part: int, render: Render, code_blocks: CodeBlocks
) -> None:
    """No list of samples holds every nesting that an author will come up with."""
    for seed in range(ROUNDS * part, ROUNDS * (part + 1)):
        text = Nesting(seed).page()
        assert found_by_engine(text) == found_in_html(render(text), code_blocks), f"seed {seed}:\n{text}"


class Nesting:
    """Makes up a page of containers within containers, the same one for the same seed."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.numbers = itertools.count()

    def page(self) -> str:
        parts = [
            self.comment() if self.random.random() < 0.2 else self.part(3) for _ in range(self.random.randint(1, 4))
        ]
        return "\n\n".join("\n".join(part) for part in parts) + "\n"

    def part(self, depth: int) -> list[str]:
        leaves = [self.fence, self.fence, self.fence, self.text, self.indented]
        if depth and self.random.random() < 0.6:
            return self.random.choice([self.item, self.admonition, self.quote])(depth - 1)
        return self.random.choice(leaves)()

    def inside(self, depth: int) -> Iterator[str]:
        for position in range(self.random.randint(1, 3)):
            yield from ([""] if position else [])
            yield from self.part(depth)

    def fence(self) -> list[str]:
        mark, shorter = self.random.choice([("```", "~~~"), ("````", "```"), ("~~~", "```"), ("~~~~", "~~~")])
        info = self.random.choice(["python", "py", "{.python}", ' python title="a b"', "text", "console", ""])
        body = [f"line {next(self.numbers)}", "", f"    line {next(self.numbers)}"]
        if self.random.random() < 0.4:
            body += [f"{shorter}python", f"line {next(self.numbers)}", shorter]
        return [mark + info, *body, mark]

    def text(self) -> list[str]:
        return [f"Text {next(self.numbers)}.", "More of it."]

    def indented(self) -> list[str]:
        return ["Text.", "", *indent(self.fence()), "", "Text."]

    def comment(self) -> list[str]:
        return ["Text.", "", "<!--", *self.fence(), "-->"]

    def item(self, depth: int) -> list[str]:
        return [self.random.choice(["- ", "*   ", "1.  "]) + "item", "", *indent(self.inside(depth))]

    def admonition(self, depth: int) -> list[str]:
        kind = self.random.choice(["!!! note", '!!! tip "Title"', "??? note", '???+ info "Title"'])
        return [kind, *[""][self.random.randint(0, 1) :], *indent(self.inside(depth))]

    def quote(self, depth: int) -> list[str]:
        return [f"> {line}".rstrip() for line in self.inside(depth)]


def indent(lines: list[str] | Iterator[str]) -> list[str]:
    """The lines, four blanks further in."""
    return [f"    {line}".rstrip() for line in lines]


def test_a_fence_knows_its_line_its_place_and_its_body() -> None:
    """Every message and every woven output is placed by these."""
    text = "---\ntitle: x\n---\n\n# Title\n\n- a\n\n    ```python\n    if 1:\n\n        x\n    ```\n\nend\n"
    (fence,) = find_fences(text, "docs/page.md")
    assert fence.line == 9
    assert fence.body == "if 1:\n\n    x\n"
    assert fence.prefix == "    "
    assert text[fence.start : fence.end] == "    ```python\n    if 1:\n\n        x\n    ```"


def test_only_a_line_feed_ends_a_line() -> None:
    """Editors count lines so; a form feed or a Unicode line separator in a string must not move what follows."""
    (fence,) = find_fences("a\x0bb\x0cc\u2028d\n```python\nx = 'a\u2028b\x0c'\n```\n", "docs/page.md")
    assert (fence.line, fence.body) == (2, "x = 'a\u2028b\x0c'\n")


def test_windows_line_ends_change_nothing() -> None:
    """A page written on Windows has the same code, hence the same recordings."""
    (fence,) = find_fences("# Title\r\n\r\n```python\r\nx = 1\r\n```\r\n", "docs/page.md")
    assert (fence.line, fence.info, fence.body) == (3, "python", "x = 1\n")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("# Title\n\n```python\nx = 1\n", "docs/page.md:3: this fence is never closed; end it with ```"),
        ("````python\nx = 1\n```\n", "docs/page.md:1: this fence is never closed; end it with ````"),
        ("~~~python\nx = 1\n```\n", "docs/page.md:1: this fence is never closed; end it with ~~~"),
        (
            "- a\n\n    ```python\n    x = 1\n  y = 2\n    ```\n",
            "docs/page.md:5: this line is indented less than its fence (line 3); indent it",
        ),
        (
            "> ```python\n> x = 1\ny = 2\n> ```\n",
            "docs/page.md:3: this line is indented less than its fence (line 1); indent it",
        ),
        (
            "Text\n\n    code\nmore\n```python\nx = 1\n```\n",
            "docs/page.md:5: this fence follows indented code; put a blank line before it",
        ),
    ],
    ids=[
        "never closed",
        "closed by a shorter one",
        "closed by another mark",
        "indented less",
        "leaves the quote",
        "after indented code",
    ],
)
def test_a_broken_fence_is_an_error_at_its_line(text: str, message: str) -> None:
    """Markdown would show such code as plain text and say nothing."""
    with pytest.raises(PageError) as caught:
        list(find_fences(text, "docs/page.md"))
    assert str(caught.value) == message


def test_front_matter_is_no_code() -> None:
    """A description may hold anything."""
    assert [f.line for f in find_fences("---\na: |\n  ```python\n---\n```python\nx\n```\n", "docs/page.md")] == [5]
