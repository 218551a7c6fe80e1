"""pages_run: runs pytest, ours or another tool's, in a project's folder and environment, and counts what it found."""

from __future__ import annotations

import os
import subprocess
import time
import xml.etree.ElementTree as ElementTree
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from measure import children

ENVIRON = {"CUDA_VISIBLE_DEVICES": "", "MPLBACKEND": "agg", "NO_MKDOCS_2_WARNING": "1"}

UNSET = ("PYTHONPATH", "PYTHONDONTWRITEBYTECODE")
"""What other people's machines do not set: without bytecode, each process compiles all that it imports."""


@dataclass(frozen=True)
class Tests:
    """What one run of pytest found."""

    passed: int
    """How many tests passed."""
    skipped: int
    """How many were skipped."""
    failed: tuple[str, ...]
    """The messages of those that failed."""
    seconds: float
    """How long it took, the start of Python included."""
    cpu: float
    """Processor time of pytest and of all that it started and waited for, in seconds."""


def run_tests(arguments: tuple[str, ...], folder: Path, python: Path) -> Tests:
    """Run pytest in a folder. Raises SystemExit with its last words if it did not come to the end of its tests.

    There may be none (5), where a tool reads none of the fences.
    """
    report = folder / "report.xml"
    report.unlink(missing_ok=True)
    command = [python, "-m", "pytest", "-q", "-p", "no:cacheprovider", f"--junit-xml={report}", *arguments]
    before, started = children(), time.perf_counter()
    said, status = call(command, folder)
    spent = time.perf_counter() - started, children() - before
    if status not in (0, 1, 5) or not report.exists():
        raise SystemExit(f"{' '.join(map(str, command))} failed in {folder}:\n{said[-3000:]}")
    return count(report.read_text(encoding="utf-8"), *spent)


def count(report: str, seconds: float, cpu: float) -> Tests:
    """What a report in JUnit's XML says. A file that was not collected is no test; an expected failure has failed."""
    cases = [case for case in ElementTree.fromstring(report).iter("testcase") if case.find("error") is None]
    left = [found for case in cases for found in case.iter("skipped")]
    expected = [found.get("message", "") for found in left if found.get("type") == "pytest.xfail"]
    failed = (*(found.text or "" for case in cases for found in case.iter("failure")), *expected)
    skipped = len(left) - len(expected)
    return Tests(len(cases) - len(failed) - skipped, skipped, failed, round(seconds, 1), round(cpu, 2))


def call(command: list[Any], folder: Path, seed: str = "0") -> tuple[str, int]:
    """Run a command in a folder to its end; return what it said, and its status. `seed` is that of Python's hashes."""
    environ = {key: value for key, value in os.environ.items() if key not in UNSET}
    environ |= ENVIRON | {"PYTHONHASHSEED": seed}
    done = subprocess.run(
        command, cwd=folder, env=environ, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False
    )
    return done.stdout, done.returncode
