"""made_with: what an output depends on beside the code: all installed packages, and the device. Found in a moment."""

from __future__ import annotations

import os
import platform
import re
import sys
from pathlib import Path

PROCESSORS = Path("/proc/cpuinfo")
DRIVER = Path("/proc/driver/nvidia")
"""Where Linux describes its processors and NVIDIA's driver its GPUs."""


def installed() -> list[str]:
    """Names and versions of all installed packages: those that a page imports import others in turn."""
    folders = [Path(name) for name in dict.fromkeys(sys.path) if os.path.isdir(name)]
    return sorted(path.name for folder in folders for path in folder.glob("*.*-info"))


def hardware(device: str) -> list[str]:
    """What this machine says of a kind of device: processor, or GPUs, their driver and which of them are visible."""
    if device != "cuda":
        return [platform.machine(), *_lines(PROCESSORS, "model name")[:1]]
    gpus = sorted(DRIVER.glob("gpus/*/information"))
    found = [line for path in [DRIVER / "version", *gpus] for line in _lines(path, "NVRM version", "Model")]
    return [os.environ.get("CUDA_VISIBLE_DEVICES", ""), *found]


def _lines(path: Path, *names: str) -> list[str]:
    """The lines of a file of `name: value` with these names; none where there is no such file."""
    try:
        text = path.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return []
    return re.findall(rf"^(?:{'|'.join(names)})\s*:.*$", text, re.M)
