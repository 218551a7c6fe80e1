"""devices: what a machine has, seen without torch and told so that a person can mend it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from samedevice.devices import TorchBuild, present_devices, torch_build, why_absent
from samedevice.nvidia import NODES

CUDA = TorchBuild("2.13.0+cu130", True)
CPU = TorchBuild("2.13.0+cpu", False)
Machine = Callable[..., None]


@pytest.fixture
def machine(monkeypatch: pytest.MonkeyPatch) -> Iterator[Machine]:
    """Makes this machine seem to be another one."""

    def machine(build: TorchBuild, *nodes: str, system: str = "linux", processor: str = "x86_64") -> None:
        monkeypatch.setattr("samedevice.devices.torch_build", lambda: build)
        monkeypatch.setattr(Path, "exists", lambda self: self.as_posix() in nodes)
        monkeypatch.setattr("sys.platform", system)
        monkeypatch.setattr("platform.machine", lambda: processor)

    monkeypatch.delenv("CUDA_VISIBLE_DEVICES", raising=False)
    yield machine
    monkeypatch.undo()  # before pytest itself looks at files


def test_a_gpu_is_there_where_its_driver_is(machine: Machine) -> None:
    """A warm build must not wait for the import of torch."""
    machine(CUDA)
    assert present_devices() == ("cpu",)
    assert "no NVIDIA driver was found" in why_absent("cuda")
    machine(CUDA, NODES[0])
    assert present_devices() == ("cpu", "cuda")


@pytest.mark.parametrize("value", ["", "-1"])
def test_a_gpu_that_is_hidden_is_not_there(machine: Machine, monkeypatch: pytest.MonkeyPatch, value: str) -> None:
    """It is how a run without a GPU is tried on a machine with one."""
    machine(CUDA, NODES[0])
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", value)
    assert present_devices() == ("cpu",)
    assert why_absent("cuda") == "CUDA_VISIBLE_DEVICES hides all GPUs; unset it"


def test_a_build_of_torch_without_cuda_has_no_cuda(machine: Machine) -> None:
    """The GPU of that machine is out of its reach."""
    machine(CPU, NODES[0])
    assert present_devices() == ("cpu",)
    assert why_absent("cuda") == "PyTorch 2.13.0+cpu is built without CUDA; install a build with CUDA"


def test_a_mac_with_apple_silicon_has_mps(machine: Machine) -> None:
    """One with an Intel processor has not."""
    machine(CPU, system="darwin", processor="arm64")
    assert present_devices() == ("cpu", "mps")
    machine(CPU, system="darwin")
    assert present_devices() == ("cpu",)
    assert why_absent("mps") == "MPS needs macOS on Apple silicon"


def test_a_missing_torch_is_what_is_told_first(machine: Machine) -> None:
    """Nothing else helps then."""
    machine(TorchBuild("", False))
    assert "PyTorch is not installed for " in why_absent("cuda")


def test_the_build_of_torch_is_known_without_importing_it() -> None:
    """It is part of the key of the cache, and must be what torch itself says, or nothing would ever be found there."""
    import torch  # takes seconds, which each of pytest's processes would wait for at the top

    assert torch_build() == TorchBuild(str(torch.__version__), torch.version.cuda is not None)
