"""The programs of snippets/, run as a reader runs them."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

SNIPPETS = sorted((Path(__file__).parents[1] / "snippets").glob("*.py"))
BAD_DEVICE = [path for path in SNIPPETS if "--device" in path.read_text(encoding="utf-8")]


def run(path: Path, *arguments: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run a program to its end in a folder of its own, on one core, as pages run it: others need the rest."""
    command = [sys.executable, str(path), *arguments]
    environ = os.environ | {"OMP_NUM_THREADS": "1"}
    return subprocess.run(command, cwd=folder, env=environ, capture_output=True, text=True, timeout=120, check=False)


@pytest.mark.parametrize("path", SNIPPETS, ids=lambda path: path.stem)
def test_a_program_runs_alone_with_no_argument_and_reports(path: Path, tmp_path: Path) -> None:
    """A reader saves it and starts it, on whatever machine; the distributed ones start two processes themselves."""
    done = run(path, folder=tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip()
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("path", SNIPPETS, ids=lambda path: path.stem)
def test_a_program_says_what_it_can_do(path: Path, tmp_path: Path) -> None:
    """Each option has a line of help."""
    done = run(path, "--help", folder=tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("usage: ")


@pytest.mark.parametrize("path", BAD_DEVICE, ids=lambda path: path.stem)
def test_a_device_that_is_not_there_is_a_clear_error(path: Path, tmp_path: Path) -> None:
    """A traceback out of PyTorch does not say which word of the command was wrong."""
    done = run(path, "--device", "nonsense", folder=tmp_path)
    assert done.returncode != 0
    assert "nonsense" in done.stderr
    assert "Traceback" not in done.stderr
