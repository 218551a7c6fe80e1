"""Programs with a planted bug end on the simulated GPU with the message that a real GPU gives.

Each program in `planted/` says in its docstring what a real GPU tells. People see these messages on the cluster, hours
after the mistake; the simulated GPU is there to show them at once.
"""

import ast
import subprocess
import sys
from pathlib import Path

import pytest
import torch

PROGRAMS = sorted((Path(__file__).parent / "planted").glob("*.py"))
needs_cuda_build = pytest.mark.skipif(torch.version.cuda is None, reason="this PyTorch was built without CUDA")


def expected(program: Path) -> str:
    """What a real GPU tells, from the program's docstring: the indented lines, joined."""
    told = ast.get_docstring(ast.parse(program.read_text(encoding="utf-8"))) or ""
    return " ".join(line.strip() for line in told.splitlines() if line.startswith("    "))


@needs_cuda_build
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.stem)
def test_a_planted_bug_is_found_with_the_message_of_a_real_gpu(program: Path) -> None:
    """Another message, or none, would send the reader to the wrong line."""
    done = subprocess.run(
        [sys.executable, "-m", "simulated_gpu", "--gpus", "2", str(program)],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 1, done.stderr
    assert expected(program) in " ".join(done.stderr.split())
