"""Zensical: the extension that weaves pages under it, and `samedevice build`.

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
from typing import Any

import pytest
from markdown import Extension, Markdown
from markdown.preprocessors import Preprocessor

from same_device_site.settings import parse_page
from samedevice.errors import PageError
from samedevice.integration.cli import DIFFERENT, FAILED, SAME, main
from samedevice.integration.extension import SameDeviceExtension
from samedevice.integration.project_file import ProjectError, adapted, read, settings_of, weaves
from samedevice.integration.zensical.build import check
from samedevice.integration.zensical.copy import description, with_front_matter
from samedevice.integration.zensical.pages import COPY, PAGE, project_root
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


def test_in_a_copy_a_notebook_is_a_page_and_links_lead_to_it(zensical: Callable[..., str], project: Path) -> None:
    """`samedevice build` has Zensical build a copy, whose notebooks are Markdown."""
    copy = project / COPY
    (copy / "docs/sub").mkdir(parents=True)
    (copy / "docs/index.md").write_text(PAGE_TEXT, encoding="utf-8")
    (copy / "docs/sub/walk.md").write_text("nothing of this is shown", encoding="utf-8")
    walk = zensical("sub/walk.md", copy)
    assert "<h1>Walk</h1>" in walk
    assert '<a href="../index.md">start</a>' in walk
    assert "in the walk</pre>" in walk
    assert "2 of 2" not in walk
    assert "title: A walk" not in walk
    home = zensical("index.md", copy)
    assert '<a href="sub/walk.md#walk">' in home
    assert "<style>" not in home  # the copy's mkdocs.yml has files for that


def test_the_root_of_a_copy_is_that_of_its_project(tmp_path: Path) -> None:
    """Recordings and programs are there."""
    assert project_root(tmp_path / COPY) == (tmp_path, True)
    assert project_root(tmp_path) == (tmp_path, False)


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


def test_the_copy_of_a_configuration_keeps_what_is_not_ours(tmp_path: Path) -> None:
    """Functions by name, styles after ours, folders where they are; a notebook is Markdown wherever it is named."""
    (tmp_path / "mkdocs.yml").write_text(
        "site_name: Own\ntheme: {name: material, custom_dir: over}\nextra_css: [own.css]\n"
        "nav: [{Walk: sub/walk.py}, other.py]\nplugins: [redirects: {redirect_maps: {old.md: sub/walk.py}}]\n"
        "markdown_extensions: [x: {y: !!python/name:os.getcwd ''}]\n",
        encoding="utf-8",
    )
    text = adapted(tmp_path, {"sub/walk.py"}, {"site_dir": "site"})
    assert "!!python/name:os.getcwd" in text
    (tmp_path / "mkdocs.yml").write_text(text, encoding="utf-8")
    found = read(tmp_path)
    assert found["nav"] == [{"Walk": "sub/walk.md"}, "other.py"]
    assert found["plugins"][0]["redirects"]["redirect_maps"] == {"old.md": "sub/walk.md"}
    assert found["extra_css"] == ["assets/samedevice/outputs.css", "own.css"]
    assert found["extra_javascript"] == ["assets/samedevice/outputs.js"]
    assert found["theme"]["custom_dir"] == str(tmp_path / "over")
    assert found["site_dir"] == "site"


def test_the_front_matter_of_a_copy_says_what_there_is_to_take_along(project: Path) -> None:
    """Templates read it; what the page says itself stays."""
    page = parse_page(project / "docs/index.md", project)
    assert with_front_matter(page, {"base": "index"}).startswith('---\nsamedevice: {"base": "index"}\ntitle: Start\n')
    assert with_front_matter(page, None) == PAGE_TEXT
    walk = parse_page(project / "docs/sub/walk.py", project)
    assert with_front_matter(walk, {}).startswith("---\nsamedevice: {}\ntitle: A walk\n---\n")
    assert description(page) == "What it is."
    assert description(walk) == ""


def test_a_page_or_an_output_that_zensical_leaves_out_is_told(project: Path) -> None:
    """Its exit status does not say so."""
    page = parse_page(project / "docs/index.md", project)
    copy: Any = SimpleNamespace(pages={"index.md": page})
    html = project / "index.html"
    assert "docs/index.md: zensical built no page of it" in check(copy, html, "index.md", [])[0]
    html.write_text('<div class="language-python highlight" data-block="0"><pre>1</pre></div>', encoding="utf-8")
    assert "docs/index.md:10: the page shows other code than what is run" in check(copy, html, "index.md", [])[0]
    code = page.blocks[0].code.replace('"', "&quot;")
    html.write_text(f'<div class="language-python highlight" data-block="0"><pre>{code}</pre></div>', encoding="utf-8")
    assert check(copy, html, "index.md", []) == []
    assert "does not show the output" in check(copy, html, "index.md", ["<p>one</p>"])[0]


@pytest.mark.parametrize(
    ("config", "told"),
    [
        (None, "mkdocs.yml cannot be read (No such file or directory); go to the folder of your mkdocs.yml"),
        ("site_name: [", "mkdocs.yml is no YAML: "),
        ("site_name: A\n", "add `- samedevice` below markdown_extensions"),
        (f"{CONFIG}docs_dir: pages\n", "docs_dir: pages is no folder below "),
        (f"{CONFIG}site_dir: .\n", "site_dir: . is replaced by each build; name a folder of its own"),
    ],
)
def test_a_build_that_cannot_be_says_what_to_do(
    root: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    config: str | None,
    told: str,
) -> None:
    """And nothing is removed."""
    monkeypatch.chdir(root)
    monkeypatch.setattr("samedevice.integration.cli.need", lambda *_: None)
    if config:
        Path("mkdocs.yml").write_text(config, encoding="utf-8")
    assert main(["build"]) == FAILED
    assert told in capsys.readouterr().err
    assert (root / "docs").is_dir()


def test_it_needs_no_mkdocs() -> None:
    """A project that left MkDocs behind does not have it."""
    code = (
        "import sys; sys.modules['mkdocs'] = sys.modules['torch'] = None\n"
        "import samedevice.integration.extension, samedevice.integration.zensical.build"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


@needs_zensical
def test_samedevice_build_makes_the_whole_site(
    project: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """Pages, the notebook, downloads, lists; and the project's folder of pages is as it was."""
    monkeypatch.chdir(project)
    before = sorted(project.joinpath("docs").rglob("*"))
    assert main(["build"]) == SAME, capfd.readouterr()
    html = (project / "site/sub/walk/index.html").read_text(encoding="utf-8")
    assert 'data-devices="cpu cuda"' in html
    assert "<title>A walk - Other</title>" in html
    assert html.index("assets/samedevice/outputs.css") > html.index("assets/stylesheets/")
    assert "var sd=" in html.partition("</head>")[0]
    home = (project / "site/index.html").read_text(encoding="utf-8")
    assert 'href="sub/walk/#walk"' in home
    for name in ("index.ipynb", "index.md", "index.check.json", "sub/walk.ipynb", "llms-full.txt"):
        assert (project / "site" / name).is_file()
    assert (project / "site/sub/walk.py").read_text(encoding="utf-8") != WALK
    assert "[Start](index.md): What it is." in (project / "site/llms.txt").read_text(encoding="utf-8")
    assert sorted(project.joinpath("docs").rglob("*")) == before


@needs_zensical
def test_zensical_build_fails_on_a_page_that_is_wrong(project: Path) -> None:
    """A page is never replaced in a build that passes."""
    build = [sys.executable, "-m", "zensical", "build"]
    assert subprocess.run(build, cwd=project, check=False).returncode == 0
    (project / "docs/index.md").write_text('# Start\n\n```python nedds="cuda"\nprint(1)\n```\n', encoding="utf-8")
    done = subprocess.run(build, cwd=project, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "PageError: docs/index.md:3: " in done.stderr


@needs_zensical
def test_samedevice_build_fails_on_a_page_that_is_wrong_and_keeps_the_site_if_zensical_fails(
    project: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """All that is wrong is told at the end."""
    monkeypatch.chdir(project)
    (project / "docs/index.md").write_text('# Start\n\n```python nedds="cuda"\nprint(1)\n```\n', encoding="utf-8")
    assert main(["build"]) == DIFFERENT
    assert "samedevice: docs/index.md:3: " in capfd.readouterr().err
    (project / "mkdocs.yml").write_text(f"{CONFIG}theme: gone\n", encoding="utf-8")
    assert main(["build"]) == FAILED
    assert "samedevice: mkdocs.yml: Theme 'gone' is not installed" in capfd.readouterr().err
    assert (project / "site/index.html").is_file()
