"""A disk that is full or cannot be written: what is committed stays, and the message says what to do."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from samedevice.devices import torch_build

if TYPE_CHECKING:
    from faults.conftest import Checkout

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="mounts file systems of its own, as Linux can")

FULL = "No space left on device"
READ_ONLY = "Read-only file system"
NOT_WRITTEN = (
    "\ntests/recordings/page.json: cannot be written ({}); "
    "what was recorded before is as it was; "
    "make room on the disk, or make the checkout writable, and record again\n"
)


def limited(folder: Path, rest: int) -> list[str]:
    """Commands that put a file system in place of a folder that holds its files and has `rest` kB of room."""
    kept = f"{folder}.kept"
    fill = f"head -c 1M /dev/zero > {folder}/.fill 2> /dev/null; truncate -s -{rest}K {folder}/.fill"
    mount = f"mount -t tmpfs -o size=256k none {folder} && cp -a {kept}/. {folder}"
    return [f"cp -a {folder} {kept}", mount, f"rm -r {kept}", f"{{ {fill}; }}"]


def read_only(folder: Path) -> list[str]:
    """Commands after which nothing below a folder can be written."""
    return [f"mount --bind {folder} {folder}", f"mount -o remount,ro,bind {folder}"]


def test_a_disk_that_is_full_while_recording_keeps_the_old_recording(
    recorded: Checkout, whole: Callable[[int, int], int]
) -> None:
    """Whatever room there is, the picture, the text or both may not fit."""
    folder, after = recorded.root / "tests/recordings", recorded.root / "after"
    before, written = recorded.recordings, []
    for rest in range(0, 33, whole(16, 2)):
        recorded.mounted(*limited(folder, rest), last=f"rm -rf {folder}/.fill {after}; cp -a {folder} {after}")
        output = recorded.record(ROUND="1")
        found = {path.relative_to(after).as_posix(): path.read_bytes() for path in after.rglob("*") if path.is_file()}
        shutil.rmtree(after)
        written.append("2 passed" in output)
        if written[-1]:
            assert found.keys() != before.keys()
        else:
            assert NOT_WRITTEN.format(FULL) in output
            assert "Traceback" not in output
            assert "runs.py" not in output
            assert found == before
        assert recorded.left == []
    assert written == sorted(written)
    assert set(written) == {False, True}


def test_a_full_disk_for_temporary_files_is_told(recorded: Checkout) -> None:
    """It is not the page that has to be mended."""
    before = recorded.recordings
    recorded.mounted(*limited(recorded.temporary, 4))
    output = recorded.record(ROUND="1")
    assert f"the process that runs pages cannot be started ({FULL}); make room in {recorded.temporary}" in output
    assert "Traceback" not in output
    assert recorded.recordings == before


def test_a_page_that_fills_the_disk_fails_at_its_line_and_is_not_recorded(recorded: Checkout) -> None:
    """What it printed is not all that it would have printed."""
    before = recorded.recordings
    recorded.page("```python\nprint('x' * 1_000_000)\n```\n")
    recorded.mounted(*limited(recorded.temporary, 128))
    output = recorded.record()
    assert f"docs/page.md:1 on cpu raised OSError: [Errno 28] {FULL}" in output
    assert f"not recorded: docs/page.md on cpu-{torch_build().version}, because 1 of its blocks failed" in output
    assert recorded.recordings == before


def test_a_checkout_that_cannot_be_written_is_tested_and_not_recorded(recorded: Checkout) -> None:
    """A mounted source tree, a folder of another user: reading is all that a test needs."""
    before = recorded.recordings
    shutil.rmtree(recorded.root / ".pytest_cache")
    recorded.mounted(*read_only(recorded.root))
    assert "3 passed" in recorded.run("pytest")
    output = recorded.record(ROUND="1")
    assert NOT_WRITTEN.format(READ_ONLY) in output
    assert "Traceback" not in output
    assert recorded.recordings == before
    assert recorded.left == []


def test_a_site_is_built_from_a_checkout_that_cannot_be_written(recorded: Checkout) -> None:
    """The cache only saves time."""
    recorded.mounted(*read_only(recorded.root))
    for _ in range(2):
        output = recorded.build("--strict")
        assert "Documentation built" in output
        assert "Traceback" not in output
        assert output.count("nothing is kept for the next build") == 1
    assert "round 0" in (recorded.temporary.parent / "site/page/index.html").read_text()
    assert recorded.left == []
