"""What readers take along: notebook, script, Markdown."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tomllib
from collections.abc import Callable
from pathlib import Path

import nbformat
import pytest

from samedevice.exporting.exports import llms, markdown, script
from samedevice.exporting.notebook_export import notebook
from samedevice.outputs.environments import Environment
from samedevice.outputs.output import Figure, Output, Raised
from samedevice.pages.page import Page
from samedevice.weaving.copies import copies, edited, indent, inside_strings, print_edit, printed
from samedevice.weaving.panes import ShownOutput
from samedevice.weaving.prose import Address, headings

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
def shown() -> dict[int, list[ShownOutput]]:
    """What a CPU gave for it."""
    return {
        0: [ShownOutput("cpu", Output(value="1", figures=(Figure("<svg></svg>", "An older text."),)), HERE)],
        1: [ShownOutput("cpu", Output(raised=Raised("ValueError", "no")), HERE)],
        2: [ShownOutput("cuda", None, None, "Needs CUDA; not recorded yet.")],
    }


def test_a_notebook_is_valid_and_holds_the_outputs(page: Page, shown: dict[int, list[ShownOutput]]) -> None:
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
    page: Page, shown: dict[int, list[ShownOutput]], capsys: pytest.CaptureFixture[str]
) -> None:
    """Where there is no GPU its block is passed over; the announced exception does not end the program."""
    code = script(page, shown).replace("torch.cuda.device_count() >= 1", "True")
    exec(compile(code, "page.py", "exec"), {})
    assert capsys.readouterr().out == "1\nValueError: no\n'a\\nb'\n"


def test_indenting_does_not_change_a_string_of_several_lines() -> None:
    """Blanks in it would be part of the string."""
    assert indent('x = """a\nb"""\ny = 1') == '    x = """a\nb"""\n    y = 1'


def test_markdown_has_each_output_after_its_block(page: Page, shown: dict[int, list[ShownOutput]]) -> None:
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
    cells = json.loads(notebook(page, {}, files={0: {"snippets/part.py": "print(1)\n"}}))["cells"]
    assert cells[-1]["source"] == "!python part.py --help"
    assert cells[0]["source"].startswith("%%writefile part.py\n")


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
    text = script(page, {0: [ShownOutput("cpu", Output(value="x"), HERE)]}, SITE)
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
    path.write_text(script(page, {1: [ShownOutput("cpu", Output(value="1"), HERE)]}), encoding="utf-8")
    assert subprocess.check_output([sys.executable, str(path)], text=True) == "1\n"


def test_a_script_begins_with_the_setup(write: Callable[..., Page], tmp_path: Path) -> None:
    """Its names stay from section to section, also where a section that runs no Python is above it."""
    setup = "```python setup\nname = 1\n```\n"
    sections = ["```console\n$ echo\n```\n", f"{setup}\n```python\nprint(name)\n```\n", "```python\nprint(name)\n```\n"]
    page = write("".join(f"## {number}\n\n{text}\n" for number, text in enumerate(sections)))
    path = tmp_path / "page.py"
    path.write_text(script(page, {}), encoding="utf-8")
    assert subprocess.check_output([sys.executable, str(path)], text=True) == "1\n1\n"


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


def test_what_readers_take_along_says_what_was_simulated(write: Callable[..., Page]) -> None:
    """A notebook or a text travels without the site's style: words must say that no GPU ran it."""
    page = write('# Title\n\n```python needs="cuda"\nprint(x.device)\n```\n')
    about = Environment("cuda", "Simulated GPU", "2.13.0+cu130", "3.11.7", "", "2026-11-23", simulated=True)
    shown = {0: [ShownOutput("cuda", Output("cuda:0\n"), about)]}
    first, second = json.loads(notebook(page, shown))["cells"][1]["outputs"]
    note = "CUDA, simulated. No GPU ran this: PyTorch's own CUDA code ran on a device in main memory."
    assert "".join(first["data"]["text/plain"]) == note
    assert "".join(second["text"]) == "cuda:0\n"
    assert "Output on CUDA, simulated (Simulated GPU, PyTorch 2.13.0+cu130, 2026-11-23):" in markdown(page, shown)
    assert "recorded with PyTorch 2.13.0+cu130 on CUDA, simulated." in script(page, shown)
