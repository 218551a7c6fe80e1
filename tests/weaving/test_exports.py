"""What readers take along: notebook, script, Markdown."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import nbformat
import pytest
import tomllib

from samedevice.outputs.environments import Environment
from samedevice.outputs.output import Figure, Output, Raised
from samedevice.pages.page import Page
from samedevice.weaving.copies import copies
from samedevice.weaving.exports import llms
from samedevice.weaving.markdown_export import markdown
from samedevice.weaving.notebook_export import notebook
from samedevice.weaving.panes import Shown
from samedevice.weaving.printing import edited, indent, inside_strings, print_edit, printed
from samedevice.weaving.prose import Address, headings
from samedevice.weaving.script_export import script

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
SITE = Address("https://example.org/site/")
HERE = Environment("cpu", "A CPU", "2.13.0", "3.11.7", "", "2026-11-21")
TEXT = '''---
title: x
---
# Title { #id }

See [there](other.md#part).

!!! note "Mind"

    This.

```python title="t" alt="A line."
x = 1
x
```

```python raises="ValueError"
raise ValueError("no")
```

```python needs="cuda"
text = """a
b"""
text
```
'''


@pytest.fixture
def page(write: Callable[..., Page]) -> Page:
    """A page with a value, an exception and a block for a GPU."""
    return write(TEXT)


@pytest.fixture
def shown() -> dict[int, list[Shown]]:
    """What a CPU gave for it."""
    return {
        0: [Shown("cpu", Output(value="1", figures=(Figure("<svg></svg>", "An older text."),)), HERE)],
        1: [Shown("cpu", Output(raised=Raised("ValueError", "no")), HERE)],
        2: [Shown("cuda", None, None, "Needs CUDA; not recorded yet.")],
    }


def test_a_notebook_is_valid_and_holds_the_outputs(page: Page, shown: dict[int, list[Shown]]) -> None:
    """Jupyter refuses what the format does not allow."""
    found = nbformat.reads(notebook(page, shown), as_version=4)
    nbformat.validate(found)
    prose, value, raising, needing = found.cells
    assert prose.source.startswith("# Title\n\nSee there.")
    assert "> **Mind**" in prose.source
    assert [output.output_type for output in value.outputs] == ["display_data", "execute_result"]
    assert raising.outputs[0].ename == "ValueError"
    assert raising.metadata.tags == needing.metadata.tags == ["raises-exception"]


def test_a_script_runs_from_top_to_bottom_and_prints_what_the_page_shows(
    page: Page, shown: dict[int, list[Shown]], capsys: pytest.CaptureFixture[str]
) -> None:
    """Where there is no GPU its block is passed over; the announced exception does not end the program."""
    code = script(page, shown).replace("torch.cuda.device_count() >= 1", "True")
    exec(compile(code, "page.py", "exec"), {})
    assert capsys.readouterr().out == "1\nValueError: no\n'a\\nb'\n"


def test_indenting_does_not_change_a_string_of_several_lines() -> None:
    """Blanks in it would be part of the string."""
    assert indent('x = """a\nb"""\ny = 1') == '    x = """a\nb"""\n    y = 1'


def test_markdown_has_each_output_after_its_block(page: Page, shown: dict[int, list[Shown]]) -> None:
    """It is for readers, and for programs that read, without a browser."""
    found = markdown(page, shown)
    assert "```python\nx = 1\nx\n```\n\nOutput on CPU (A CPU, PyTorch 2.13.0, 2026-11-21):\n\n```text\n1\n```" in found
    assert "Figure: A line." in found
    assert "CUDA: Needs CUDA; not recorded yet." in found
    assert "title=" not in found
    assert "{ #id }" not in found


def test_llms_lists_each_page_with_its_address() -> None:
    """The form is that of llmstxt.org."""
    assert llms("Site", "About.", [("T", "t.md", "D.")]) == "# Site\n\n> About.\n\n## Pages\n\n- [T](t.md): D.\n"


def test_a_notebook_brings_the_program_that_it_runs(root: Path, write: Callable[..., Page]) -> None:
    """Whoever opens it elsewhere has no snippets folder."""
    (root / "snippets").mkdir(exist_ok=True)
    (root / "snippets" / "part.py").write_text("print(1)\n")
    page = write("```console\n$ python snippets/part.py --help\n```\n")
    cells = json.loads(notebook(page, {}))["cells"]
    assert cells[-1]["source"] == "!python part.py --help"
    assert cells[0]["source"].startswith("%%writefile part.py\n")


@pytest.fixture
def boxes(write: Callable[..., Page]) -> Page:
    """A page with blocks in boxes and lists, one of them folded."""
    return write(BOXES, "docs/topic/page.md")


VALUE = {0: [Shown("cpu", Output(value="2"), HERE)], 1: [Shown("cpu", Output(), HERE)]}


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
    """A relative link leads nowhere once the file was downloaded."""
    page = write("See [the `x`](../x.md), ![a plot](x.svg) and [there](https://pytorch.org).\n", "docs/topic/page.md")
    assert markdown(page, {}) == "See the `x`, a plot and [there](https://pytorch.org).\n"


CODES = [
    ("x = 1; x", "x = 1; print(repr(x))"),
    ("x = [1,\n 2]; x[0]", "x = [1,\n 2]; print(repr(x[0]))"),
    ("1, 2", "print(repr((1, 2)))"),
    ("(1, 2), 3", "print(repr(((1, 2), 3)))"),
    ("(1, 2)", "print(repr((1, 2)))"),
    ("*[1], 2", "print(repr((*[1], 2)))"),
    ("(n := 3)", "print(repr((n := 3)))"),
    ("(\n  1 +\n  2\n)", "print(repr((\n  1 +\n  2\n)))"),
    ("[  # why\n  1,\n]  # the value", "print(repr([  # why\n  1,\n]))  # the value"),
    ('"""a\n  b"""', 'print(repr("""a\n  b"""))'),
    ("'\u00e9\U0001f600'; 'é'.upper()  # ü", "'\u00e9\U0001f600'; print(repr('é'.upper()))  # ü"),
    ("'😀é', 2", "print(repr(('😀é', 2)))"),
    ("(k for k in 'a').__next__()", "print(repr((k for k in 'a').__next__()))"),
    ("lambda: 1 if 0 else 2", "print(repr(lambda: 1 if 0 else 2))"),
    ("x = 1", "x = 1"),
    ("# nothing", "# nothing"),
    ("if True:\n    1", "if True:\n    1"),
]


@pytest.mark.parametrize(("code", "expected"), CODES)
def test_the_last_value_is_printed(code: str, expected: str) -> None:
    """However it is written, and whatever stands before it on its line."""
    assert printed(code) == expected
    compile(expected, "page", "exec")


def test_a_value_that_nobody_has_seen_is_printed_unless_it_is_none(capsys: pytest.CaptureFixture[str]) -> None:
    """What a method returns that ran nowhere yet, is not known."""
    for code in ("1, 2", "None", "print(3)", "x = 1; [].append(x)"):
        exec(printed(code, None), {})
    assert capsys.readouterr().out == "(1, 2)\n3\n"
    assert printed("print(3)", None) == "print(3)"
    assert printed("1", False) == "1"


def test_places_in_code_are_counted_as_javascript_counts() -> None:
    """It counts a character beyond the first 65,536 as two."""
    assert print_edit("'😀'; 1") == "6 7 print(repr("
    assert edited("'😀'; 1", "6 7 print(repr(") == "'😀'; print(repr(1))"


def test_lines_that_begin_inside_a_string_are_known() -> None:
    """Also in a string with fields, which Python's tokens take apart since 3.12."""
    assert inside_strings('x = """a\nb\n"""\ny = (1,\n 2)\nz = f"""c{x\n}\nd"""') in ((2, 3, 7, 8), (2, 3, 7))


def test_a_script_says_what_it_is_and_needs(write: Callable[..., Page]) -> None:
    """As inline metadata of PEP 723, by which `uv run` installs what it imports."""
    code = "import sklearn.datasets\nimport os\nfrom torch import nn\nnn"
    page = write(f'# A `page`\n\n```python\n{code}\n```\n\n```python needs="cuda"\n1\n```\n', "docs/topic/page.md")
    text = script(page, {0: [Shown("cpu", Output(value="x"), HERE)]}, SITE)
    found = re.match(r"# /// script\n((?:# .*\n)+?)# ///\n", text)
    assert found
    metadata = tomllib.loads(re.sub(r"^# ", "", found[1], flags=re.M))
    assert metadata == {"requires-python": ">=3.10", "dependencies": ["scikit-learn", "torch"]}
    about = "# A page: the code of a page of Same Device, https://example.org/site/topic/page.html\n"
    about += "# The outputs on that page were recorded with PyTorch 2.13.0 on CPU.\n"
    assert about + "# It runs on the device that is there. Run it with: uv run page.py\n\nimport torch\n" in text


def test_a_script_runs_by_itself(write: Callable[..., Page], tmp_path: Path) -> None:
    """Blocks for a device that is not there are passed over, also where no block before them imports torch."""
    page = write('```python needs="cuda"\nimport torch\n```\n\n```python\nx = 1; x\n```\n')
    path = tmp_path / "page.py"
    path.write_text(script(page, {1: [Shown("cpu", Output(value="1"), HERE)]}), encoding="utf-8")
    assert subprocess.check_output([sys.executable, str(path)], text=True) == "1\n"


@pytest.mark.parametrize(("needs", "lines"), [("torch>=2.9", "new\n"), ("torch<2.9", ""), ("torch>=2.9,<2.10", "")])
def test_a_script_passes_over_blocks_for_other_versions(
    write: Callable[..., Page], tmp_path: Path, needs: str, lines: str
) -> None:
    """One script is for all versions; here it runs with a PyTorch that says it is 2.11."""
    page = write(f'```python\nprint("old")\n```\n\n```python needs="{needs}"\nprint("new")\n```\n')
    (tmp_path / "torch.py").write_text('__version__ = "2.11.0+cu130"\n', encoding="utf-8")
    path = tmp_path / "page.py"
    path.write_text(script(page, {}, SITE), encoding="utf-8")
    assert subprocess.check_output([sys.executable, str(path)], text=True) == "old\n" + lines


def test_a_copy_says_which_version_it_needs(write: Callable[..., Page]) -> None:
    """Its reader may have another one."""
    page = write('# A\n\n```python needs="torch>=2.15"\nimport torch; torch\n```\n')
    assert copies(page, {})[0].about.endswith(" Needs torch and PyTorch 2.15 or newer.")


def test_headings_are_those_outside_of_code() -> None:
    """A comment in a console example is none."""
    assert list(headings('# A { #a }\n\n```text\n# no\n???\n```\n\n??? tip "B"\n')) == ["A", "B"]
