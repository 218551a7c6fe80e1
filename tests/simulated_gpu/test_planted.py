"""Programs with a planted bug end on the simulated GPU with the message that a real GPU gives.

Each program in `planted/` says in its docstring what a real GPU tells. People see these messages on the cluster, hours
after the mistake; the simulated GPU is there to show them at once.
"""

from __future__ import annotations

import ast
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

PROGRAMS = sorted((Path(__file__).parent / "planted").glob("*.py"))


def expected(program: Path) -> str:
    """What a real GPU tells, from the program's docstring: the indented lines, joined."""
    told = ast.get_docstring(ast.parse(program.read_text(encoding="utf-8"))) or ""
    return " ".join(line.strip() for line in told.splitlines() if line.startswith("    "))


@pytest.mark.cuda_build
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.stem)
def test_a_planted_bug_is_found_with_the_message_of_a_real_gpu(
    program: Path, python: Callable[..., subprocess.CompletedProcess[str]]
) -> None:
    """Another message, or none, would send the reader to the wrong line."""
    done = python("-m", "simulated_gpu", "--gpus", "2", str(program))
    assert done.returncode == 1, done.stderr
    assert expected(program) in " ".join(done.stderr.split())
