"""Temporary files and folders: what a killed run left is removed by the next one, and nothing that is in use."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import threading
from pathlib import Path
from typing import Any

import pytest

from samedevice.files import FOLDER, SUFFIX, Folder, sweep, sweep_files, sweep_folders, write_atomically

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="Windows has no locks that end with a process")

HOLDS = """
import sys, time
from samedevice.files import Folder
folder = Folder()
(folder.path / "file").write_text("x")
print(folder.path, flush=True)
time.sleep(60)
"""


@pytest.fixture
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder in which temporary folders are made."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return tmp_path


def test_the_folder_of_a_killed_run_is_removed_and_that_of_a_running_one_is_not(
    temporary: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The machine would fill up with the former; the latter is another person's build."""
    monkeypatch.setenv("TMPDIR", str(temporary))
    with subprocess.Popen([sys.executable, "-c", HOLDS], stdout=subprocess.PIPE, text=True) as other:
        assert other.stdout is not None
        folder = Path(other.stdout.readline().strip())
        sweep_folders()
        assert (folder / "file").exists()
        other.kill()
        other.wait()
    assert folder.exists()
    sweep_folders()
    assert not folder.exists()


def test_a_file_that_a_killed_run_was_writing_is_removed(tmp_path: Path) -> None:
    """It would be committed."""
    left = tmp_path / f"topic/.page.json.abc{SUFFIX}"
    left.parent.mkdir()
    left.write_text("half")
    (tmp_path / "topic/.gitkeep").write_text("")
    sweep_files(tmp_path)
    assert [path.name for path in left.parent.iterdir()] == [".gitkeep"]


def test_a_file_that_is_being_written_is_not_removed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two builds at once: the one must not take the other's file away."""
    fsync = os.fsync

    def sweep_meanwhile(descriptor: int) -> None:
        other = threading.Thread(target=sweep_files, args=[tmp_path])
        other.start()
        other.join()
        fsync(descriptor)

    monkeypatch.setattr(os, "fsync", sweep_meanwhile)
    write_atomically(tmp_path / "page.json", "new")
    assert (tmp_path / "page.json").read_text() == "new"


def test_a_file_swept_away_before_it_was_locked_is_made_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Between making a file and locking it there is a moment in which nobody holds it."""
    made, make = list[tuple[int, str]](), tempfile.mkstemp

    def make_and_sweep(**options: Any) -> tuple[int, str]:
        made.append(make(**options))
        if len(made) == 1:
            sweep_files(tmp_path)
        return made[-1]

    monkeypatch.setattr(tempfile, "mkstemp", make_and_sweep)
    write_atomically(tmp_path / "page.json", "new")
    assert len(made) == 2
    assert [path.name for path in tmp_path.iterdir()] == ["page.json"]


def test_a_file_that_is_written_anew_keeps_its_rights(tmp_path: Path) -> None:
    """It may be somebody's page."""
    path = tmp_path / "page.md"
    path.write_text("old", encoding="utf-8")
    path.chmod(0o600)
    write_atomically(path, "new")
    assert (path.read_text(encoding="utf-8"), path.stat().st_mode & 0o777) == ("new", 0o600)


def test_a_link_that_looks_like_a_folder_of_ours_is_left_alone(temporary: Path) -> None:
    """Anyone may put one into /tmp."""
    (temporary / "other").mkdir()
    (temporary / "other/file").write_text("x")
    (temporary / f"{FOLDER}x").symlink_to(temporary / "other")
    sweep_folders()
    assert (temporary / "other/file").exists()


def test_nothing_is_raised_for_what_is_not_there(tmp_path: Path) -> None:
    """Another run may sweep at the same time."""
    sweep([tmp_path / "none"])
    sweep_files(tmp_path / "none")


def test_a_folder_is_removed_with_what_is_in_it(temporary: Path) -> None:
    """A run that ends leaves nothing."""
    folder = Folder()
    (folder.path / "sub").mkdir()
    assert folder.path.parent == temporary.resolve()
    folder.remove()
    assert list(temporary.iterdir()) == []


def test_a_folder_swept_away_before_it_was_opened_is_made_again(
    temporary: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another run may sweep between any two steps of this one."""
    make, made = tempfile.mkdtemp, []

    def swept_once(**given: str) -> str:
        made.append(make(**given))
        if len(made) == 1:
            sweep_folders()
        return made[-1]

    monkeypatch.setattr(tempfile, "mkdtemp", swept_once)
    folder = Folder()
    assert len(made) == 2
    assert folder.path.is_dir()
    folder.remove()


def test_a_folder_that_was_removed_is_made_again_and_no_sweep_takes_it(temporary: Path) -> None:
    """A block of a page may remove it; the run goes on, and other runs begin beside it."""
    folder = Folder()
    folder.path.rmdir()
    folder.restore()
    sweep_folders()
    assert folder.path.is_dir()
    (folder.path / "file").touch()
    folder.restore()
    assert (folder.path / "file").exists()
    folder.remove()
    assert not folder.path.exists()
