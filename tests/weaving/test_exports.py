"""What readers take along: notebook, script, Markdown."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import nbformat
import pytest

from samedevice.outputs.environments import Environment
from samedevice.outputs.output import Figure, Output, Raised
from samedevice.pages.page import Page
from samedevice.weaving.exports import indent, llms, markdown, notebook, script
from samedevice.weaving.panes import Shown

HERE = Environment("cpu", "A CPU", "2.13.0", "3.11.7", "", "2026-11-21")
TEXT = '''---
title: x
---
# Title { #id }

See [there](other.md#part).

!!! note "Mind"

    This.

```python title="t"
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
        0: [Shown("cpu", Output(value="1", figures=(Figure("<svg></svg>", "A line."),)), HERE)],
        1: [Shown("cpu", Output(raised=Raised("ValueError", "no")), HERE)],
        2: [Shown("cuda", None, None, "Needs CUDA; not recorded yet.")],
    }


def test_a_notebook_is_valid_and_holds_the_outputs(page: Page, shown: dict[int, list[Shown]]) -> None:
    """Jupyter refuses what the format does not allow."""
    found = nbformat.reads(notebook(page, shown), as_version=4)
    nbformat.validate(found)
    prose, value, raising, needing = found.cells
    assert prose.source.startswith("# Title\n\nSee [there](other.ipynb#part).")
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
