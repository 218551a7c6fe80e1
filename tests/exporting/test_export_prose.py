"""The prose around blocks as readers take it along: boxes, attributes and links, outside of the site."""

from __future__ import annotations

import json
import re
from collections.abc import Callable

import nbformat
import pytest

from samedevice.exporting.exports import markdown, script
from samedevice.exporting.notebook_export import notebook
from samedevice.outputs.environments import Environment
from samedevice.outputs.output import Output
from samedevice.pages.page import Page
from samedevice.weaving.panes import ShownOutput
from samedevice.weaving.prose import Address

SITE = Address("https://example.org/site/")
HERE = Environment("cpu", "A CPU", "2.13.0", "3.11.7", "", "2026-11-21")
BOXES = '''# Title

Text before.

??? "Proof"

    It is so.

    ```python
    x = 2
    x
    ```

    And so it is.

    !!! note

        Inside.

Text after.

- A list

    ```python fold="Plotting code"
    y = """a
    b"""
    ```

    goes on.

??? question "Solution"

    ```text
    ??? "not a box"
    ```
'''
UNBOXED = '''# Title

Text before.

> **Proof**
>
> It is so.
>
> ```python
> x = 2
> x
> ```
>
> Output on CPU (A CPU, PyTorch 2.13.0, 2026-11-21):
>
> ```text
> 2
> ```
>
> And so it is.
>
> > **Note**
> >
> > Inside.

Text after.

- A list

    Plotting code:

    ```python
    y = """a
    b"""
    ```

    goes on.

> **Solution**
>
> ```text
> ??? "not a box"
> ```
'''


@pytest.fixture
def boxes(write: Callable[..., Page]) -> Page:
    """A page with blocks in boxes and lists, one of them folded."""
    return write(BOXES, "docs/topic/page.md")


VALUE = {0: [ShownOutput("cpu", Output(value="2"), HERE)], 1: [ShownOutput("cpu", Output(), HERE)]}


def test_boxes_are_quotes_in_markdown(boxes: Page) -> None:
    """No other renderer knows `???`; it would show what stands in it as code."""
    assert markdown(boxes, VALUE) == UNBOXED


def test_boxes_are_quotes_in_a_notebook_and_what_follows_a_block_is_text(boxes: Page) -> None:
    """Text that stays indented would be code."""
    cells = nbformat.reads(notebook(boxes, VALUE), as_version=4).cells
    assert [cell.source for cell in cells] == [
        "# Title\n\nText before.\n\n> **Proof**\n>\n> It is so.",
        "x = 2\nx",
        "> And so it is.\n>\n> > **Note**\n> >\n> > Inside.\n\nText after.\n\n- A list",
        'y = """a\nb"""',
        'goes on.\n\n> **Solution**\n>\n> ```text\n> ??? "not a box"\n> ```',
    ]
    assert cells[3].metadata.jupyter.source_hidden


def test_boxes_and_folds_are_named_in_a_script(boxes: Page) -> None:
    """As headings are."""
    code = script(boxes, VALUE)
    found = [line for line in code.split("\n") if re.match("# [A-Z]", line)]
    assert found[-5:] == ["# Title", "# Proof", "# Note", "# Plotting code", "# Solution"]
    assert "print(repr(x))" in code


PROSE = [
    ("`nn.ModuleDict({...})` stays", "`nn.ModuleDict({...})` stays"),
    ("nn.ModuleDict({...}) stays", "nn.ModuleDict({...}) stays"),
    ("a set {.5, 1} stays", "a set {.5, 1} stays"),
    ("`{ #id }` stays", "`{ #id }` stays"),
    ("## Heading `x` { #id .class }", "## Heading `x`"),
    ('![A](a.png){: width="20" }', "![A](https://example.org/site/topic/a.png)"),
    ("`[a](b.md)` is code", "`[a](b.md)` is code"),
    ("```text\n[a](b.md) { #id }\n```", "```text\n[a](b.md) { #id }\n```"),
    ("[a](../b.md#c)", "[a](https://example.org/site/b.html#c)"),
    ("[a](#c)", "[a](https://example.org/site/topic/page.html#c)"),
    ("[a](https://pytorch.org/x.md)", "[a](https://pytorch.org/x.md)"),
    ("[`a[0]`](other.py 'Title')", "[`a[0]`](https://example.org/site/topic/other.html 'Title')"),
]


@pytest.mark.parametrize(("text", "expected"), PROSE)
def test_prose_loses_attributes_and_its_links_become_whole(
    write: Callable[..., Page], text: str, expected: str
) -> None:
    """Only where they are attributes and links: code is left as it is, and so are braces in a sentence."""
    page = write(f"{text}\n", "docs/topic/page.md")
    assert markdown(page, {}, SITE).strip() == expected
    (cell,) = json.loads(notebook(page, {}, SITE))["cells"]
    assert cell["source"] == expected


def test_links_are_text_where_the_address_of_the_site_is_not_known(write: Callable[..., Page]) -> None:
    """A relative link leads nowhere once the file was downloaded; Markdown is read where it is, beside other pages'."""
    text = "See [the `x`](../x.md#y), ![a plot](x.svg) and [there](https://pytorch.org)."
    page = write(f"{text}\n", "docs/topic/page.md")
    (cell,) = json.loads(notebook(page, {}))["cells"]
    assert cell["source"] == "See the `x`, a plot and [there](https://pytorch.org)."
    assert markdown(page, {}) == f"{text}\n"
