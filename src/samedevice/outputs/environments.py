"""environments: where outputs were made, and what came of one run of a page."""

from __future__ import annotations

from dataclasses import dataclass

from samedevice.outputs.output import Output


@dataclass(frozen=True)
class Environment:
    """Where outputs were made."""

    device: str
    """Kind of device: cpu, cuda or mps."""
    name: str
    """The device's name, as its driver gives it."""
    torch: str
    """Version of PyTorch, build included: 2.13.0+cpu."""
    python: str
    """Version of Python."""
    driver: str = ""
    """Version of the device's driver; empty for a CPU."""
    day: str = ""
    """Day of the run, UTC, as YYYY-MM-DD."""


@dataclass(frozen=True)
class Run:
    """What came of running a page on a device."""

    outputs: tuple[Output | None, ...]
    """An output for each block of the page; None for one that does not run there, or was not asked for."""
    environment: Environment | None
    """None where the device is not present."""
    count: int = 0
    """How many devices of the kind were present."""
