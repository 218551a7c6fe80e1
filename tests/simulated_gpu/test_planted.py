"""Programs with a planted bug end on the simulated GPU with the message that a real GPU gives.

Each program in `planted/` says in its docstring what a real GPU tells. People see these messages on the cluster, hours
after the mistake; the simulated GPU is there to show them at once. Those in `reported/` are what others have published,
each with a link; they were written down before they ran here.
"""

from __future__ import annotations

import ast
import json
import re
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from simulated_gpu import installed

PROGRAMS = sorted((Path(__file__).parent / "planted").glob("*.py"))
REPORTED = sorted((Path(__file__).parent / "reported").glob("*.py"))
ONE_AFTER_ANOTHER = """
import json, runpy, sys
told = []
for program in sys.argv[1:]:
    try:
        runpy.run_path(program, run_name="__main__")
        told.append("")
    except Exception as error:
        told.append(" ".join(f"{type(error).__name__}: {error}".split()))
print(json.dumps(told))
"""
UP_TO = re.compile(r"^Up to PyTorch (\d+)\.(\d+)", re.MULTILINE)
"""Before what older versions tell."""


def expected(program: Path, torch: str) -> str:
    """What a real GPU tells with this version of PyTorch, from the program's docstring: the indented lines, joined."""
    told, *older = UP_TO.split(ast.get_docstring(ast.parse(program.read_text(encoding="utf-8"))) or "")
    if older and tuple(map(int, torch.split(".")[:2])) <= (int(older[0]), int(older[1])):
        told = older[2]
    return " ".join(line.strip() for line in told.splitlines() if line.startswith("    "))


@pytest.mark.cuda_build
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.stem)
def test_a_planted_bug_is_found_with_the_message_of_a_real_gpu(
    program: Path, python: Callable[..., subprocess.CompletedProcess[str]]
) -> None:
    """Another message, or none, would send the reader to the wrong line."""
    done = python("-m", "simulated_gpu", "--gpus", "2", str(program))
    assert done.returncode == 1, done.stderr
    assert expected(program, installed.find().version) in " ".join(done.stderr.split())


@pytest.mark.cuda_build
def test_a_published_report_ends_as_it_says(
    python: Callable[..., subprocess.CompletedProcess[str]], tmp_path: Path
) -> None:
    """Nobody who wrote this package chose these mistakes. They leave nothing behind, so one process runs them all."""
    (tmp_path / "all.py").write_text(ONE_AFTER_ANOTHER)
    done = python("-m", "simulated_gpu", "--gpus", "2", "all.py", *map(str, REPORTED))
    assert done.returncode == 0, done.stderr
    told = zip(REPORTED, json.loads(done.stdout.splitlines()[-1]), strict=True)
    version = installed.find().version
    wrong = {program.stem: message for program, message in told if not _is_due(message, expected(program, version))}
    assert wrong == {}


def _is_due(message: str, due: str) -> bool:
    return due in message if due else message == ""
