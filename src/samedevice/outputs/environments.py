"""environments: what decides an output besides the code, the order of PyTorch's versions, and one run of a page."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from functools import cached_property

from samedevice.outputs.output import Output

MAKERS = re.compile(r"\b(?:NVIDIA|AMD|Apple|Intel|GeForce|Tesla|Quadro|Instinct|Radeon)\b|\((?:R|TM)\)", re.I)
"""Words that people leave out when they name a device."""
VARIANTS = re.compile(r"\b(?:\d+ ?GB|HBM\d\w*|SXM\d*|PCI-?e|NVL|MIG \S+)\b", re.I)
"""Sizes and sockets of one and the same device."""


@dataclass(frozen=True)
class Environment:
    """Where outputs were made. The device, its name and the version of PyTorch identify it; the rest is recorded."""

    device: str
    """Kind of device: cpu, cuda or mps."""
    name: str
    """The device's name, as its driver gives it."""
    torch: str
    """Version of PyTorch, build included: 2.13.0+cpu; empty in a project of plain Python."""
    python: str
    """Version of Python."""
    driver: str = ""
    """Version of the device's driver; empty for a CPU."""
    day: str = ""
    """Day of the run, UTC, as YYYY-MM-DD."""
    numpy: str = ""
    """Version of NumPy; empty where there is none."""
    simulated: bool = False
    """Whether the device is one of a simulator, and no real one."""

    library: str = ""
    """The package that the project documents; empty where PyTorch, or Python, is what decides the outputs."""
    library_version: str = ""
    """Its version."""

    @cached_property
    def short_name(self) -> str:
        """The device's name in short, for a folder: `NVIDIA H100 80GB HBM3` is `h100`; a CPU is `cpu`."""
        if self.device == "cpu":
            return self.device
        if self.simulated:
            return f"{self.device}-simulated"
        words = re.findall(r"[a-z0-9]+", VARIANTS.sub("", MAKERS.sub("", self.name)).lower())
        return "-".join(words) or self.device

    @cached_property
    def folder(self) -> str:
        """The name of the folder of its recordings: `cpu-2.13.0+cpu`, `h100-2.11.0+cu130`. It identifies it.

        Without PyTorch the release of Python takes its place: `cpu-python3.11`. The name of a library stands alone:
        what its next release prints takes the place of what this one printed.
        """
        if self.library:
            return self.library
        version = re.sub(r"[^\w.+]", "_", self.torch) or f"python{self.release}"
        return f"{self.short_name}-{version}"

    @property
    def maker(self) -> str:
        """What decides the outputs beside the device: the library, `PyTorch`, or `Python` where there is neither."""
        return self.library or ("PyTorch" if self.torch else "Python")

    @property
    def version(self) -> str:
        """The version of the library, of PyTorch, or of Python."""
        return self.library_version or self.torch or self.python

    @cached_property
    def release(self) -> str:
        """That version as people say it: 2.13; of a library all of it."""
        return self.library_version or ".".join(self.version.partition("+")[0].split(".")[:2])

    def to_json(self) -> dict[str, str | bool]:
        """Its fields, without those that are as they are where nothing is said of them."""
        defaults = {one.name: one.default for one in fields(self)}
        return {key: value for key, value in asdict(self).items() if value != defaults[key]}

    @cached_property
    def facts(self) -> dict[str, str | bool]:
        """All but the day."""
        return {key: value for key, value in self.to_json().items() if key != "day"}

    @property
    def order(self) -> tuple[tuple[int, ...], str, str]:
        """What environments of one kind are ordered by: the version of PyTorch, its build, the device's name."""
        return version_order(self.version), self.version, self.name

    def __str__(self) -> str:
        """The device, the version and the day: `NVIDIA H100, PyTorch 2.13.0+cu130, 2026-11-20`."""
        return ", ".join(filter(None, (self.name, f"{self.maker} {self.version}", self.day)))


@dataclass(frozen=True)
class Run:
    """What came of running a page on a device."""

    outputs: tuple[Output | None, ...]
    """An output for each block of the page; None for one that does not run there, or was not asked for."""
    environment: Environment | None
    """None where the device is not present."""
    count: int = 0
    """How many devices of the kind were present."""
    seconds: float = 0.0
    """How long its blocks took, without the time that they waited for a free core."""
    unsure: Mapping[int, str] = field(default_factory=dict)
    """Of a simulated device: why the output of a block is not taken, by the block's index. It has none above."""
    left: str = ""
    """What it left in a process that it might have shared; empty if another section can run there."""


def version_order(version: str) -> tuple[int, ...]:
    """What versions are ordered by: (2, 13, 0) for 2.13.0+cpu."""
    return tuple(map(int, re.findall(r"\d+", version.partition("+")[0])))


def nearest(here: Environment, others: Sequence[Environment]) -> Environment:
    """The environment with the closest version: the newest that is not newer than `here`, else the oldest.

    The devices' names do not count: `here` may be a GPU, and the others simulated.
    """
    older = [one for one in others if one.order[:2] <= here.order[:2]]
    return max(older, key=lambda one: one.order) if older else min(others, key=lambda one: one.order)
