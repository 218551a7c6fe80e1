"""devices: the kinds of device that this machine has, found without importing torch, which takes seconds."""

from __future__ import annotations

import importlib.util
import os
import platform
import re
import sys
from dataclasses import dataclass
from functools import cache
from pathlib import Path

DRIVER_NODES = ("/dev/nvidiactl", "/dev/dxg", f"{os.environ.get('SYSTEMROOT', '')}/System32/nvcuda.dll")
"""What an NVIDIA driver puts there: on Linux, in the Windows Subsystem for Linux, on Windows."""


@dataclass(frozen=True)
class Kind:
    """A kind of device that blocks run on."""

    label: str
    """How pages call it."""
    check: str
    """An expression of Python, with torch imported, that is true where at least `{count}` of them are present."""
    machine: str
    """What a program needs that runs on it alone."""


KINDS = {
    "cpu": Kind("CPU", "not torch.accelerator.is_available()", "a machine without a GPU"),
    "cuda": Kind("CUDA", "torch.cuda.device_count() >= {count}", "a GPU with CUDA"),
    "mps": Kind("MPS", "torch.backends.mps.is_available()", "a Mac with MPS"),
}
"""The kinds of device by the names that PyTorch gives them. A new device is added here, and in `running.machine`."""
DEVICES = tuple(KINDS)
"""Their names, in the order in which pages list them."""
LABELS = {name: kind.label for name, kind in KINDS.items()}


@dataclass(frozen=True)
class Build:
    """The installed PyTorch."""

    version: str
    """Its version, build included, as `torch.__version__` gives it: 2.13.0+cpu; empty where there is none."""
    cuda: bool
    """Whether it was built with CUDA."""


@cache
def torch_build() -> Build:
    """The installed PyTorch, from the file that it keeps its version in; its metadata leave out the build."""
    found = importlib.util.find_spec("torch")
    file = Path(found.origin).with_name("version.py") if found and found.origin else None
    text = file.read_text(encoding="utf-8") if file and file.exists() else ""
    version = re.search(r"^__version__ = '([^']*)'", text, re.M)
    return Build(version[1] if version else "", bool(re.search(r"^cuda\b.*= '", text, re.M)))


def made_by() -> str:
    """What the folders of this interpreter's recordings end with: its PyTorch, or `python3.11` where there is none."""
    return torch_build().version or f"python{sys.version_info[0]}.{sys.version_info[1]}"


def made_with() -> str:
    """The same for a person: `PyTorch 2.13.0+cpu`, or `Python 3.11.7`."""
    version = torch_build().version
    return f"PyTorch {version}" if version else f"Python {platform.python_version()}"


def present_devices() -> tuple[str, ...]:
    """The kinds of device that this machine seems to have."""
    found = ["cpu"]
    if torch_build().cuda and not _hidden() and any(Path(node).exists() for node in DRIVER_NODES):
        found.append("cuda")
    if _apple_silicon():
        found.append("mps")
    return tuple(found)


def why_absent(device: str) -> str:
    """Why a device is not among the present ones, and what to do about it."""
    build = torch_build()
    if not build.version:
        return f"PyTorch is not installed for {sys.executable}; install it there"
    if device == "mps":
        return "MPS needs macOS on Apple silicon"
    if not build.cuda:
        return f"PyTorch {build.version} is built without CUDA; install a build with CUDA"
    if _hidden():
        return "CUDA_VISIBLE_DEVICES hides all GPUs; unset it"
    return "no NVIDIA driver was found; run this on a machine where nvidia-smi lists a GPU"


def _hidden() -> bool:
    return os.environ.get("CUDA_VISIBLE_DEVICES", "all") in ("", "-1")


def _apple_silicon() -> bool:
    return sys.platform == "darwin" and platform.machine() == "arm64"
