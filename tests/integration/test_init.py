"""`samedevice init`: it adds to a mkdocs.yml and changes nothing else, records, and says what it left out."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from samedevice.integration.cli import FAILED, SAME, main

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
    assert said.splitlines() == [
        "runs 3 blocks on 1 of 1 pages twice, each block at most 60 s, with your rights",
        'leaves as they are: 1 by `pytest.mark.skip`, 1 by `run="no"`',
        f"writes mkdocs.yml, tests/recordings, .cache/samedevice in {project}",
        "adds samedevice to plugins in mkdocs.yml",
        "recorded 1 pages: 3 blocks, 1 with an output, 1 failed",
        "of those that failed, which show no output:",
        "  1 raise other errors, first docs/index.md:8 on cpu raised ZeroDivisionError: division by zero",
        "1 show no output, since they print something else each time, first docs/index.md:17",
        "left as they are, 1 pages, listed below `leave`, first docs/refused.md:3: cannot read "
        '"oops"; write options as key="value"; if another tool knows it, list it below foreign: in mkdocs.yml',
        "look: python -m mkdocs serve; then commit mkdocs.yml and tests/recordings",
    ]
    assert (project / ".cache/samedevice/.gitignore").read_text(encoding="utf-8") == "*\n"
    build = [sys.executable, "-m", "mkdocs", "build", "--strict"]
    done = subprocess.run(build, cwd=project, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert '<pre class="sd-text" tabindex="0">42</pre>' in (project / "site/index.html").read_text(encoding="utf-8")
    tests = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-q", "--samedevice-record"]
    for options, passed in ((tests, 1), (tests[:-1], 2)):  # what is recorded anew says still that the time varies
        done = subprocess.run([*options, "docs"], cwd=project, capture_output=True, text=True, check=False)
        assert f"{passed} passed, 1 skipped, 1 xfailed" in done.stdout, done.stdout
    before = (project / "mkdocs.yml").read_bytes()
    assert main(["init"]) == SAME
    said = capsys.readouterr().out
    assert "mkdocs.yml lists samedevice already\nrecorded 1 pages, 1 of them as they were: 3 blocks" in said
    assert (project / "mkdocs.yml").read_bytes() == before


def test_a_block_that_fails_twice_has_failed(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Its message may be another one each time, as griffe's is that names a folder; why it fails is what counts."""
    text = "# Page\n\n```python\nimport time\n\nraise ValueError(time.perf_counter_ns())\n```\n"
    (project / "docs/index.md").write_text(text, encoding="utf-8")
    assert main(["init"]) == SAME
    assert "1 raise other errors, first docs/index.md:3 on cpu raised ValueError: " in capsys.readouterr().out


def test_random_numbers_are_found_to_vary(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Also where the processes of pages begin with a NumPy that was imported for all of them."""
    text = "# Page\n\n```python\nimport matplotlib.pyplot\nimport numpy\n\nnumpy.random.random()\n```\n"
    (project / "docs/index.md").write_text(text, encoding="utf-8")
    assert main(["init"]) == SAME
    assert "print something else each time, first docs/index.md:3\n" in capsys.readouterr().out


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
    assert "adds samedevice to plugins in base.yml\n" in capsys.readouterr().out
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
    assert "adds samedevice to plugins and markdown_extensions in mkdocs.yml\n" in said
    assert "look: python -m zensical serve, which needs the line watch: [tests/recordings] in mkdocs.yml; then" in said
    assert "  tables:\n  samedevice: {}\n" in (project / "mkdocs.yml").read_text(encoding="utf-8")


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


def test_a_dry_run_writes_and_runs_nothing(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """It says what would be run and written, and what is left alone."""
    text = "# Page\n\n```python\nopen('made', 'w')\n```\n\n```python\nimport os\nos.system('make')\n```\n"
    (project / "docs/index.md").write_text(text, encoding="utf-8")
    before = sorted(path for path in project.rglob("*") if path.is_file())
    assert main(["init", "--dry-run"]) == SAME
    said = capsys.readouterr().out
    assert said.startswith("runs 1 blocks on 1 of 1 pages twice")
    assert "leaves as they are: 1 that start another program\n" in said
    assert said.endswith("nothing was run or written; leave out --dry-run to do so\n")
    assert sorted(path for path in project.rglob("*") if path.is_file()) == before


def test_it_says_how_far_it_has_come(
    project: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Eight minutes of silence look like a program that hangs."""
    monkeypatch.setattr("samedevice.integration.cli.PAUSE", 0)
    assert main(["init"]) == SAME
    lines = ["first run: 0 of 1 pages, now docs/index.md", "second run: 0 of 1 pages, now docs/index.md"]
    assert capsys.readouterr().err.splitlines() == lines


def test_a_summary_is_short(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """However many blocks fail: by kind, each with the first block of it."""
    kinds = ["missing", "import missing", "open('missing')", "raise OSError('Connection refused')", "1 +", "1 / 0"]
    blocks = [f"```python\n{code}\n```\n" for code in kinds for _ in range(20)]
    (project / "docs/index.md").write_text("\n".join(["# Page\n", *blocks]), encoding="utf-8")
    assert main(["init"]) == SAME
    said = capsys.readouterr().out.splitlines()
    assert len(said) <= 20
    kinds = ["lack a name", "lack a package", "lack a file", "lack a network or a service", "are no Python"]
    assert [line.partition(",")[0] for line in said if line.startswith("  ")] == [
        f"  20 {kind}" for kind in [*kinds, "raise other errors"]
    ]


@pytest.mark.parametrize("text", ["site_name: \xe4\n".encode("latin-1"), "site_name: x\n".encode("utf-16")])
def test_a_file_of_another_encoding_is_refused(project: Path, capsys: pytest.CaptureFixture[str], text: bytes) -> None:
    """With what to do, and no traceback."""
    (project / "mkdocs.yml").write_bytes(text)
    assert main(["init"]) == FAILED
    assert capsys.readouterr().err.endswith("mkdocs.yml is not UTF-8; save it as UTF-8\n")


def test_a_file_that_inherits_itself_is_refused(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """By way of another one, too."""
    (project / "mkdocs.yml").write_text("INHERIT: base.yml\n", encoding="utf-8")
    (project / "base.yml").write_text("INHERIT: mkdocs.yml\n", encoding="utf-8")
    assert main(["init"]) == FAILED
    assert "inherits itself" in capsys.readouterr().err


def test_what_pages_say_themselves_is_compared(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """In comments, in quotes, and in fences below; init changes no page, and recording writes what is printed, once."""
    said = ["print(1)\n#> 1", 'print({"a": 1})\n"""\n{\n    \'a\': 1,\n}\n"""', "print(3)\n#> 4"]
    text = "\n".join(
        ["# Page\n", *(f"```python\n{code}\n```\n" for code in said), "```python\n5\n```\n\n```text\n5\n```\n"]
    )
    (project / "docs/index.md").write_text(text, encoding="utf-8")
    assert main(["init"]) == SAME
    out = capsys.readouterr().out
    assert "4 blocks say themselves what they print, and pytest compares with that\n" in out
    assert "1 of them print something else, first docs/index.md:17; pytest fails until they say so" in out
    assert (project / "docs/index.md").read_text(encoding="utf-8") == text
    assert 'expect: "following"' in (project / "mkdocs.yml").read_text(encoding="utf-8")
    tests = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-q", "docs"]
    for options, told in (([], "1 failed, 4 passed"), (["--samedevice-record"], "4 passed"), ([], "5 passed")):
        done = subprocess.run([*tests, *options], cwd=project, capture_output=True, text=True, check=False)
        assert told in done.stdout, done.stdout
    assert (project / "docs/index.md").read_text(encoding="utf-8") == text.replace("#> 4", "#> 3")
    subprocess.run([sys.executable, "-m", "mkdocs", "build", "--strict"], cwd=project, capture_output=True, check=True)
    assert "sd-text" not in (project / "site/index.html").read_text(encoding="utf-8")


def test_fences_that_are_no_outputs_stay_text(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Many pages show a command or a file right after a block."""
    text = "# Page\n\n```python\nprint(1)\n```\n\n```text\nmy-app --help\n```\n"
    (project / "docs/index.md").write_text(text, encoding="utf-8")
    assert main(["init"]) == SAME
    assert "say themselves" not in capsys.readouterr().out
    assert "expect" not in (project / "mkdocs.yml").read_text(encoding="utf-8")


def test_a_block_that_hangs_costs_its_time_once(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """It is told once, and not run again until it changes; what is below it runs. The summary counts it."""
    hangs = "import time\nopen('runs', 'a').write('x')\ntime.sleep(99)"
    text = f"# Page\n\n```python\n{hangs}\n```\n\n```python\n1 + 1\n```\n"
    (project / "docs/index.md").write_text(text, encoding="utf-8")
    (project / "mkdocs.yml").write_text(
        "site_name: X\nplugins:\n  - samedevice: {time_limit: 1, cwd: ., leave: [refused.md]}\n", encoding="utf-8"
    )
    assert main(["init"]) == SAME
    assert "  1 take too long, first docs/index.md:3 on cpu did not end within 1 s" in capsys.readouterr().out
    tests = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-q", "docs"]
    for options in ([], ["--samedevice-record"]):
        done = subprocess.run([*tests, *options], cwd=project, capture_output=True, text=True, check=False)
        assert "passed, 1 xfailed" in done.stdout, done.stdout
        assert "1 of 2 blocks fail as recorded, and show no output:\n  1 take too long, first" in done.stdout
    build = [sys.executable, "-m", "mkdocs", "build", "--strict"]
    subprocess.run(build, cwd=project, capture_output=True, check=True)
    assert (project / "runs").read_text(encoding="utf-8") == "x"
    (project / "docs/index.md").write_text(text.replace("time.sleep(99)", "print(1)"), encoding="utf-8")
    done = subprocess.run([*tests, *options], cwd=project, capture_output=True, text=True, check=False)
    assert "2 passed" in done.stdout, done.stdout


def test_the_projects_own_package_is_the_library(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """If it is installed under that name, and no page uses PyTorch."""
    (project / "pyproject.toml").write_text('[project]\nversion = "1"\nname = "pytest"\n', encoding="utf-8")
    assert main(["init"]) == SAME
    assert 'library: "pytest", show: ["origin", "details"]' in (project / "mkdocs.yml").read_text(encoding="utf-8")
    recorded = (project / "tests/recordings/index.json").read_text(encoding="utf-8")
    assert "PyTorch" not in capsys.readouterr().out
    assert '"library": "pytest"' in recorded
