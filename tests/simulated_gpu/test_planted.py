"""Programs with a planted bug end on the simulated GPU with the message that a real GPU gives.

Each program in `planted/` says in its docstring what a real GPU tells. People see these messages on the cluster, hours
after the mistake; the simulated GPU is there to show them at once.
"""

from __future__ import annotations

import ast
import re
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from simulated_gpu import installed

PROGRAMS = sorted((Path(__file__).parent / "planted").glob("*.py"))
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
