"""Which PyTorch is installed, and what is said of one that cannot have a simulated GPU."""

from __future__ import annotations

import importlib.util
import platform
import sys
from importlib.machinery import ModuleSpec
from pathlib import Path

import pytest

from simulated_gpu import MachineError, installed

CUDA = "__version__ = '2.13.0+cu130'\ndebug = False\ncuda: Optional[str] = '13.0'\nhip: Optional[str] = None\n"
CPU = "__version__ = '2.13.0+cpu'\ndebug = False\ncuda: Optional[str] = None\nhip: Optional[str] = None\n"
ROCM = "__version__ = '2.13.0+rocm7'\ncuda: Optional[str] = None\nhip: Optional[str] = '7.0'\n"


@pytest.fixture
def version_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The version file of a PyTorch that seems to be installed."""
    spec = ModuleSpec("torch", None, origin=str(tmp_path / "__init__.py"))
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: spec)
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.setattr(platform, "machine", lambda: "x86_64")
    return tmp_path / "version.py"


def test_a_cuda_build_is_described_without_importing_it(version_file: Path) -> None:
    """PyTorch must not be imported before the simulated GPU is in place."""
    version_file.write_text(CUDA)
    torch = installed.find()
    assert (torch.folder, torch.version, torch.cuda_number) == (version_file.parent, "2.13.0+cu130", 13000)


@pytest.mark.parametrize(("text", "kind"), [(CPU, "CPU"), (ROCM, "ROCm")])
def test_another_build_is_refused_with_the_command_that_helps(version_file: Path, text: str, kind: str) -> None:
    """Most who try it first have the CPU build; the CUDA build without NVIDIA's packages is a fifth of the download."""
    version_file.write_text(text)
    with pytest.raises(MachineError, match=rf"is a {kind} build.*(?s:.*)pip install --no-deps torch"):
        installed.find()


def test_a_release_that_nobody_tested_is_refused_unless_asked_for(
    version_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A new release may launch kernels that nothing computes."""
    version_file.write_text(CUDA.replace("2.13", "2.99"))
    with pytest.raises(MachineError, match=r"2\.9 to 2\.15 were"):
        installed.find()
    monkeypatch.setenv("SIMULATED_GPU_UNTESTED", "1")
    assert installed.find().version == "2.99.0+cu130"


def test_no_pytorch_is_said_with_the_interpreter(monkeypatch: pytest.MonkeyPatch) -> None:
    """The wrong environment is the usual cause."""
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(MachineError, match=r"no PyTorch is installed for .*python"):
        installed.find()


@pytest.mark.parametrize(("system", "machine"), [("darwin", "arm64"), ("win32", "AMD64"), ("linux", "riscv64")])
def test_other_systems_are_refused(monkeypatch: pytest.MonkeyPatch, system: str, machine: str) -> None:
    """There is no CUDA build of PyTorch for them, or none that a library could be put below."""
    monkeypatch.setattr(sys, "platform", system)
    monkeypatch.setattr(platform, "machine", lambda: machine)
    with pytest.raises(MachineError, match="needs Linux"):
        installed.find()
