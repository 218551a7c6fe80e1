"""What the tests of the simulated GPU share."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from simulated_gpu import MachineError, installed

SRC = Path(__file__).parents[2] / "src"
Completed = subprocess.CompletedProcess[str]
Python = Callable[..., Completed]


def _reason() -> str | None:
    try:
        installed.find()
    except MachineError as error:
        return f"needs PyTorch's CUDA build: {str(error).splitlines()[0]}"
    return None


def pytest_configure(config: pytest.Config) -> None:
    """Register the mark of tests that need PyTorch's CUDA build."""
    config.addinivalue_line("markers", "cuda_build: needs PyTorch's CUDA build")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Skip what needs PyTorch's CUDA build where another is installed, and say which."""
    reason = _reason()
    for item in items:
        if reason and item.get_closest_marker("cuda_build"):
            item.add_marker(pytest.mark.skip(reason=reason))


@pytest.fixture
def python(tmp_path: Path) -> Python:
    """Run Python in an empty folder, as if simulated_gpu were installed."""
    site = tmp_path / "site"  # Python runs sitecustomize.py at its start, as it does a .pth file of the installation
    site.mkdir()
    shutil.copy(SRC / "simulated_gpu" / "simulated_gpu.pth", site / "sitecustomize.py")

    def run(*arguments: str, limit: int = 300, **variables: str) -> Completed:
        environment = {**os.environ, "PYTHONPATH": f"{SRC}:{site}", **variables}
        if "CUDA_VISIBLE_DEVICES" not in variables:
            environment.pop("CUDA_VISIBLE_DEVICES", None)  # the site's tests hide GPUs, simulated ones too
        command = [sys.executable, *arguments]
        return subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=limit)

    return run


@pytest.fixture
def simulated(python: Python, tmp_path: Path) -> Callable[..., str]:
    """Run a program on simulated GPUs, and return what it prints."""

    def run(program: str, *options: str, **variables: str) -> str:
        (tmp_path / "program.py").write_text(program)
        done = python("-m", "simulated_gpu", *options, "program.py", **variables)
        assert done.returncode == 0, done.stderr
        return done.stdout

    return run
