"""The programs of snippets/, run as a reader runs them."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from same_device_site.settings import parse_page
from samedevice.outputs.output import Output

ROOT = Path(__file__).parents[1]
SNIPPETS = sorted((ROOT / "snippets").glob("*.py"))
PAGES = [parse_page(path, ROOT) for path in (ROOT / "docs").rglob("*.md")]
ON_PAGES = {block.path for page in PAGES for block in page.blocks if block.kind == "program" and not block.options.args}
"""The programs that a page runs in this way itself, as paths relative to the repository root."""
ALONE = [path for path in SNIPPETS if path.relative_to(ROOT).as_posix() not in ON_PAGES]
BAD_DEVICE = [path for path in SNIPPETS if "--device" in path.read_text(encoding="utf-8")]


def start(path: Path, *arguments: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run a program to its end in a folder of its own."""
    command = [sys.executable, str(path), *arguments]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=120, check=False)


@pytest.mark.parametrize("path", ALONE, ids=lambda path: path.stem)
def test_a_program_runs_alone_with_no_argument_and_reports(path: Path, tmp_path: Path) -> None:
    """A reader saves it and starts it, on whatever machine; the distributed ones start two processes themselves."""
    done = start(path, folder=tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip()
    assert "Traceback" not in done.stderr


@pytest.fixture
def begin(run: Callable[..., tuple[Output | None, ...]]) -> Callable[..., Output]:
    """Runs a program in a process that has imported torch already, because the import takes seconds."""

    def begin(path: Path, *arguments: str) -> Output:
        code = f"import runpy, sys\nsys.argv = {[str(path), *arguments]!r}\n"
        (output,) = run(f"```python\n{code}runpy.run_path({str(path)!r}, run_name='__main__')\n```\n")
        assert output is not None
        return output

    return begin


@pytest.mark.parametrize("path", SNIPPETS, ids=lambda path: path.stem)
def test_a_program_says_what_it_can_do(path: Path, begin: Callable[..., Output]) -> None:
    """Each option has a line of help."""
    said = begin(path, "--help")
    assert said.raised is None
    assert said.text.startswith("usage: ")


@pytest.mark.parametrize("name", ["nonsense", "cpu:200"])
@pytest.mark.parametrize("path", BAD_DEVICE, ids=lambda path: path.stem)
def test_a_device_that_is_not_there_is_a_clear_error(path: Path, name: str, begin: Callable[..., Output]) -> None:
    """A traceback out of PyTorch does not say which word of the command was wrong; cpu:200 is index -56 to PyTorch."""
    said = begin(path, "--device", name)
    assert said.raised is not None
    assert said.raised.type == "SystemExit"
    assert said.raised.message != "0"
    assert name in said.shown
