"""What can be set: the number of GPUs, their memory, their compute capability, and whether anything is computed."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, MutableMapping
from dataclasses import dataclass

from .errors import SettingError

GPUS, MEMORY, CAPABILITY = "SIMULATED_GPU", "SIMULATED_GPU_MEMORY", "SIMULATED_GPU_CAPABILITY"
SHAPES_ONLY = "SIMULATED_GPU_SHAPES_ONLY"
CAPABILITIES = ("7.0", "7.5", "8.0", "8.6", "8.7", "8.9", "9.0", "10.0", "10.3", "11.0", "12.0", "12.1")
UNITS = {"": 1, "KB": 10**3, "MB": 10**6, "GB": 10**9, "KIB": 2**10, "MIB": 2**20, "GIB": 2**30}
LEAST = 32 * 2**20  # below this, PyTorch's allocator has no room for its first blocks


@dataclass(frozen=True)
class Settings:
    """The GPUs that PyTorch will find."""

    gpus: int = 1
    """Their number, 1 to 16."""
    memory: int = 16 * 2**30
    """The memory of each, in bytes."""
    capability: str = "8.0"
    """Their compute capability, "major.minor". It decides what PyTorch says they can do."""
    shapes_only: bool = False
    """Whether nothing is computed, and nothing that is on a GPU takes main memory."""

    def __post_init__(self) -> None:
        if not 1 <= self.gpus <= 16:
            raise SettingError(f"{self.gpus} GPUs: choose 1 to 16")
        if self.memory < LEAST:
            raise SettingError(f"{self.memory} bytes of memory: a GPU needs at least {LEAST // 2**20}MiB")
        if self.capability not in CAPABILITIES:
            raise SettingError(f"compute capability {self.capability!r}: choose one of {', '.join(CAPABILITIES)}")

    def __str__(self) -> str:
        memory = f"{self.memory / 2**30:g} GiB"
        shapes = ", shapes only" if self.shapes_only else ""
        return f"{self.gpus} x {memory}, compute capability {self.capability}{shapes}"

    def write(self, environment: MutableMapping[str, str]) -> None:
        """Write the settings to an environment, for the processes that are started from here."""
        environment[GPUS] = str(self.gpus)
        environment[MEMORY] = str(self.memory)
        environment[CAPABILITY] = self.capability
        environment[SHAPES_ONLY] = str(int(self.shapes_only))


def read(environment: Mapping[str, str] = os.environ) -> Settings | None:
    """Return the settings of an environment, or None if it asks for no simulated GPU.

    Raises SettingError if a variable has a value that is not understood.
    """
    gpus = environment.get(GPUS, "").strip()
    if gpus in ("", "0"):
        return None
    if not gpus.isdigit():
        raise SettingError(f"{GPUS}={gpus}: write the number of GPUs, such as {GPUS}=2")
    shapes_only = environment.get(SHAPES_ONLY, "").strip()
    if shapes_only not in ("", "0", "1"):
        raise SettingError(f"{SHAPES_ONLY}={shapes_only}: write 1, or 0 to compute")
    return make(int(gpus), environment.get(MEMORY), environment.get(CAPABILITY), shapes_only == "1")


def make(gpus: int, memory: str | None, capability: str | None, shapes_only: bool = False) -> Settings:
    """Return settings in which what is None or empty has its default. Raises SettingError."""
    standard = Settings()
    return Settings(gpus, size(memory) if memory else standard.memory, capability or standard.capability, shapes_only)


def size(text: str) -> int:
    """Return the bytes of a text such as "8GiB", "500MB" or "1073741824". Raises SettingError."""
    match = re.fullmatch(r"(\d+(?:\.\d+)?)\s*([A-Za-z]*)", text.strip())
    if match is None or match[2].upper() not in UNITS:
        raise SettingError(f"memory {text!r}: write a number and a unit, such as 8GiB or 512MiB")
    return int(float(match[1]) * UNITS[match[2].upper()])


def visible(gpus: int, environment: Mapping[str, str] = os.environ) -> list[int]:
    """Return the GPUs that CUDA_VISIBLE_DEVICES leaves, as CUDA reads it: those before the first unknown number."""
    text = environment.get("CUDA_VISIBLE_DEVICES")
    if text is None:
        return list(range(gpus))
    numbers: list[int] = []
    for part in text.split(","):
        if not part.strip().isdigit() or int(part) >= gpus:
            break
        if int(part) in numbers:  # CUDA shows none where one is named twice
            return []
        numbers.append(int(part))
    return numbers
