"""Killed at any moment: what is committed is whole, no process lives on, and the next run removes what was left."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Any

import pytest

from samedevice.files import SUFFIX, sweep_files
from samedevice.outputs.environments import Environment
from samedevice.outputs.output import Figure, Output
from samedevice.outputs.recording_files import Recordings, place, read_file
from samedevice.outputs.recordings import Recording, update
from samedevice.pages.page import Page

if TYPE_CHECKING:
    from faults.conftest import Checkout

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="looks for processes in /proc")

HERE = Environment("cuda", "NVIDIA H200", "2.13.0+cu130", "3.11.7", "580.95.05", "2026-11-21")
TREE = ["unshare", "--map-root-user", "--mount", "--pid", "--fork", "--kill-child", "--mount-proc"]
"""Runs a program with processes of its own, all of which the kernel kills at once with the first one."""


def kill_at_line(number: int, call: Callable[[], None]) -> bool:
    """Call it in a process that is killed just before its line `number` of the engine; whether it came so far."""
    process = os.fork()
    if process == 0:
        lines = iter(range(number))

        def trace(frame: FrameType, event: str, argument: Any) -> Any:
            if "samedevice" not in frame.f_code.co_filename:
                return None
            if event == "line" and next(lines, None) is None:
                os.kill(os.getpid(), signal.SIGKILL)
            return trace

        sys.settrace(trace)
        call()
        os._exit(0)
    return os.waitstatus_to_exitcode(os.waitpid(process, 0)[1]) == -signal.SIGKILL


def drawn(page: Page, name: str) -> Recording:
    """A recording with a figure in each of two blocks, one of which is the same in all."""
    figures = [Figure(f"<svg>{name}</svg>", name), Figure("<svg>same</svg>", "same")]
    found = update(None, page, HERE, [Output(name, figures=(figure,)) for figure in figures])
    assert found is not None
    return found


def test_a_recording_is_the_old_or_the_new_one_at_whatever_line_its_writer_is_killed(
    root: Path, write: Callable[..., Page], whole: Callable[[int, int], int]
) -> None:
    """Each line is a moment between two effects on the disk; this tries all of them."""
    page = write("```python\none\n```\n\n```python\ntwo\n```\n")
    files = Recordings(root, "recordings")
    path = place(files.folder, page)
    old, new = drawn(page, "old"), drawn(page, "new")
    files.save(page, old)
    found: list[Recording] = []
    while kill_at_line(whole(7, 1) * len(found), lambda: Recordings(root, "recordings").save(page, new)):
        found += files.load(page)[0]
        sweep_files(path.parent)
        files.save(page, old)
        assert len(list(path.parent.iterdir())) == 3, f"killed at line {len(found)}"
    assert files.load(page) == ((new,), [])
    assert [old, new] == [one for number, one in enumerate(found) if not number or one != found[number - 1]]


def kill_alone(running: subprocess.Popen[str]) -> None:
    """Kill the program that was started, and nothing else."""
    running.kill()


def kill_group(running: subprocess.Popen[str]) -> None:
    """Kill the program with all that is in its process group, as a shell does, or a CI job that is cancelled."""
    os.killpg(running.pid, signal.SIGKILL)


KILLS = {"alone": kill_alone, "group": kill_group, "tree": kill_alone}


@pytest.mark.parametrize("how", KILLS)
def test_whoever_is_killed_while_recording_leaves_no_process_and_whole_recordings(
    recorded: Checkout, whole: Callable[[int, int], int], how: str
) -> None:
    """A runner may lose its power, a job may be cancelled, the kernel may run out of memory, at any time."""
    if how == "tree":
        recorded.mounted("true")
        recorded.around = TREE
    chance = random.Random(how)
    started = time.monotonic()
    recorded.record(ROUND="1")
    usual = time.monotonic() - started
    pages, leaving = [set(recorded.recordings)], 0
    for number in range(2, 2 + whole(3, 34)):
        before = recorded.recordings
        running = recorded.start("pytest", "--record", new_session=how == "group", ROUND=str(number))
        time.sleep(chance.uniform(0, usual))
        KILLS[how](running)
        running.communicate()
        assert recorded.all_end(), recorded.running()
        check(recorded, before, number)
        if how != "tree":
            assert not [*recorded.temporary.glob("*/pages")]
            leaving += recorded.left != []
    assert leaving <= 1  # the one that is killed in the milliseconds before its fork server runs
    output = recorded.record(ROUND="0")
    assert "2 passed" in output
    assert len(recorded.recordings) == len(pages[0])
    assert recorded.left == []


def check(checkout: Checkout, before: dict[str, bytes], number: int) -> None:
    """What is recorded is what was, or what this round printed."""
    now = checkout.recordings
    (found,) = read_file(checkout.root / "tests/recordings/page.json").recordings()
    if now["page.json"] == before["page.json"]:
        whole = {name: content for name, content in before.items() if not name.endswith(SUFFIX)}
        assert whole.items() <= now.items()
    else:
        assert next(entry.output.text for entry in found.entries if entry.output) == f"round {number}\n"
