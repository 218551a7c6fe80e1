"""Zensical: the extension that weaves pages under it.

Most tests need no Zensical: its part is played by a preprocessor that holds a page, as its own does.
"""

from __future__ import annotations

import importlib.util
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from importlib.metadata import EntryPoint
from pathlib import Path
from types import SimpleNamespace

import pytest
from markdown import Extension, Markdown
from markdown.preprocessors import Preprocessor

from same_device_site.settings import parse_page
from samedevice.errors import PageError
from samedevice.integration.extension import SameDeviceExtension
from samedevice.integration.project_file import ProjectError, read, settings_of, weaves
from samedevice.integration.zensical import PAGE
from samedevice.outputs.environments import Environment
from samedevice.outputs.output import VARIES, Output, Raised
from samedevice.outputs.recording_files import Recordings
from samedevice.outputs.recordings import update
from samedevice.project import Settings

NAME = "samedevice.integration.extension"
CPU = Environment("cpu", "A CPU", "3.11", "3.11.7", "", "2026-11-20")
CUDA = Environment("cuda", "A GPU", "2.13.0", "3.11.7", "580", "2026-11-20")
CONFIG = f"""\
site_name: Other
site_url: https://example.org/
plugins: [search, samedevice: {{exports: true}}]
markdown_extensions: [attr_list, {NAME}]
nav:
  - index.md
  - Walk: sub/walk.py
"""
PAGE_TEXT = """\
---
title: Start
description: "What it is."
---

# Start

See [the walk](sub/walk.py#walk).

```python title="hello.py"
print("printed " + open("never", "w").name)
```
"""
WALK = """\
# ---
# title: A walk
# ---

# %% [markdown]
# # Walk
#
# Back to [start](../index.md).

# %%
print("in " + "the walk")
"""
needs_zensical = pytest.mark.skipif(
    importlib.util.find_spec("zensical") is None, reason="needs zensical, which `make canary` installs"
)


class Rendering(Extension):
    """Keeps the page that is rendered, as Zensical does."""

    def __init__(self, root: Path, uri: str) -> None:
        super().__init__()
        self.root, self.uri = root, uri

    def extendMarkdown(self, md: Markdown) -> None:  # noqa: N802
        """Add the preprocessor that holds it."""
        held = Preprocessor(md)
        held.page = SimpleNamespace(path=self.uri, meta={})
        held.config = {"root_dir": str(self.root), "docs_dir": "docs", "site_url": None, "use_directory_urls": True}
        held.run = lambda lines: lines
        md.preprocessors.register(held, PAGE, 0)


def record(root: Path, name: str, *outputs: Output | None, environment: Environment = CPU) -> None:
    """Record what a page printed."""
    page = parse_page(root / "docs" / name, root, settings=Settings(console=False))
    found = update(None, page, environment, outputs)
    assert found is not None
    Recordings(root, "tests/recordings").save(page, found)


@pytest.fixture
def project(root: Path) -> Path:
    """A project with a page and a notebook, each recorded in two environments."""
    (root / "mkdocs.yml").write_text(CONFIG, encoding="utf-8")
    (root / "docs/index.md").write_text(PAGE_TEXT, encoding="utf-8")
    (root / "docs/sub").mkdir()
    (root / "docs/sub/walk.py").write_text(WALK, encoding="utf-8")
    for environment, word in ((CPU, "here"), (CUDA, "there")):
        record(root, "index.md", Output(f"printed {word}\n"), environment=environment)
        record(root, "sub/walk.py", Output("in the walk\n"), environment=environment)
    return root


@pytest.fixture
def zensical(project: Path) -> Callable[..., str]:
    """Renders a page of the project as Zensical does; `extensions` are those of its mkdocs.yml."""

    def render(uri: str = "index.md", root: Path = project, extensions: tuple[str, ...] = (NAME,)) -> str:
        text = (root / "docs" / uri).read_text(encoding="utf-8").rpartition("---\n")[2]
        md = Markdown(extensions=[Rendering(root, uri), "tables", *extensions, "pymdownx.superfences"])
        return str(md.convert(text))

    return render


def test_a_page_shows_what_each_device_printed_and_nothing_is_run(zensical: Callable[..., str], project: Path) -> None:
    """From its recordings alone, with all that the project did not list: fence, highlighting, style and scripts."""
    html = zensical()
    assert 'data-devices="cpu cuda"' in html
    assert "printed <mark>here</mark>" in html
    assert "printed <mark>there</mark>" in html
    assert 'class="highlight"' in html  # the name of the language was there for the check
    assert 'data-block="0"' in html
    assert ".sd-out" in html.partition("<style>")[2]
    assert "title: Start" not in html
    assert not list(project.rglob("never"))


def test_where_zensical_renders_no_page_the_extension_does_nothing(project: Path) -> None:
    """Under MkDocs the plugin has woven the page already; the same mkdocs.yml serves both."""
    text = "# Title\n\n```python\nprint(1)\n```\n"
    without = Markdown(extensions=["pymdownx.superfences"]).convert(text)
    assert Markdown(extensions=["pymdownx.superfences", NAME]).convert(text) == without


def test_the_package_names_the_extension() -> None:
    """A project writes `samedevice` below markdown_extensions."""
    text = (Path(__file__).parents[2] / "pyproject.toml").read_text(encoding="utf-8")
    found = re.search(r'entry-points\."markdown\.extensions"\]\n(samedevice) = "(.+)"', text)
    assert found
    assert EntryPoint(found[1], found[2], "markdown.extensions").load() is SameDeviceExtension


def test_pages_of_others_are_left_as_they_are(zensical: Callable[..., str], project: Path) -> None:
    """Pages that are to be left alone, and pages that other extensions make up."""
    (project / "mkdocs.yml").write_text(CONFIG.replace("exports: true", "leave: [index.md]", 1))
    assert "data-devices" not in zensical()
    md = Markdown(extensions=[Rendering(project, "made/up.md"), NAME, "pymdownx.superfences"])
    assert md.convert("Text") == "<p>Text</p>"


def test_what_is_rendered_within_a_page_stays_as_it_is(project: Path) -> None:
    """Zensical hands its page on to the Markdown of mkdocstrings, of which each docstring then was the page."""
    rendering, text = Rendering(project, "index.md"), PAGE_TEXT.rpartition("---\n")[2]
    page, docstring = (Markdown(extensions=[rendering, NAME, "pymdownx.superfences"]) for _ in range(2))
    docstring.preprocessors[PAGE].page = page.preprocessors[PAGE].page
    assert "data-block" in page.convert(text)
    assert docstring.convert("A docstring.") == "<p>A docstring.</p>"
    assert "data-block" in page.convert(text)


def test_a_page_that_cannot_be_read_says_so_and_the_others_go_on(
    zensical: Callable[..., str], project: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """An exception would end `zensical serve`. It has to end `zensical build`, which shows no error otherwise."""
    (project / "docs/index.md").write_text('# Start\n\n```python nedds="cuda"\nprint(1)\n```\n', encoding="utf-8")
    with pytest.raises(PageError, match=r"docs/index\.md:3: "):
        zensical()
    monkeypatch.setattr("sys.argv", ["zensical", "serve"])
    assert "This page has an error" in zensical()
    assert "samedevice: docs/index.md:3: " in capsys.readouterr().err


def test_a_block_that_is_recorded_nowhere_is_told(
    zensical: Callable[..., str], project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Nothing runs it here, so that it would be shown without its output, and nobody would know."""
    with (project / "docs/index.md").open("a", encoding="utf-8") as page:
        page.write("\n```python\nprint('new')\n```\n")
    zensical()
    told = "samedevice: docs/index.md:14: 1 blocks from here on are recorded nowhere as they stand; run pytest "
    assert told in capsys.readouterr().err


def test_a_block_that_is_recorded_to_fail_or_to_vary_is_told_no_more(
    zensical: Callable[..., str], project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """`samedevice init` has told it; a strict build with MkDocs passes, too."""
    (project / "docs/index.md").write_text("# Start\n\n```python\na\n```\n\n```python\nb\n```\n", encoding="utf-8")
    shutil.rmtree(project / "tests/recordings")
    record(project, "index.md", Output(raised=Raised("NameError", "name 'a' is not defined")), Output(died=VARIES))
    assert "data-block" in zensical()
    assert capsys.readouterr().err == ""


def test_settings_are_read_without_mkdocs(tmp_path: Path) -> None:
    """As the plugin takes them, with what a project inherits; functions are not imported."""
    (tmp_path / "base.yml").write_text("docs_dir: pages\nsite_name: Base\n", encoding="utf-8")
    (tmp_path / "mkdocs.yml").write_text(
        "INHERIT: base.yml\nsite_name: Own\nplugins: {samedevice: {leave: [a.md], console: true}}\n"
        "markdown_extensions: {x: {y: !!python/name:no.such.module ''}}\n",
        encoding="utf-8",
    )
    found = read(tmp_path)
    assert found["site_name"] == "Own"
    settings = settings_of(found, tmp_path)
    assert (settings.docs, settings.leave, settings.console) == ("pages", ("a.md",), True)
    assert not weaves(found)


def test_a_setting_that_nobody_knows_or_of_another_kind_is_an_error(tmp_path: Path) -> None:
    """As under MkDocs."""
    with pytest.raises(ProjectError, match=r"mkdocs\.yml: samedevice: leave: 'a\.md' is no list; write one"):
        settings_of({"plugins": [{"samedevice": {"leave": "a.md"}}]}, tmp_path)
    with pytest.raises(
        ProjectError, match=r"mkdocs\.yml: the plugin samedevice has no setting consol; it has .*\bconsole\b"
    ):
        settings_of({"plugins": [{"samedevice": {"consol": True}}]}, tmp_path)
    with pytest.raises(ProjectError, match=r"samedevice: namespace: there is no 'sections'; write page or section"):
        settings_of({"plugins": [{"samedevice": {"namespace": "sections"}}]}, tmp_path)


def test_it_needs_no_mkdocs() -> None:
    """A project that left MkDocs behind does not have it."""
    code = (
        "import sys; sys.modules['mkdocs'] = sys.modules['torch'] = None\n"
        "import samedevice.integration.extension, samedevice.integration.zensical"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


@needs_zensical
def test_zensical_build_fails_on_a_page_that_is_wrong(project: Path) -> None:
    """A page is never replaced in a build that passes."""
    build = [sys.executable, "-m", "zensical", "build"]
    assert subprocess.run(build, cwd=project, check=False).returncode == 0
    (project / "docs/index.md").write_text('# Start\n\n```python nedds="cuda"\nprint(1)\n```\n', encoding="utf-8")
    done = subprocess.run(build, cwd=project, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "PageError: docs/index.md:3: " in done.stderr
