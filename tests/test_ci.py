"""The scripts of .ci: what the summary of a job says."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

CI = Path(__file__).parents[1] / ".ci"
FAILED = """\
collected 2 items
docs/a.md .F
=================================== FAILURES ===================================
docs/a.md:3 on cpu: not what was recorded
```
-one
+two
=========================== short test summary info ============================
FAILED docs/a.md::cpu-01-line-3
========================= 1 failed, 1 passed in 1.00s =========================
"""


def script(name: str) -> ModuleType:
    """One of the scripts as a module."""
    spec = importlib.util.spec_from_file_location(name, CI / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_a_report_has_the_count_and_what_failed_in_a_fence_that_it_cannot_close() -> None:
    """Outputs may hold fences, and the summary is Markdown."""
    told = script("report").report(FAILED)
    assert told.startswith("1 failed, 1 passed in 1.00s\n\n````text\ndocs/a.md:3 on cpu: not what was recorded\n")
    assert told.endswith("\n+two\n````")


@pytest.mark.parametrize(("text", "told"), [("...\n== 2 passed in 1.00s ==\n", "2 passed in 1.00s"), ("", "nothing")])
def test_a_report_without_failures_is_one_line(text: str, told: str) -> None:
    """There is nothing else to tell."""
    assert told in script("report").report(text).splitlines()[0]


def test_a_report_of_a_run_that_broke_off_shows_what_it_said() -> None:
    """No such device, no such option: that is not "nothing changed"."""
    assert "ERROR: --device cuda" in script("report").report("ERROR: --device cuda: no driver\n")


def test_a_report_is_written_with_the_versions(tmp_path: Path) -> None:
    """What changed, changed from one version to another."""
    (tmp_path / "report.txt").write_text(FAILED, encoding="utf-8")
    command = [sys.executable, str(CI / "report.py"), str(tmp_path / "report.txt")]
    done = subprocess.run(command, capture_output=True, encoding="utf-8", check=True)
    assert done.stdout.startswith("## Python 3.")
    assert "torch 2." in done.stdout.splitlines()[0]
