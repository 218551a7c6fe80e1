"""The runs under load: what each of them does, what is kept of them, and what a person is told."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import flaky
import pytest
from flaky import Result, busy_cores, digest, read, run, table
from made_conftest import CONFTEST

from samedevice.devices import available_cores

PAGE = """```python
import os
print(os.environ["OMP_NUM_THREADS"])
```

```python
print("two")
```
"""


@pytest.fixture
def repository(root: Path, light_torch: None) -> Path:
    """A repository with a page that tells its number of compute threads, recorded with one."""
    (root / "docs/page.md").write_text(PAGE, encoding="utf-8")
    (root / "pytest.ini").write_text("[pytest]\ntestpaths = docs\n", encoding="utf-8")
    (root / "conftest.py").write_text(CONFTEST, encoding="utf-8")
    subprocess.run([sys.executable, "-m", "pytest", "-q", "--record"], cwd=root, check=True, capture_output=True)
    return root


def test_odd_runs_have_one_compute_thread_and_even_runs_two(repository: Path, tmp_path: Path) -> None:
    """What a block prints may depend on that; a failure is told with page and line."""
    run(1, repository, tmp_path / "1.xml")
    run(2, repository, tmp_path / "2.xml")
    one, two = read(1, tmp_path / "1.xml"), read(2, tmp_path / "2.xml")
    assert (one.threads, one.blocks, one.failures) == (1, 2, {})
    assert (two.threads, two.blocks, list(two.failures)) == (2, 2, ["docs/page.md:1"])
    assert "\n-1\n+2\n" in two.failures["docs/page.md:1"]


def test_a_run_in_which_pytest_itself_fails_is_no_result(repository: Path, tmp_path: Path) -> None:
    """No failure would be found, and that must not pass for a success."""
    (repository / "conftest.py").write_text("1 / 0\n")
    with pytest.raises(SystemExit, match=r"pytest ended with status 4:[\s\S]*ZeroDivisionError"):
        run(1, repository, tmp_path / "1.xml")
    assert not (tmp_path / "1.xml").exists()


def test_each_run_has_its_own_order_of_pages(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Pages run side by side; which ones do is drawn by the number of the run, so that it can be had again."""
    for name in "abcdef":
        (root / f"docs/{name}.md").write_text("")
    report = root / "1.xml"
    orders = []

    def fake(command: list[str], **_: object) -> subprocess.CompletedProcess[str]:
        orders.append([part for part in command if part.startswith("docs/")])
        report.with_suffix(".unfinished").write_text("")
        return subprocess.CompletedProcess(command, 0)

    monkeypatch.setattr(subprocess, "run", fake)
    for number in (1, 2, 1):
        run(number, root, report)
    assert orders[0] == orders[2] != orders[1]
    assert sorted(orders[0]) == sorted(orders[1]) == [f"docs/{name}.md" for name in "abcdef"]
    run(1, root, report, ["docs/b.md"])
    assert orders[3] == ["docs/b.md"]


def test_the_table_says_what_failed_how_often_and_why() -> None:
    """A block that fails with two threads only has another cause than one that fails under load."""
    bad = {"docs/a.md:3": "docs/a.md:3 on cpu raised", "docs/a.md:9": "docs/a.md:9 on cpu was not run, because ..."}
    results = [Result(1, 1, 5, 1.0, {}), Result(2, 2, 5, 1.0, bad), Result(3, 1, 5, 1.0, {}), Result(4, 2, 5, 1.0, bad)]
    assert list(table(results)) == [
        "docs/a.md:3: 0 of 2 with 1, 2 of 2 with 2 compute threads; first in run 2:",
        "docs/a.md:3 on cpu raised",
        "4 runs, 20 executions of blocks: 1 blocks failed, and 1 were not run after one of them",
    ]
    assert list(table(results[:1])) == ["1 runs, 5 executions of blocks: no blocks failed"]


@pytest.fixture
def rounds(root: Path, monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The numbers of the runs that were made, none of which takes time."""
    made: list[int] = []

    def fake(number: int, root: Path, report: Path, only: list[str]) -> None:
        assert only in ([], ["docs/a.md"])
        made.append(number)
        report.write_text('<testsuites><testsuite tests="5" time="1.5"/></testsuites>')

    def copy(folder: Path) -> Path:
        (folder / "page.md").write_text((root / "page.md").read_text())
        return folder

    monkeypatch.setattr(flaky, "KEPT", root / "kept")
    monkeypatch.setattr(flaky, "run", fake)
    monkeypatch.setattr(flaky, "copy_repository", copy)
    (root / "page.md").write_text("one")
    return made


def test_what_was_run_is_not_run_again_until_something_changes(
    root: Path, rounds: list[int], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Half an hour of runs survives Ctrl-C; a mended page begins anew."""
    for times in ("2", "3"):
        monkeypatch.setattr(sys, "argv", ["flaky", "--times", times])
        assert flaky.main() == 0
    assert rounds == [1, 2, 3]
    assert "run 2 of 3, seed 2, compute threads 2: 5 blocks, 0 failed, 2 s\n" in capsys.readouterr().out
    (root / "page.md").write_text("two")
    assert flaky.main() == 0
    assert rounds == [1, 2, 3, 1, 2, 3]
    monkeypatch.setattr(sys, "argv", ["flaky", "--times", "1", "docs/a.md"])
    assert flaky.main() == 0
    assert rounds[6:] == [1]


def test_a_name_or_a_byte_more_is_another_digest(tmp_path: Path) -> None:
    """A result stands for the pages that it was made with."""
    (tmp_path / "a").write_text("x")
    found = {digest(tmp_path)}
    (tmp_path / "a").rename(tmp_path / "b")
    found.add(digest(tmp_path))
    (tmp_path / "b").write_text("y")
    assert len(found | {digest(tmp_path)}) == 3


def test_the_burners_end_with_the_runs() -> None:
    """Nobody wants a machine that stays busy."""
    with busy_cores() as burners:
        assert [burner.poll() for burner in burners] == [None] * available_cores()
    assert None not in [burner.poll() for burner in burners]
