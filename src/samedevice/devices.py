"""devices: the kinds of device, and which of them this machine has; torch, which takes seconds, is not imported."""

from __future__ import annotations

import importlib.util
import os
import platform
import re
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

import samedevice.nvidia as nvidia  # the package itself has public names alone, which it looks for in its text


@dataclass(frozen=True)
class Simulator:
    """A package that has PyTorch find devices that no machine has. It is known by its names, and never imported."""

    module: str
    """Its name."""
    environ: Mapping[str, str]
    """The environment variables that start it in every Python where it is installed."""
    notes: str
    """The environment variable that names a file, to which it appends what a real device may do differently."""
    refusal: str
    """The word in its messages about what it does not do."""
    usable: Callable[[], str]
    """Why it cannot work here, and what to do about it; empty if it can."""

    def prepare(self) -> str:
        """Start it once, however long it takes to compile what it is made of; return why it failed, empty if not."""
        command = [sys.executable, "-c", "import torch"]
        done = subprocess.run(command, env=os.environ | self.environ, stdout=subprocess.DEVNULL, check=False)
        return f"PyTorch cannot be imported with {self.module}; see what it said above" if done.returncode else ""


@dataclass(frozen=True)
class Kind:
    """A kind of device that blocks run on. An expression is one of Python, with torch imported."""

    label: str
    """How pages call it."""
    machine: str
    """What a program needs that runs on it alone."""
    check: str
    """An expression that is true where at least `{count}` of them are present."""
    present: Callable[[], bool]
    """Whether this machine seems to have one, found without importing torch."""
    absent: Callable[[], str]
    """Why it has none, and what to do about it."""
    count: str = "1"
    """An expression for how many PyTorch sees."""
    name: str = ""
    """An expression for its name; empty where that is the processor's."""
    driver: Callable[[], str] = str
    """The version of its driver."""
    facts: Callable[[], list[str]] = list
    """What this machine says of it beside its processor: where that changes, what was kept is printed anew."""
    used: str = ""
    """An expression that is true in a process that allocated on it; `torch` is PyTorch. Empty where all do."""
    hidden_by: Mapping[str, str] = field(default_factory=dict)
    """Environment variables that hide it from a page that runs on the CPU."""
    simulator: Simulator | None = None
    """What takes its place where there is none, if a person asks for that."""


@dataclass(frozen=True)
class TorchBuild:
    """The installed PyTorch."""

    version: str
    """Its version, build included, as `torch.__version__` gives it: 2.13.0+cpu; empty where there is none."""
    cuda: bool
    """Whether it was built with CUDA."""


@cache
def torch_build() -> TorchBuild:
    """The installed PyTorch, from the file that it keeps its version in; its metadata leave out the build."""
    found = importlib.util.find_spec("torch")
    file = Path(found.origin).with_name("version.py") if found and found.origin else None
    text = file.read_text(encoding="utf-8") if file and file.exists() else ""
    version = re.search(r"^__version__ = '([^']*)'", text, re.M)
    return TorchBuild(version[1] if version else "", bool(re.search(r"^cuda\b.*= '", text, re.M)))


def made_by() -> str:
    """What the folders of this interpreter's recordings end with: its PyTorch, or `python3.11` where there is none."""
    return torch_build().version or f"python{sys.version_info[0]}.{sys.version_info[1]}"


def made_with() -> str:
    """What made the outputs, for a person: `PyTorch 2.13.0+cpu`, or `Python 3.11.7`."""
    version = torch_build().version
    return f"PyTorch {version}" if version else f"Python {platform.python_version()}"


WITHOUT_SIMULATOR = "the package simulated_gpu is not installed for {}; install it there: pip install {}"
CPU_BUILD = (
    "PyTorch {0} is built without CUDA, and a simulated GPU runs PyTorch's own CUDA code; install the build with CUDA, "
    "which needs none of NVIDIA's packages: pip install --no-deps torch==={1}"
)


def _why_not_simulated() -> str:
    """Why the simulated GPU cannot work here; empty if it can."""
    if not torch_build().cuda:
        return CPU_BUILD.format(torch_build().version, torch_build().version.partition("+")[0])
    if not importlib.util.find_spec(SIMULATED_GPU.module):
        return WITHOUT_SIMULATOR.format(sys.executable, SIMULATED_GPU.module)
    return ""


SIMULATED_GPU = Simulator(
    "simulated_gpu",
    environ={"SIMULATED_GPU": "2", "CUDA_VISIBLE_DEVICES": "0,1"},
    notes="SIMULATED_GPU_UNSURE",
    refusal="NotSimulated",
    usable=_why_not_simulated,
)
"""Two GPUs, so that blocks that need two run as well."""

WITHOUT_CUDA = "PyTorch {} is built without CUDA; install a build with CUDA"
KINDS = {
    "cpu": Kind(
        "CPU",
        "a machine without a GPU",
        "not torch.accelerator.is_available()",
        present=lambda: True,
        absent=lambda: "",
    ),
    "cuda": Kind(
        "CUDA",
        "a GPU with CUDA",
        "torch.cuda.device_count() >= {count}",
        present=lambda: torch_build().cuda and nvidia.present(),
        absent=lambda: nvidia.why_absent() if torch_build().cuda else WITHOUT_CUDA.format(torch_build().version),
        count="torch.cuda.device_count()",
        name="torch.cuda.get_device_name(0)",
        driver=nvidia.driver,
        facts=nvidia.facts,
        used=nvidia.USED,
        hidden_by=nvidia.HIDDEN,
        simulator=SIMULATED_GPU,
    ),
    "mps": Kind(
        "MPS",
        "a Mac with MPS",
        "torch.backends.mps.is_available()",
        present=lambda: sys.platform == "darwin" and platform.machine() == "arm64",
        absent=lambda: "MPS needs macOS on Apple silicon",
        count="int(torch.backends.mps.is_available())",
        used="torch.mps.is_available() and torch.mps.driver_allocated_memory()",
    ),
}
"""The kinds of device by the names that PyTorch gives them: their one table, in the order of the pages' switch."""
DEVICES = tuple(KINDS)
"""Their names."""
LABELS = {name: kind.label for name, kind in KINDS.items()}


def present_devices(library: str = "") -> tuple[str, ...]:
    """The kinds of device that this machine seems to have; the CPU alone for a `library` that uses no other."""
    return tuple(name for name, kind in KINDS.items() if kind.present())[: 1 if library else None]


def why_not_simulated(device: str) -> str:
    """Why a device cannot be simulated here, and what to do about it; empty if it can."""
    if not torch_build().version:
        return f"PyTorch is not installed for {sys.executable}; install it there"
    simulator = KINDS[device].simulator
    if simulator is None:
        able = " or ".join(name for name, kind in KINDS.items() if kind.simulator)
        return f"no simulator has it; name {able}"
    return simulator.usable()


def why_absent(device: str) -> str:
    """Why a device is not among the present ones, and what to do about it."""
    if not torch_build().version:
        return f"PyTorch is not installed for {sys.executable}; install it there"
    return KINDS[device].absent()


def available_cores() -> int:
    """How many cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
