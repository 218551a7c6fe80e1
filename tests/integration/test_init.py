"""`samedevice init`: it adds to a mkdocs.yml and changes nothing else, records, and says what it left out."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from samedevice.integration.cli import FAILED, SAME, main
from samedevice.integration.init import with_entry
from samedevice.integration.preloading import worth_preloading
from samedevice.integration.project_file import ProjectError
from samedevice.running.processes import CAN_FORK

SLOW = "import threading, time\nend = time.process_time() + 0.3\nwhile time.process_time() < end: pass\n"
"""A module whose import takes processor time."""
PAGES = {
    "index.md": """\
# Page

```python
x = 6
x * 7
```

```python
1 / 0
```

<!-- pytest.mark.skip -->
```python
download()
```

```python
import time

time.perf_counter_ns()
```

```python run="no" reason="needs an account"
login()
```
""",
    "refused.md": "# Page\n\n```python oops\n1\n```\n",
}


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, light_torch: None) -> Path:
    """A project of somebody else."""
    (tmp_path / "docs").mkdir()
    for name, text in PAGES.items():
        (tmp_path / "docs" / name).write_text(text, encoding="utf-8")
    (tmp_path / "mkdocs.yml").write_text("site_name: Other\ntheme: mkdocs\n", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_it_records_and_says_what_it_left_out(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A strict build then passes, pytest compares, and a second time nothing changes."""
    assert main(["init"]) == SAME
    said = capsys.readouterr().out
    for part in (
        "mkdocs.yml: added samedevice to plugins\n",
        "recorded docs/index.md on cpu-",
        "  without output: docs/index.md:8 on cpu raised ZeroDivisionError: division by zero\n",
        "  without output: docs/index.md:17 on cpu prints something else each time\n",
        "left as they are, by `pytest.mark.skip`: 1 blocks\n",
        'left as they are, by `run="no"`: 1 blocks\n',
        "left as it is, a page that is listed below leave: docs/refused.md:3: cannot read",
    ):
        assert part in said
    build = [sys.executable, "-m", "mkdocs", "build", "--strict"]
    done = subprocess.run(build, cwd=project, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert '<pre class="sd-text" tabindex="0">42</pre>' in (project / "site/index.html").read_text(encoding="utf-8")
    tests = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-q", "--samedevice-record"]
    for options, passed in ((tests, 1), (tests[:-1], 2)):  # what is recorded anew says still that the time varies
        done = subprocess.run([*options, "docs"], cwd=project, capture_output=True, text=True, check=False)
        assert f"{passed} passed, 1 skipped, 1 xfailed" in done.stdout.replace("1 error, ", ""), done.stdout
    before = (project / "mkdocs.yml").read_bytes()
    assert main(["init"]) == SAME
    assert "mkdocs.yml lists samedevice already\nunchanged: docs/index.md" in capsys.readouterr().out
    assert (project / "mkdocs.yml").read_bytes() == before


def test_a_block_that_fails_twice_has_failed(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Its message may be another one each time, as griffe's is that names a folder; why it fails is what counts."""
    text = "# Page\n\n```python\nimport time\n\nraise ValueError(time.perf_counter_ns())\n```\n"
    (project / "docs/index.md").write_text(text, encoding="utf-8")
    assert main(["init"]) == SAME
    assert "without output: docs/index.md:3 on cpu raised ValueError: " in capsys.readouterr().out


def test_random_numbers_are_found_to_vary(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Also where the processes of pages begin with a NumPy that was imported for all of them."""
    text = "# Page\n\n```python\nimport matplotlib.pyplot\nimport numpy\n\nnumpy.random.random()\n```\n"
    (project / "docs/index.md").write_text(text, encoding="utf-8")
    assert main(["init"]) == SAME
    assert "docs/index.md:3 on cpu prints something else each time" in capsys.readouterr().out


@pytest.mark.skipif(not CAN_FORK, reason="there is no fork here, and each page starts an interpreter")
@pytest.mark.parametrize(
    ("module", "preload"),
    [
        (SLOW, ' {preload: ["other.slow"]}'),
        (f"{SLOW}print('hello')\n", ""),
        (f"{SLOW}threading.Thread(target=time.sleep, args=[5], daemon=True).start()\n", ""),
        ("", ""),
    ],
    ids=["slow", "prints", "thread", "quick"],
)
def test_a_package_that_takes_long_to_import_is_preloaded(
    project: Path, monkeypatch: pytest.MonkeyPatch, module: str, preload: str
) -> None:
    """Even if no block names it. What an import prints is the page's, and a thread does not live on in a fork."""
    (project / "lib/other").mkdir(parents=True)
    (project / "lib/other/__init__.py").write_text("def load():\n    import other.slow\n", encoding="utf-8")
    (project / "lib/other/slow.py").write_text(module, encoding="utf-8")
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(project / "lib"), os.environ.get("PYTHONPATH", "")]))
    for name in ("index", "refused"):
        text = "# Page\n\n```python\nimport other\n\nother.load()\n```\n\n```python\nimport ...\n```\n"
        (project / f"docs/{name}.md").write_text(text, encoding="utf-8")
    assert main(["init"]) == SAME
    said = (project / "mkdocs.yml").read_text(encoding="utf-8")
    assert said.endswith(f"  - samedevice{':' * bool(preload)}{preload}\n")


@pytest.mark.skipif(not CAN_FORK, reason="there is no fork here, and each page starts an interpreter")
def test_what_is_imported_once_anyway_is_not_preloaded_and_all_else_may_be() -> None:
    """A package that neither imports would be imported on each page."""
    assert worth_preloading([("matplotlib", "matplotlib.pyplot")] * 10) == []
    assert "pandas" in worth_preloading([("numpy", "pandas")] * 10)


def test_it_changes_nothing_that_it_cannot_change_safely(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The message says what to add, the pages to leave included."""
    text = "INHERIT: ../base.yml\n"
    (project.parent / "base.yml").write_text("site_name: Other\nplugins: [search]\n", encoding="utf-8")
    (project / "mkdocs.yml").write_text(text, encoding="utf-8")
    assert main(["init"]) == FAILED
    assert '  - samedevice: {leave: ["refused.md"]}\n' in capsys.readouterr().err
    assert (project / "mkdocs.yml").read_text(encoding="utf-8") == text
    assert not (project / "tests").exists()
    (project.parent / "base.yml").write_text("site_name: Other\n", encoding="utf-8")
    assert main(["init"]) == SAME  # no file lists plugins


def test_a_list_that_is_inherited_gets_one_more(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """In its own file, if that is the project's: soupsieve and coloraide have a file for Zensical of another name."""
    (project / "base.yml").write_text("site_name: Other\nplugins:\n  - search\n", encoding="utf-8")
    (project / "mkdocs.yml").write_text("INHERIT: base.yml\n", encoding="utf-8")
    assert main(["init"]) == SAME
    assert "base.yml: added samedevice to plugins\n" in capsys.readouterr().out
    assert (project / "mkdocs.yml").read_text(encoding="utf-8") == "INHERIT: base.yml\n"
    text = 'site_name: Other\nplugins:\n  - search\n  - samedevice: {leave: ["refused.md"]}\n'
    assert (project / "base.yml").read_text(encoding="utf-8") == text


def test_inherited_plugins_that_are_a_mapping_get_one_more(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """MkDocs merges mappings, so the file that inherits may add to them. Textual has its plugins so."""
    (project / "base.yml").write_text("site_name: Other\nplugins: {search: }\n", encoding="utf-8")
    (project / "mkdocs.yml").write_text("INHERIT: base.yml\n", encoding="utf-8")
    assert main(["init"]) == SAME, capsys.readouterr().err
    text = 'INHERIT: base.yml\n\nplugins:\n  samedevice: {leave: ["refused.md"]}\n'
    assert (project / "mkdocs.yml").read_text(encoding="utf-8") == text


def test_zensical_is_given_the_extension_too(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """It runs no plugins of MkDocs, so the plugin alone would change nothing, and say nothing."""
    text = "site_name: Other\nmarkdown_extensions:\n  zensical.extensions.macros:\n  tables:\n"
    (project / "mkdocs.yml").write_text(text, encoding="utf-8")
    assert main(["init"]) == SAME
    said = capsys.readouterr().out
    assert "mkdocs.yml: added samedevice to plugins and markdown_extensions\n" in said
    assert "look: python -m zensical serve, which needs the line watch: [tests/recordings] in mkdocs.yml; then" in said
    assert "  tables:\n  samedevice: {}\n\nplugins:\n" in (project / "mkdocs.yml").read_text(encoding="utf-8")


def test_what_to_write_beside_another_file_than_mkdocs_yml_is_told(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Settings are read from mkdocs.yml alone."""
    (project / "mkdocs.yml").rename(project / "other.yml")
    assert main(["init"]) == FAILED
    assert "write one that says INHERIT: that name" in capsys.readouterr().err
    (project / "zensical.toml").touch()
    assert main(["init"]) == FAILED
    assert (
        "write [project.markdown_extensions.samedevice] in zensical.toml, and markdown_extensions: ["
        in capsys.readouterr().err
    )


def test_extensions_that_no_file_lists_are_left(project: Path) -> None:
    """Zensical has some of its own then, which a list would replace."""
    with pytest.raises(
        ProjectError, match=r"itself lists no markdown_extensions; in the file that does, or in a whole"
    ):
        with_entry("site_name: x\n", project / "mkdocs.yml", "markdown_extensions", {})


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("site_name: x", "site_name: x\n\nplugins:\n  - search\n  - samedevice\n"),
        ("plugins: [tags]  # all\nnav: []\n", "plugins: [tags, samedevice]  # all\nnav: []\n"),
        ("plugins: [ tags, ]\n", "plugins: [ tags, samedevice]\n"),
        ("plugins:\n- a\n- b: {c: 1}\n\n# d\nnav: []\n", "plugins:\n- a\n- b: {c: 1}\n- samedevice\n\n# d\nnav: []\n"),
        ("plugins:\r\n  - a:\r\n      b: c\r\n", "plugins:\r\n  - a:\r\n      b: c\r\n  - samedevice\r\n"),
        ("plugins: # ours\n  # one\n  - tags", "plugins: # ours\n  # one\n  - tags\n  - samedevice\n"),
        ("plugins:\n  a:\nb: !ENV [A, 1]\n", "plugins:\n  a:\n  samedevice: {}\nb: !ENV [A, 1]\n"),
    ],
)
def test_a_plugin_is_added_as_its_list_is_written(before: str, after: str) -> None:
    """Comments, indents and line ends stay."""
    assert with_entry(before, Path("mkdocs.yml"), "plugins", {}) == after


@pytest.mark.parametrize(
    "text", ["plugins: []\n", "plugins: [\n  search\n]\n", "plugins: &all [search]\n", "{plugins: [a]}\n"]
)
def test_a_list_that_is_written_otherwise_is_left(text: str) -> None:
    """Whoever wrote it adds the line."""
    with pytest.raises(ProjectError, match=r"cannot be changed safely, so nothing was; add this below plugins:"):
        with_entry(text, Path("mkdocs.yml"), "plugins", {})
