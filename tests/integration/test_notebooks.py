"""Notebooks: the percent format read as a page is read, run as a page is run, shown and downloaded."""

from __future__ import annotations

import gzip
import json
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import jupytext
import nbclient
import nbformat
import pytest
from click.testing import CliRunner
from made_conftest import CONFTEST
from mkdocs.__main__ import cli
from mkdocs.config.defaults import MkDocsConfig

from same_device_site.settings import parse_page
from samedevice.devices import torch_build
from samedevice.errors import PageError
from samedevice.exporting.exports import exports
from samedevice.exporting.notebook_export import notebook
from samedevice.integration.mkdocs.notebooks import convert, with_outputs
from samedevice.outputs.comparison import same_text
from samedevice.outputs.output import Output
from samedevice.outputs.recording_files import load_all
from samedevice.outputs.recordings import State
from samedevice.pages.page import Page
from samedevice.pages.percent import front_matter, is_program, prose, read_cells
from samedevice.project import NOTEBOOK, RECORDINGS, Settings
from samedevice.weaving.copies import copies
from samedevice.weaving.panes import ShownOutput
from samedevice.weaving.prose import cells, relink

CPU_FOLDER = f"cpu-{torch_build().version}"
"""The environment of this interpreter's CPU."""

ROOT = Path(__file__).parents[2]
SAMPLE = Path(__file__).parents[1].joinpath("samples") / "notebook" / "cells.py"
NOTEBOOKS = sorted((ROOT / "docs").rglob(f"*{NOTEBOOK}"))
CONFIG = f"""
INHERIT: {ROOT / "mkdocs.yml"}
site_name: Made up
docs_dir: docs
theme: {{name: material, custom_dir: {ROOT / "docs/overrides"}, font: false}}
hooks: [{ROOT / "src/same_device_site/hooks.py"}]
plugins: [samedevice: {{console: true, exports: true}}]
nav: null
watch: []
extra_css: []
extra_javascript: []
"""
GOOD = "# %% [markdown]\n# # Good\n#\n# See [the page](index.md#part).\n\n# %%\nprint('printed ' + 'by the notebook')\n"
PAGE = "# Home\n\n## Part\n\nSee [the notebook](good.py#good).\n"

Write = Callable[..., Page]


def kinds(text: str) -> list[tuple[str, str]]:
    """The kind and the text of each cell."""
    cells = read_cells(text, "docs/x.py")
    return [("markdown", cell.markdown) if cell.markdown is not None else ("code", cell.fence.body) for cell in cells]


def test_cells_are_those_of_jupytext() -> None:
    """A notebook is to open in Jupyter as it is read here; the sample is there to be opened."""
    text = SAMPLE.read_text(encoding="utf-8")
    theirs = jupytext.reads(text, fmt="py:percent").cells
    theirs = [cell for cell in theirs if cell.cell_type != "raw"]
    ours = [(kind, body.strip("\n")) for kind, body in kinds(text)]
    assert ours == [(cell.cell_type, cell.source.strip("\n")) for cell in theirs]
    assert [kind for kind, _ in ours] == ["markdown", "code", "markdown", "code", "code", "code", "markdown"]


def test_a_cell_has_the_options_of_a_fence() -> None:
    """What an author knows of pages holds for notebooks."""
    page = parse_page(SAMPLE, SAMPLE.parents[1])
    needing, empty, last = page.blocks[1:]
    assert (needing.options.needs, needing.options.raises) == ("cuda", (("cuda", "RuntimeError"),))
    assert (last.options.title, last.options.hl_lines, last.options.alt) == ("A title", "1", "A line that rises.")
    assert last.options.numbers_vary
    assert empty.code == ""
    assert page.name == "cells"
    assert [str(block) for block in page.blocks] == [f"notebook/cells.py:{line}" for line in (16, 25, 31, 33)]
    assert [block.code_line for block in page.blocks] == [17, 26, 32, 34]


def test_a_notebook_and_a_page_with_the_same_code_have_the_same_hashes(write: Write) -> None:
    """Recordings, the cache and the comparison know no difference."""
    cells = write('# %%\nx = 1\n\n# %% needs="cuda"\nx\n\n# %% numbers="vary"\nprint(x)\n', "docs/a.py")
    fences = write('```python\nx = 1\n```\n```python needs="cuda"\nx\n```\n```py numbers="vary"\nprint(x)\n```\n')
    assert [cells.hashes(device) for device in ("cpu", "cuda")] == [fences.hashes(device) for device in ("cpu", "cuda")]


BAD = {
    "option": ('# %% nedes="cuda"\nx\n', '1: unknown option nedes="cuda"; known are '),
    "title": ("# %%\nx\n\n# %% A title\nx\n", '4: cannot read "A title"; write options as key="value"'),
    "kind": ("# %% [raw]\n# x\n", '1: "# %% [raw]" is no cell; write "# %% [markdown]", or "# %%" for code'),
    "mark": ("# %%\nx\n#%%\ny\n", '3: this line looks like the start of a cell; write "# %%" and a blank'),
    "marks": ("# %%\n# %%%% Sub\n", '2: this line looks like the start of a cell; write "# %%" and a blank'),
    "prose": ("# %% [markdown]\n# x\n#y\n", '3: this line of a Markdown cell is no comment; start it with "# "'),
    "needs": ('# %% needs="cud"\nx\n', '1: needs="cud" names no device'),
}


@pytest.mark.parametrize(("text", "message"), BAD.values(), ids=BAD.keys())
def test_what_cannot_be_read_is_told_with_its_line(write: Write, text: str, message: str) -> None:
    """Nothing is passed over in silence."""
    with pytest.raises(PageError) as caught:
        write(text, "docs/x.py")
    assert str(caught.value).startswith(f"docs/x.py:{message}")
    assert str(caught.value).count("docs/x.py:") == 1


def test_front_matter_and_prose_are_markdown() -> None:
    """The title and the description are a page's; the reference finds the heading."""
    text = SAMPLE.read_text(encoding="utf-8")
    assert front_matter(text) == '---\ntitle: A sample\ndescription: "What a notebook may hold."\n---\n'
    assert front_matter("# %%\n") == ""
    assert prose(text, "x").startswith("# A sample\n\nA paragraph with `code` and a [link](other.md#part).\n")


def test_a_cell_that_is_left_to_another_tool_is_shown(root: Path) -> None:
    """As a fence of its kind is; the cells after it are shown with their own outputs."""
    text = "# %% [markdown]\n# # X\n\n# %% notest\nleft\n\n# %%\nx = 1\n"
    (root / "docs/x.py").write_text(text, encoding="utf-8")
    page = parse_page(root / "docs/x.py", root, settings=Settings())
    assert [block.code for block in page.blocks] == ["x = 1\n"]
    assert list(cells(page)) == ["# X\n", "```python\nleft\n```\n", page.blocks[0]]
    (index,) = copies(page, {})
    assert index == 0
    made = json.loads(with_outputs(page, {}, {}, lambda url: url))["cells"]
    assert [cell["cell_type"] for cell in made] == ["markdown", "markdown", "code"]
    assert "```python\nleft\n```\n\n```python\nx = 1\n```" in exports(page, {})["md"]


LINKS = {
    "[a](b.md)": "[a](<b.md>)",
    "[`a[0]`](b.md#c) and [d](e(f).md)": "[`a[0]`](<b.md#c>) and [d](<e(f).md>)",
    "`[a](b)` and ``x ` [a](b)``": "`[a](b)` and ``x ` [a](b)``",
    "![a](b.png) x[0](1) [x]": "![a](b.png) x[0](<1>) [x]",
}


@pytest.mark.parametrize(("text", "expected"), LINKS.items())
def test_links_are_written_anew_but_not_in_code(text: str, expected: str) -> None:
    """A link of the source names a file, one on the site an address."""
    assert relink(text, lambda url: f"<{url}>") == expected


def test_a_cell_is_run_and_its_line_named(run: Callable[..., tuple[Output | None, ...]]) -> None:
    """A traceback points into the notebook."""
    first, second = run("# %% [markdown]\n# x\n\n# %%\nx = 20\nx + 1\n\n# %%\n\n1 / 0\n", "docs/x.py")
    assert first is not None
    assert first.value == "21"
    assert second is not None
    assert second.raised is not None
    assert 'File "docs/x.py", line 10' in second.raised.trace


def test_pytest_runs_and_records_cells_and_never_imports_a_notebook(
    pytester: pytest.Pytester, one_server: object
) -> None:
    """pytest takes every .py file that it is given for a module."""
    pytester.makeini("[pytest]\ntestpaths = docs\n")
    pytester.makeconftest(CONFTEST)
    path = pytester.path / "docs/x.py"
    path.parent.mkdir()
    path.write_text("# %%\nimport sys\nprint('pytest' in sys.modules)\n\n# %%\n2\n", encoding="utf-8")
    for passed, *arguments in ((2, "docs/x.py", "--record"), (3, "docs/x.py"), (3,), (1, "docs/x.py::cpu-02-line-5")):
        result = pytester.runpytest_inprocess("--rootdir", str(pytester.path), *map(str, arguments))
        result.assert_outcomes(passed=int(passed))
    recorded = json.loads((pytester.path / "tests/recordings/x.json").read_text(encoding="utf-8"))
    assert sorted(recorded["outputs"].values(), key=str) == [{"text": "False\n"}, {"value": "2"}]


class Site:
    """A site in a folder of its own, with the theme of ours, built in this process."""

    def __init__(self, root: Path) -> None:
        self.root = root
        (root / "mkdocs.yml").write_text(CONFIG, encoding="utf-8")
        (root / "conftest.py").write_text(CONFTEST, encoding="utf-8")
        (root / "docs/assets").mkdir()
        self.write("assets/glossary.txt", "")
        self.write("index.md", PAGE)
        self.write("good.py", GOOD)

    def write(self, name: str, text: str) -> None:
        """Write a file of the documentation."""
        (self.root / "docs" / name).write_text(text, encoding="utf-8")

    def build(self, *options: str) -> str:
        """Build, as `mkdocs build` does; what it prints."""
        return CliRunner().invoke(cli, ["build", "-f", str(self.root / "mkdocs.yml"), *options]).output

    def html(self, name: str = "good/index.html") -> str:
        """A file of the site."""
        return (self.root / "site" / name).read_text(encoding="utf-8")


@pytest.fixture
def site(one_server: object, root: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Site]:
    """A site with a page and a notebook; MkDocs keeps plugins from build to build, this forgets them."""
    monkeypatch.setenv("NO_MKDOCS_2_WARNING", "1")
    monkeypatch.delenv("SAMEDEVICE_REPOSITORY", raising=False)
    yield Site(root)
    MkDocsConfig.plugins.plugin_cache.clear()  # type: ignore[attr-defined]


def test_a_build_shows_the_outputs_and_writes_nothing_into_docs(site: Site) -> None:
    """Files that appear in docs/ make `mkdocs serve` build for ever."""
    output = site.build()
    assert "converted docs/good.py" in output
    assert "WARNING" not in output
    assert '<pre class="sd-text" tabindex="0">printed by the notebook</pre>' in site.html()
    assert sorted(path.name for path in (site.root / "docs").iterdir()) == ["assets", "good.py", "index.md"]


def by_name(tag: re.Match[str]) -> str:
    """A tag with its attributes in order."""
    return " ".join(["<div", *sorted(re.findall(r'[\w-]+="[^"]*"', tag[1]))])


def test_code_and_outputs_are_the_html_of_a_page(site: Site) -> None:
    """The device switch, copy to run and the styles work on both."""
    codes = ["x = 1", "print(x)", "y = x\ny < 2"]
    site.write("good.py", "# %% [markdown]\n# # Same\n\n" + "".join(f"# %%\n{code}\n\n" for code in codes))
    site.write("page.md", "# Same\n\n" + "".join(f"```python\n{code}\n```\n\n" for code in codes))
    site.build()
    notebook, page = (
        [
            re.sub(r'<div ([^>]*class="highlight"[^>]*)', by_name, text)  # Jupyter sorts attributes
            .replace("<span></span>", "")
            .replace("(page).", "(good).")
            for text in re.findall(r'<div (?:id="[^"]*" )?class="(?:highlight|sd-out)".*?</pre>', html, re.S)
        ]
        for html in (site.html(), site.html("page/index.html"))
    )
    assert len(page) == 5
    assert notebook == page
    heading = '<h1 id="same">Same<a class="headerlink" href="#same" title="Link to this section">&para;</a></h1>'
    assert heading in site.html()
    assert heading in site.html("page/index.html")


def test_code_that_is_not_highlighted_scrolls_as_on_a_page(site: Site) -> None:
    """The theme has `pre > code` scroll; without it a long line makes the whole page wider than a phone."""
    site.write("good.py", "# %% [markdown]\n# # Good\n#\n# ```text\n# shown < only\n# ```\n\n# %%\nx = 1\n")
    site.build()
    assert "<pre><code><span></span>shown &lt; only\n</code></pre>" in site.html()


def test_links_to_and_from_a_notebook_are_followed_and_checked(site: Site) -> None:
    """They name files, as on every page; a strict build refuses one that leads nowhere."""
    site.build()
    assert '<a href="../#part">the page</a>' in site.html()
    assert '<a href="good/#good">the notebook</a>' in site.html("index.html")
    site.write("good.py", GOOD.replace("#part", "#gone"))
    site.write("index.md", PAGE.replace("#good", "#bad"))
    output = site.build()
    assert (
        "'good.py' contains a link 'index.md#gone', but the doc 'index.md' does not contain an anchor '#gone'" in output
    )
    assert "'index.md' contains a link 'good.py#bad', but the doc 'good.py' does not contain an anchor '#bad'" in output
    site.write("good.py", GOOD.replace("index.md", "gone.md"))
    assert "contains a link 'gone.md#part', but the target 'gone.md' is not found" in site.build()


def test_a_warm_build_converts_nothing_and_imports_no_converter(site: Site) -> None:
    """The import of mkdocs-jupyter alone takes most of a second."""
    site.build()
    first = site.html()
    code = (
        "import sys\n"
        "from mkdocs.__main__ import cli\n"
        f"cli(['build', '-f', {str(site.root / 'mkdocs.yml')!r}], standalone_mode=False)\n"
        "print('imported:', {'mkdocs_jupyter', 'nbconvert', 'nbformat', 'torch', 'sybil.fail'} & set(sys.modules))\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.stdout == "imported: set()\n", done.stderr
    assert "converted" not in done.stderr
    assert site.html() == first


def test_a_notebook_is_converted_again_when_it_changed_and_only_then(site: Site) -> None:
    """Text, code and output count."""
    site.write("other.py", GOOD)
    assert site.build().count("converted docs/") == 2
    for text in (GOOD.replace("# See", "# Read"), GOOD.replace("printed ", "shown ")):
        site.write("good.py", text)
        output = site.build()
        assert "converted docs/good.py" in output
        assert "converted docs/other.py" not in output
    assert "shown by the notebook" in site.html()


@pytest.mark.parametrize("damage", ["", "[]", "{}", '{"key": 1}'])
def test_a_kept_page_that_is_damaged_is_made_anew(tmp_path: Path, write: Write, damage: str) -> None:
    """A build that was broken off must not break the next."""
    kept = tmp_path / "kept.json"
    whole = with_outputs(write(GOOD, "docs/good.py"), {}, {}, lambda url: url)
    first, _ = convert(whole, kept)
    kept.write_text(damage, encoding="utf-8")
    assert convert(whole, kept) == (first, True)
    assert convert(whole, kept) == (first, False)


def test_a_notebook_with_an_error_is_told_and_shown_and_the_build_goes_on(site: Site) -> None:
    """Under `mkdocs serve` the author sees it on the page."""
    site.write("good.py", "# %% nedes=''\n")
    output = site.build()
    assert "ERROR   -  docs/good.py:1: unknown option nedes=" in output
    assert "docs/good.py:1: unknown option nedes=" in site.html()
    assert "<h2" in site.html("index.html")


def test_a_notebook_can_be_downloaded(site: Site) -> None:
    """With its outputs."""
    site.build()
    assert '<a href="../good.ipynb" download>' in site.html()
    cells = nbformat.reads(site.html("good.ipynb"), as_version=4).cells
    assert [cell.cell_type for cell in cells] == ["markdown", "code", "code"]
    assert cells[2].outputs[0].text == "printed by the notebook\n"


def test_a_page_of_a_notebook_is_light_and_asks_no_other_host(site: Site) -> None:
    """mkdocs-jupyter's own template adds 590 kB of styles, and scripts from elsewhere."""
    site.build()
    assert len(site.html()) - len(site.html("index.html")) < 4_000
    assert not re.findall(r'(?:src|href)="https?://[^"]*\.(?:js|css)', site.html())


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_real_notebook_is_at_most_60_kilobytes_compressed(path: Path, tmp_path: Path) -> None:
    """Its page is to load like any other; 250 kB with the site's own styles and scripts is the limit."""
    page = parse_page(path, ROOT)
    done, _ = convert(with_outputs(page, recorded(page), {}, lambda url: url), tmp_path / "kept.json")
    assert len(gzip.compress(done.html.encode())) < 60_000


def recorded(page: Page) -> dict[int, list[ShownOutput]]:
    """What is recorded of a page on the CPU."""
    recording = next(one for one in load_all(ROOT, RECORDINGS, page)[0] if one.environment.folder == CPU_FOLDER)
    found = {block.index: recording.find(page, block.index) for block in page.blocks if block.runs_on("cpu")}
    assert {status.state for status in found.values()} == {State.FRESH}
    return {index: [ShownOutput("cpu", one.output, recording.environment)] for index, one in found.items()}


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_download_runs_from_the_first_cell_to_the_last(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In Jupyter, by its own kernel, with the outputs that it holds; an announced exception does not stop it."""
    for name in ("IPYTHONDIR", "JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "JUPYTER_RUNTIME_DIR", "MPLCONFIGDIR"):
        monkeypatch.setenv(name, str(tmp_path / name))
    page = parse_page(path, ROOT)
    held = nbformat.reads(notebook(page, recorded(page)), as_version=4)
    nbformat.validate(held)
    woven_outputs = [[dict(output) for output in cell.get("outputs", ())] for cell in held.cells]
    ran = nbclient.NotebookClient(held, timeout=120, resources={"metadata": {"path": str(tmp_path)}}).execute()
    code = [number for number, cell in enumerate(ran.cells) if cell.cell_type == "code"]
    for block, number in zip(page.blocks, code[1:], strict=True):
        now, then = _text(ran.cells[number].outputs), _text(woven_outputs[number])
        assert same_text(then, now, block.options.numbers_vary), f"{block}\n{then}\n{now}"


def _text(outputs: list[dict[str, object]]) -> str:
    """The text of a cell's outputs; a warning without the place that Jupyter names, a figure not at all.

    A busy machine gives what a cell prints in several pieces, with those of the other stream in between.
    """
    found = {"stdout": "", "stderr": "", "error": "", "execute_result": ""}
    for output in outputs:
        kind = str(output["output_type"])
        if kind == "stream":
            found[str(output["name"])] += str(output["text"])
        elif kind == "error":
            found[kind] += f"{output['ename']}: {output['evalue']}\n"
        elif kind == "execute_result":
            found[kind] += f"{output['data']['text/plain']}\n"  # type: ignore[index]
    found["stderr"] = re.sub(r"^\S*:\d+: (?=\w+Warning)|^  \w.*\n", "", found["stderr"], flags=re.M)
    return "".join(sorted(found.values()))


def test_the_first_code_cell_of_a_download_installs_what_is_missing(write: Write) -> None:
    """In Colab, or on a machine without scikit-learn; packages have other names than modules."""
    page = write(
        "# %% [markdown]\n# # X\n\n# %%\nimport os, numpy as np\nfrom sklearn.datasets import x\n", "docs/x.py"
    )
    cell = nbformat.reads(notebook(page, {}), as_version=4).cells[1]
    assert 'packages = {"numpy": "numpy", "sklearn": "scikit-learn"}' in cell.source
    assert '%pip install --quiet {" ".join(missing)}' in cell.source


PYTHON_FILES = {
    "page.py": "# %%\n1\n",
    "headed.py": "# A licence\n\n# %% [markdown]\n# x\n",
    "page.md": "print(1)\n",
    "program.py": "print(1)\n",
    "gallery.py": '"""Title"""\n\n# %%\n1\n',
    "formats.py": "#%d of\n# %%s\n#%%\nx = 1\n",
}


def test_a_file_of_python_is_a_page_if_it_begins_with_a_cell_or_cannot_be_read(tmp_path: Path) -> None:
    """Scripts beside the pages are none of ours. Reading a file that cannot be read as a page says why."""
    for name, text in PYTHON_FILES.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    programs = [name for name in (*PYTHON_FILES, "gone.py") if is_program(tmp_path / name)]
    assert programs == ["program.py", "gallery.py", "formats.py"]


def test_a_program_of_the_name_of_a_page_is_no_second_page(root: Path, write: Write) -> None:
    """Documentation has the program that a page is about beside it."""
    (root / "docs/a.py").write_text("print(1)\n", encoding="utf-8")
    assert write("# A\n", "docs/a.md").name == "a"
