"""What `make projects` finds on other people's pages: counted from reports, and nothing taken for what it is not."""

from __future__ import annotations

import json
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest
import results
from pages_run import count
from projects import BUILT, CONFIGS, PROJECTS, Project, environment, hash_pages, make_project, source
from prove import fault, read_pages

REPORT = """<testsuites><testsuite>
<testcase name="one"/>
<testcase name="two"><failure message="short">docs/a.md:3 on cpu raised NameError: x</failure></testcase>
<testcase name="three"><skipped message="why"/></testcase>
<testcase name="four"><skipped type="pytest.xfail" message="docs/a.md:9 on cpu ran longer than 60 s"/></testcase>
<testcase name="docs/b.md"><error message="collection failure">docs/b.md:1: no</error></testcase>
</testsuite></testsuites>"""
FOUND = {
    "address": "https://example.org/one",
    "commit": "abc",
    "release": "1.0",
    "pages": 4,
    "refused": ["docs/x.md:1: no"],
    "refused by the build": [],
    "blocks": 12,
    "skipped": {"skipped by its own tests": 2},
    "passed": 4,
    "failed": {"raised A": 2, "raised B": 1, "raised C": 1, "raised D": 1, "raised E": 1},
    "left out": {"raised A": 7},
    "recorded": 3,
    "the same again": 2,
    "seconds": 2.6,
    "cpu": 1.6,
    "their tool": {"tool": "tool 2.0", "passed": 5, "skipped": 2, "failed": 1, "seconds": 4.2, "cpu": 3.2},
}


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A checkout with one page, whose blocks its own tests skip in each project's way."""
    (tmp_path / "source/docs").mkdir(parents=True)
    text = """# Page

<!-- pytest-codeblocks:skip -->
```python
a
```

    ```python {test="skip" lint="skip"}
    b
    ```

```python {requires="3.12" test="skip - why"}
c
```

```python
d = 1
```
"""
    (tmp_path / "source/docs/page.md").write_text(text, encoding="utf-8")
    return tmp_path / "source"


def named(name: str) -> Project:
    """The project with this name."""
    return next(project for project in (*PROJECTS, *BUILT) if project.name == name)


def test_a_report_is_counted_and_a_page_that_is_refused_is_no_test() -> None:
    """A file that was not collected has no block that could fail."""
    found = count(REPORT, 1.23, 0.5)
    assert (found.passed, found.skipped, found.seconds, found.cpu) == (1, 1, 1.2, 0.5)
    assert [fault(message) for message in found.failed] == [
        ("docs/a.md", 3, "raised NameError"),
        ("docs/a.md", 9, "ran longer than 60 s"),
    ]


@pytest.mark.parametrize(
    ("message", "what"),
    [
        ("docs/a/b.md:7 on cpu raised HTTPError instead of KeyError: x", "raised HTTPError"),
        ('docs/a/b.md:7 draws a figure; add alt="..." to its fence', "draws a figure"),
        ("docs/a/b.md:7 on cpu ran longer than 60 s\n\nIt had printed:\nx", "ran longer than 60 s"),
    ],
)
def test_a_fault_has_a_page_a_line_and_a_reason(message: str, what: str) -> None:
    """They say which fence to mark, and why."""
    assert fault(message) == ("docs/a/b.md", 7, what)


def test_a_failure_that_is_no_blocks_is_told() -> None:
    """It would be counted as one otherwise."""
    with pytest.raises(SystemExit, match="this failure is not that of a block:\nno fork server"):
        fault("no fork server")


def test_fences_that_its_own_tests_skip_are_left(tmp_path: Path, checkout: Path) -> None:
    """The engine reads the page as it is, with the conventions of the projects' own tools."""
    make_project(named("pydantic"), checkout, tmp_path / "made")
    pages, blocks, refused = read_pages(tmp_path / "made")
    assert (pages, refused) == (1, [])
    assert [block.code for block in blocks] == ["d = 1\n"]


def test_a_checkout_of_another_commit_is_refused(checkout: Path) -> None:
    """Its figures would be given for pages that they are not of."""
    project = named("pydantic")
    with pytest.raises(SystemExit, match=f"does not hold the pages of commit {project.commit}"):
        source(project, str(checkout))
    assert source(replace(project, pages=hash_pages(checkout)), str(checkout)) == checkout


def test_where_git_gets_nothing_it_says_what_to_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Many machines have no network."""
    monkeypatch.setattr("projects.ROOT", tmp_path)
    subprocess.run(["git", "init", "-q", str(tmp_path / "empty")], check=True)
    project = replace(named("torchio"), address=str(tmp_path / "empty"))
    with pytest.raises(SystemExit) as told:
        source(project, "")
    assert f"torchio: git cannot fetch commit {project.commit} from {tmp_path / 'empty'}: " in str(told.value)
    assert str(told.value).endswith("Name the folder of a checkout: tools/bench/prove.py torchio=FOLDER")
    assert not (tmp_path / ".cache/bench/source/torchio").exists()


def test_what_git_fetches_has_the_tag_that_versions_are_taken_from(
    tmp_path: Path, checkout: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A commit is fetched without its tags; griffe's packages then want a version of each other that none has."""
    monkeypatch.setattr("projects.ROOT", tmp_path)
    who = ("-c", "user.name=A", "-c", "user.email=a@example.org")
    for arguments in (["init", "-q"], ["add", "."], [*who, "commit", "-qm", "Begin"]):
        subprocess.run(["git", *arguments], cwd=checkout, check=True)
    found = {"address": str(checkout), "commit": "HEAD", "pages": hash_pages(checkout)}
    place = source(replace(named("griffe"), **found), "")
    tags = subprocess.run(["git", "tag", "--points-at", "HEAD"], cwd=place, capture_output=True, text=True, check=True)
    assert tags.stdout == "2.2.0\n"


@pytest.mark.parametrize("project", PROJECTS, ids=lambda project: project.name)
def test_each_project_installs_the_release_of_its_commit(
    project: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And an environment that has it is not made again."""
    wanted = (CONFIGS / f"{project.name}.txt").read_text(encoding="utf-8")
    assert any(line.startswith(project.name) and line.endswith(f"=={project.release}") for line in wanted.splitlines())
    monkeypatch.setattr("projects.ROOT", tmp_path)
    monkeypatch.setattr("subprocess.run", lambda *_, **__: pytest.fail("it is made again"))
    ready = tmp_path / ".cache/bench" / project.name / "ready"
    ready.parent.mkdir(parents=True)
    ready.write_text(wanted, encoding="utf-8")
    assert environment(project, tmp_path).is_relative_to(ready.parent)


def test_the_table_says_what_was_found() -> None:
    """With the commit, and the version of the other tool."""
    text = results.table([{"name": "one"} | FOUND])
    found = results.TABLE.search(f"Text.\n\n{text}\nText.\n")
    assert found
    assert found[0] == text
    assert text.splitlines() == [
        "| Pages of | [one 1.0](https://example.org/one/tree/abc) |",
        "| --- | --- |",
        "| Pages that are read | 4 of 5 |",
        "| Of them refused by the build | 0 |",
        "| Blocks of Python on them | 12 |",
        "| Shown and not run | 2 (all skipped by its own tests) |",
        "| Run | 10 |",
        "| Passed | 4 |",
        "| Failed | 6 (2 raised A, 1 raised B, 1 raised C, 1 raised D, 1 others) |",
        "| Recorded, without those that fail | 3 |",
        "| Printed the same in a second run | 2 |",
        "| Processor time, seconds | 2 |",
        "| Other tool | tool 2.0 |",
        "| With it passed | 5 |",
        "| With it failed | 1 |",
        "| With it skipped | 2 |",
        "| Processor time with it, seconds | 3 |",
    ]


def test_the_page_shows_what_was_found() -> None:
    """A figure that was typed is no measurement."""
    kept = json.loads(results.FILE.read_text(encoding="utf-8"))
    assert {f"{results.PROJECT}{project.name}" for project in PROJECTS} <= set(kept)
    page = results.OTHERS.read_text(encoding="utf-8")
    assert results.table(results.kept_projects()) in page
    assert results.built_table(results.kept_projects(results.BUILT)) in page


def test_the_table_of_builds_says_what_the_code_takes_alone() -> None:
    """A ratio of the times hides that one tool runs more code than the other, and goes further in it."""
    about = {"address": "https://example.org/a", "commit": "abc", "warnings": [1, 2]}
    theirs = {"passed": 1, "failed": 3, "cpu": 1.0}
    both = {"blocks": 4, "passed": 2, "cpu": 1.5, "code alone": 0.5, "with tool": {"cpu": 1.0, "code alone": 0.25}}
    found = about | {"passed": 4, "failed": 2, "cpu": 3.0, "code alone": 2.0, "with pytest-markdown-docs": theirs}
    rows = [{"name": "own-a"} | found | {"the fences of both": both}, {"name": "b"} | found]
    assert results.built_table(rows).splitlines()[2:] == [
        "| [a](https://example.org/a/tree/abc) | 2 | 4 / 2 | 1 / 3 | 3.00 (2.00) / 1.00 | 3.00 "
        "| 4 | 1.50 (0.50) / 1.00 (0.25) | 1.50 |",
        "| [b](https://example.org/a/tree/abc) | 2 | 4 / 2 | 1 / 3 | 3.00 (2.00) / 1.00 | 3.00 | 0 |  |  |",
    ]
