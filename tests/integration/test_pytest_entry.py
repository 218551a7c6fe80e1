"""pytest's entry point: it does nothing until a project asks, and then all that the plugin does."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from samedevice.running.processes import CAN_FORK

ENTRY = ("-p", "no:cacheprovider")
"""The plugin itself is found by its entry point, as in a project that installed the package."""
MKDOCS = "site_name: Other\ntheme: mkdocs\nplugins: [samedevice: {recordings: golden}]\n"
PAGE = "# Page\n\n```python\nprint('printed ' + 'here')\n```\n\n```console\n$ touch made\n```\n"


@pytest.fixture
def project(pytester: pytest.Pytester, light_torch: None) -> pytest.Pytester:
    """A project of somebody else with one page."""
    (pytester.path / "docs").mkdir()
    (pytester.path / "docs/index.md").write_text(PAGE, encoding="utf-8")
    (pytester.path / "mkdocs.yml").write_text(MKDOCS, encoding="utf-8")
    return pytester


def test_it_is_inert_unless_asked(project: pytest.Pytester) -> None:
    """It is there wherever the package is installed."""
    (project.path / "mkdocs.yml").write_text("site_name: Other\n", encoding="utf-8")
    project.makepyfile("def test_own(): pass")
    result = project.runpytest_subprocess(*ENTRY, "-q")
    result.assert_outcomes(passed=1)
    result.stdout.no_fnmatch_line("*same device*")


def test_a_program_beside_the_pages_is_no_page(project: pytest.Pytester) -> None:
    """A build leaves it a file: only a file of Python with cells is a notebook."""
    (project.path / "docs/gallery.py").write_text("import missing\n", encoding="utf-8")
    (project.path / "docs/notebook.py").write_text("# %%\n1 + 1\n", encoding="utf-8")
    project.runpytest_subprocess(*ENTRY, "--samedevice-record").assert_outcomes(passed=2)


def test_it_leaves_other_plugins_their_options(project: pytest.Pytester) -> None:
    """Many projects have a --device of their own."""
    project.makeconftest(
        "def pytest_addoption(parser):\n    parser.addoption('--device')\n    parser.addoption('--record')\n"
    )
    result = project.runpytest_subprocess(*ENTRY, "--device", "anything", "--samedevice-record")
    result.assert_outcomes(passed=1)
    assert list((project.path / "golden").rglob("index.json"))


def test_the_blocks_of_a_project_that_asks_are_tests(project: pytest.Pytester) -> None:
    """They fail until they are recorded, by the command that the failure names."""
    result = project.runpytest_subprocess(*ENTRY)
    result.assert_outcomes(failed=1)
    command = "pytest docs/index.md --samedevice-device cpu --samedevice-record"
    result.stdout.fnmatch_lines([f"*docs/index.md:3 has no recording for cpu; run {command}"])
    project.runpytest_subprocess(*ENTRY, *command.split()[1:]).assert_outcomes(passed=1)
    project.runpytest_subprocess(*ENTRY).assert_outcomes(passed=2)
    (project.path / "docs/index.md").write_text(PAGE.replace("'here'", "'there'"), encoding="utf-8")
    project.runpytest_subprocess(*ENTRY).assert_outcomes(failed=1, passed=1)
    assert not (project.path / "made").exists()


@pytest.mark.skipif(not CAN_FORK, reason="there is no fork here, and each page starts an interpreter")
def test_what_a_project_preloads_is_imported_once(project: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each page has a process of its own; most of the time of a large package would go into its import."""
    (project.path / "lib").mkdir()
    (project.path / "lib/slow.py").write_text(f"print(file=open({str(project.path / 'imports')!r}, 'a'))\n")
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(project.path / "lib"), os.environ.get("PYTHONPATH", "")]))
    for name in ("index", "other"):
        (project.path / f"docs/{name}.md").write_text("# Page\n\n```python\nimport slow\n```\n", encoding="utf-8")

    def imports() -> int:
        project.runpytest_subprocess(*ENTRY, "--samedevice-record").assert_outcomes(passed=2)
        return (project.path / "imports").read_text().count("\n")

    assert imports() == 2
    preload = MKDOCS.replace("golden", "golden, preload: [missing, slow]")
    (project.path / "mkdocs.yml").write_text(preload, encoding="utf-8")
    assert imports() == 2 + 1


def test_a_block_that_fails_leaves_the_others_recorded(project: pytest.Pytester) -> None:
    """It shows no output, and fails again without surprise: a project can begin before all of its pages are right."""
    project.makeini("[pytest]\ntestpaths = tests\n")
    failing = f"{PAGE}\n```python\n1 / 0\n```\n\n```python\n'after' + 'wards'\n```\n"
    (project.path / "docs/index.md").write_text(failing, encoding="utf-8")
    result = project.runpytest_subprocess(*ENTRY, "--samedevice-record")
    result.assert_outcomes(passed=2, xfailed=1)
    told = "recorded docs/index.md *: 3 blocks, of which 1 fail and show nothing, first *.md:11 *"
    result.stdout.fnmatch_lines([told])
    project.runpytest_subprocess(*ENTRY, "docs").assert_outcomes(passed=3, xfailed=1)
    build = [sys.executable, "-m", "mkdocs", "build", "--strict"]
    done = subprocess.run(build, cwd=project.path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    html = (project.path / "site/index.html").read_text(encoding="utf-8")
    assert "ran docs/index.md" not in done.stderr, "what is recorded to fail is shown without an output anyway"
    assert "ZeroDivisionError" not in html
    assert "afterwards" in html
    (project.path / "docs/index.md").write_text(failing.replace("/ 0", "/ 1"), encoding="utf-8")
    project.runpytest_subprocess(*ENTRY, "docs").assert_outcomes(passed=2, failed=2)


def test_a_project_inherits_what_asks(project: pytest.Pytester) -> None:
    """As MkDocs reads it, mappings within mappings."""
    (project.path / "mkdocs.yml").rename(project.path / "base.yml")
    (project.path / "mkdocs.yaml").write_text("INHERIT: base.yml\ntheme: {language: de}\n", encoding="utf-8")
    project.runpytest_subprocess(*ENTRY, "--samedevice-record").assert_outcomes(passed=1)


def test_a_file_that_cannot_be_read_is_told_where_it_asks(project: pytest.Pytester) -> None:
    """In one line, and no test passes by not being there. Elsewhere it is no business of ours."""
    path = project.path / "mkdocs.yml"
    path.write_text("site_name: Other\nplugins: [samedevice: {leave: x}]\n", encoding="utf-8")
    result = project.runpytest_subprocess(*ENTRY)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*leave: 'x' is no list; write one"])
    project.makepyfile("def test_own(): pass")
    path.write_text("INHERIT: missing.yml\n", encoding="utf-8")
    project.runpytest_subprocess(*ENTRY).assert_outcomes(passed=1)


def test_a_folder_that_pytest_takes_for_the_project_is_told(project: pytest.Pytester) -> None:
    """Without a configuration of its own, pytest takes the folder that it is given; no page would be found."""
    result = project.runpytest_subprocess("-p", "no:cacheprovider", "docs", f"--rootdir={project.path / 'docs'}")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*for the folder of the project; give --rootdir=*"])


def test_who_lacks_the_package_is_told_nothing(project: pytest.Pytester) -> None:
    """A contributor to a project whose warnings are errors runs its own tests as before: pytest finds nothing of us."""
    project.makeini("[pytest]\naddopts = --strict-config --strict-markers\nfilterwarnings = error\n")
    project.makepyfile("def test_own(): pass")
    result = project.runpytest_subprocess("-p", "no:samedevice", *ENTRY)
    result.assert_outcomes(passed=1)


def test_a_wheel_and_two_lines_are_enough_without_torch(tmp_path: Path, installed: Callable[..., Path]) -> None:
    """An empty folder becomes a tested page; its outputs are those of this Python."""
    programs = installed("mkdocs", "pymdown-extensions", "pygments", "pytest", "sybil")
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs/index.md").write_text(PAGE, encoding="utf-8")
    (tmp_path / "mkdocs.yml").write_text("site_name: Other\nplugins: [samedevice]\n", encoding="utf-8")
    environ = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}

    def run(*command: str) -> str:
        pipes: dict[str, Any] = {"cwd": tmp_path, "env": environ, "capture_output": True, "text": True, "check": False}
        done = subprocess.run([programs / "python", "-m", *command], **pipes)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    assert "recorded docs/index.md on cpu-python3." in run("pytest", "--samedevice-record")
    assert "2 passed" in run("pytest")
    run("mkdocs", "build", "--strict")
    html = (tmp_path / "site/index.html").read_text(encoding="utf-8")
    assert '<span class="sd-label">Python 3.' in html
    assert "printed here" in html


EXPECTED = """\
# Page

- In a list:

    ```python
    for number in range(2):
        print(number)
    ```

    ```text
    0
    {0}
    ```

```python
"last"
```
Prose, so this is text:

```text
first
```
"""


def test_a_fence_after_a_block_may_say_what_it_prints(project: pytest.Pytester) -> None:
    """pytest compares with it, and what records writes it anew; the page shows it, and no second output."""
    config = MKDOCS.replace("{recordings: golden}", "{recordings: golden, expect: following}")
    (project.path / "mkdocs.yml").write_text(config, encoding="utf-8")
    page = project.path / "docs/index.md"
    page.write_text(EXPECTED.format("7"), encoding="utf-8")
    project.runpytest_subprocess(*ENTRY, "--samedevice-record").assert_outcomes(passed=2)
    assert page.read_text(encoding="utf-8") == EXPECTED.format("1")
    project.runpytest_subprocess(*ENTRY).assert_outcomes(passed=3)
    build = [sys.executable, "-m", "mkdocs", "build", "--strict"]
    done = subprocess.run(build, cwd=project.path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert (project.path / "site/index.html").read_text(encoding="utf-8").count('class="sd-out"') == 1
    page.write_text(EXPECTED.format("7"), encoding="utf-8")
    result = project.runpytest_subprocess(*ENTRY)
    result.assert_outcomes(passed=2, failed=1)
    result.stdout.fnmatch_lines(["*docs/index.md:5 on cpu: not what the page says below it, line 10*", "-7", "+1"])


def test_writing_what_a_fence_says_leaves_the_rest_of_its_page(project: pytest.Pytester) -> None:
    """The ends of its lines and its byte order mark belong to the project."""
    config = MKDOCS.replace("{recordings: golden}", "{recordings: golden, expect: following}")
    (project.path / "mkdocs.yml").write_text(config, encoding="utf-8")
    page = project.path / "docs/index.md"
    page.write_bytes(b"\xef\xbb\xbf" + EXPECTED.format("7").replace("\n", "\r\n").encode())
    project.runpytest_subprocess(*ENTRY, "--samedevice-record").assert_outcomes(passed=2)
    assert page.read_bytes() == b"\xef\xbb\xbf" + EXPECTED.format("1").replace("\n", "\r\n").encode()


COMMENTED = """\
# Page

> ```python
> for number in range(2):
>     print(number)
>     #> {0}
>     #> {1}
>
> print(object())
> #> <object object at 0x0123456789ab>
> print("in  quotes")
> '''
> in quotes
> '''
> ```
"""


def test_comments_of_pytest_examples_may_say_what_a_block_prints(project: pytest.Pytester) -> None:
    """pytest compares with them, and what records writes them anew, without a recording that is stale at once."""
    config = MKDOCS.replace("{recordings: golden}", "{recordings: golden, expect: following}")
    (project.path / "mkdocs.yml").write_text(config, encoding="utf-8")
    page = project.path / "docs/index.md"
    page.write_text(COMMENTED.format("7", "8"), encoding="utf-8")
    project.runpytest_subprocess(*ENTRY, "--samedevice-record").assert_outcomes(passed=1)
    assert page.read_text(encoding="utf-8") == COMMENTED.format("0", "1")
    project.runpytest_subprocess(*ENTRY).assert_outcomes(passed=2)
    page.write_text(COMMENTED.format("7", "1"), encoding="utf-8")
    result = project.runpytest_subprocess(*ENTRY)
    result.assert_outcomes(failed=1, passed=1)
    result.stdout.fnmatch_lines(["*docs/index.md:3 on cpu: not what the page says in its code*", "-    #> 7"])
