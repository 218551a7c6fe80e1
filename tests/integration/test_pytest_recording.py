"""The pytest plugin and recordings: what is written, what is told of those that are stale or damaged."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable

import pytest
from made_repository import CPU_FOLDER, TWO, Repository

from samedevice.outputs.output import Output


def test_recording_one_block_keeps_what_is_recorded_of_the_others(recorded: Repository) -> None:
    """They have not been run, and nothing is known against them."""
    before = recorded.recording().read_bytes()
    assert recorded.pytest("docs/page.md::cpu-01-line-3", "--record")[1] == {"passed": 1}
    assert recorded.recording().read_bytes() == before
    assert recorded.pytest()[1] == {"passed": 3}


def test_recording_writes_only_what_changed(recorded: Repository) -> None:
    """A commit shows what is new and nothing else."""
    recorded.page("other", TWO)
    recorded.pytest("--record")
    kept, changed = recorded.recording(), recorded.recording("other")
    recorded.page("other", TWO.replace("two", "2"))
    before = {path: path.stat().st_mtime_ns for path in (kept, changed)}
    output, outcomes = recorded.pytest("--record")
    assert outcomes == {"passed": 4}
    assert kept.stat().st_mtime_ns == before[kept]
    assert changed.stat().st_mtime_ns > before[changed]
    assert f"recorded docs/other.md on {CPU_FOLDER}: 2 blocks" in output
    assert "recorded docs/page.md" not in output
    assert "\nunchanged: 1 recordings say already what was printed\n" in output


def test_a_page_with_a_failing_block_is_not_recorded(recorded: Repository) -> None:
    """Half a page of the new outputs and half of the old would fit no code."""
    before = recorded.recording().read_bytes()
    recorded.page("page", TWO.replace("x + 1", "1 / 0"))
    output, outcomes = recorded.pytest("--record")
    assert outcomes == {"failed": 1, "passed": 1}
    because = "1 of its blocks failed, first docs/page.md:8 on cpu raised ZeroDivisionError: division by zero"
    assert f"\nnot recorded: docs/page.md on {CPU_FOLDER}, because {because}\n" in output
    assert recorded.recording().read_bytes() == before


@pytest.mark.parametrize("content", [b'{"format": 3,\n "environ', b"\xff\xfe\x00"], ids=["truncated", "binary"])
def test_a_recording_that_cannot_be_read_fails_and_names_the_file(recorded: Repository, content: bytes) -> None:
    """Each block, and the file itself: whoever damaged it must hear of it."""
    recorded.recording().write_bytes(content)
    output, outcomes = recorded.pytest()
    assert outcomes == {"failed": 3}
    assert "tests/recordings/page.json: cannot be read: " in output
    assert "bring it back with git checkout, or delete it and record again" in output
    assert "pytest_plugin.py" not in output
    assert "FAILED docs/page.md::recordings" in output


CHANGED = Output("deux 2\n")


def test_a_recording_of_a_missing_device_changed_by_hand_fails(recorded: Repository) -> None:
    """Nobody without that device could find out otherwise."""
    path = recorded.record_cuda(Output("one 1\n"), CHANGED)
    assert recorded.pytest()[1] == {"passed": 3}
    path.write_text(path.read_text().replace("deux 2", "deux 3"))
    output, outcomes = recorded.pytest()
    assert outcomes == {"failed": 3}
    assert f"outputs['{CHANGED.digest}'] was changed by hand, or by a merge" in output


def test_a_damaged_recording_is_not_written_over(recorded: Repository) -> None:
    """Other machines' outputs are in it; somebody takes them back with git, or deletes the file, and then records."""
    path = recorded.recording()
    path.write_text("{")
    output, _ = recorded.pytest("--record")
    assert "tests/recordings/page.json: cannot be read: " in output
    assert path.read_text() == "{"
    path.unlink()
    assert recorded.pytest("--record")[1] == {"passed": 2}
    assert recorded.pytest()[1] == {"passed": 3}


def test_a_file_that_a_block_read_makes_stale_what_comes_after_it(repository: Repository) -> None:
    """Nobody says on a page what its programs open: it is observed, and a change is told before outputs differ."""
    data = repository.root / "data.txt"
    data.write_text("one")
    text = f"```python\nlength = len(open({str(data)!r}).read())\n```\n\n```python\nprint(length)\n```\n"
    repository.page("page", f"{text}\n## Another\n\n```python\nprint('of its own')\n```\n")
    assert repository.pytest("--record")[1] == {"passed": 3}
    assert '"data.txt": "' in repository.recording().read_text()
    data.write_text("two")
    output, outcomes = repository.pytest()
    assert outcomes == {"failed": 2, "passed": 2}
    told = "or what it comes after reads a file that has changed since it was recorded on cpu; run"
    assert f"docs/page.md:1 {told}" in output
    assert f"docs/page.md:5 {told}" in output
    data.write_text("one")
    assert repository.pytest()[1] == {"passed": 4}


def test_the_summary_tells_which_recordings_of_other_devices_are_missing_or_stale(recorded: Repository) -> None:
    """A run without a GPU passes, and says what a run with one still has to do."""
    recorded.record_cuda(Output("one 1\n"), Output("two 2\n"))
    text = '```python needs="cuda"\nx\n```\n\n```python\nx = 1\n```\n'
    recorded.page("gpu", text)
    recorded.page("page", TWO.replace("two", "2") + "\n```python\nx\n```\n")
    recorded.pytest("--record")
    output, outcomes = recorded.pytest()
    assert outcomes == {"passed": 4 + 2}
    assert "\ncuda: 1 stale, 2 missing of 4 blocks, on docs/gpu.md, docs/page.md\n" in output


def test_the_summary_names_a_few_pages_of_many(recorded: Repository) -> None:
    """A line for each of seventy pages hides the lines that matter."""
    for name in "abcde":
        recorded.page(name, '```python needs="cuda"\nx\n```\n')
    assert "\ncuda: 5 missing of 5 blocks, on docs/a.md, docs/b.md, docs/c.md, 2 more\n" in recorded.pytest()[0]


def test_a_summary_of_fresh_recordings_is_silent(recorded: Repository) -> None:
    """What is as it should be needs no line."""
    recorded.record_cuda(Output("one 1\n"), Output("two 2\n"))
    assert "= recordings =" not in recorded.pytest()[0]


def test_a_page_that_cannot_be_read_does_not_keep_the_others_from_being_recorded(repository: Repository) -> None:
    """Time on a GPU is dear."""
    repository.page("bad", "```python\n")
    output, outcomes = repository.pytest("--record")
    assert outcomes == {"passed": 2, "failed": 1}
    assert "docs/bad.md:1: this fence is never closed" in output
    assert f"\nrecorded docs/page.md on {CPU_FOLDER}: 2 blocks\n" in output


@pytest.mark.skipif(not hasattr(os, "pidfd_open"), reason="waits for a process by its descriptor, as Linux can")
def test_ctrl_c_while_recording_keeps_the_old_recording_and_leaves_no_process(
    pytester: pytest.Pytester,
    light_torch: None,
    interrupt: Callable[..., tuple[str, list[int]]],
    gone: Callable[[int], bool],
) -> None:
    """Whoever presses it has changed his mind."""
    repository = Repository(pytester)
    pytester.runpytest_subprocess("--record")
    before = repository.recording().read_bytes()
    repository.page("page", TWO.replace("two", "2") + "\n```console\n$ echo $PPID $$ > pipe; exec sleep 600\n```\n")
    output, processes = interrupt(repository.root / "pipe", sys.executable, "-m", "pytest", "--record")
    assert "KeyboardInterrupt" in output
    assert repository.recording().read_bytes() == before
    assert [path.name for path in repository.recording().parent.iterdir()] == ["page.json"]
    assert [gone(process) for process in processes] == [True, True]
