"""The installed PyTorch, read from its files: it must not be imported before the simulated GPU is in place."""

from __future__ import annotations

import importlib.metadata
import importlib.util
import os
import platform
import re
import sys
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from .errors import MachineError

TESTED = ((2, 9), (2, 15))
UNTESTED = "SIMULATED_GPU_UNTESTED"
SYSTEMS = {"x86_64", "aarch64"}


@dataclass(frozen=True)
class Torch:
    """An installed PyTorch that was built for CUDA."""

    folder: Path
    """The package's folder."""
    version: str
    """Its version with its build, such as "2.13.0+cu130"."""
    cuda: str
    """The version of CUDA that it was built for, such as "13.0"."""

    @property
    def cuda_number(self) -> int:
        """CUDA's version as the runtime counts it: 13.2 is 13020."""
        major, minor = self.cuda.split(".")[:2]
        return int(major) * 1000 + int(minor) * 10

    @property
    def libraries(self) -> list[Path]:
        """PyTorch's own shared libraries, which ask for NVIDIA's."""
        return sorted((self.folder / "lib").glob("lib*.so"))

    @cached_property
    def companions(self) -> dict[str, str]:
        """The versions of NVIDIA's libraries that this build names in its metadata: {"cudnn": "9.20.0.48"}."""
        required = importlib.metadata.requires("torch") or []
        found = (re.match(r"nvidia-(\w+)-cu\d+\s*\(?==\s*([\d.]+)", line) for line in required)
        return {match[1]: match[2] for match in found if match}

    @property
    def tested(self) -> bool:
        """Whether this release is one of those that the simulated GPU is tested with."""
        match = re.match(r"(\d+)\.(\d+)", self.version)
        return match is not None and TESTED[0] <= (int(match[1]), int(match[2])) <= TESTED[1]


def find() -> Torch:
    """Return the PyTorch that `import torch` would load. Raises MachineError if it cannot have a simulated GPU."""
    if sys.platform != "linux" or platform.machine() not in SYSTEMS:
        raise MachineError(
            f"the simulated GPU needs Linux on x86-64 or ARM, as PyTorch's CUDA builds do; this is {platform.system()} "
            f"on {platform.machine()}. Run it in a Linux container."
        )
    spec = importlib.util.find_spec("torch")
    if spec is None or spec.origin is None:
        raise MachineError(f"no PyTorch is installed for {sys.executable}. {HOW_TO_INSTALL}")
    folder = Path(spec.origin).parent
    values = dict(re.findall(r"^(\w+)\b.*?= *'([^']*)'$", (folder / "version.py").read_text(), re.MULTILINE))
    if "cuda" not in values:
        kind = "ROCm" if "hip" in values else "CPU"
        raise MachineError(
            f"PyTorch {values.get('__version__', '')} is a {kind} build; a simulated GPU needs a CUDA build, in which "
            f"PyTorch's own CUDA code is. {HOW_TO_INSTALL}"
        )
    torch = Torch(folder, values["__version__"], values["cuda"])
    if not torch.tested and UNTESTED not in os.environ:
        first, last = (".".join(map(str, version)) for version in TESTED)
        raise MachineError(
            f"PyTorch {torch.version} was not tested with the simulated GPU; {first} to {last} were. Install one of "
            f"those, or a newer simulated_gpu, or set {UNTESTED}=1 to try it."
        )
    return torch


HOW_TO_INSTALL = (
    "Install PyTorch's CUDA build without NVIDIA's packages, which are not needed (0.6 GB to load instead of 3):\n"
    "    pip install --no-deps torch\n"
    "    pip install filelock fsspec jinja2 networkx sympy typing-extensions\n"
    "If your package index is the one of PyTorch's CPU builds, name another one with --index-url."
)
