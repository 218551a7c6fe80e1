"""made_with: what an output depends on beside the code: all installed packages, and the device. Found in a moment."""

from __future__ import annotations

import os
import platform
import re
import site
from pathlib import Path

PROCESSORS = Path("/proc/cpuinfo")
DRIVER = Path("/proc/driver/nvidia")
"""Where Linux describes its processors and NVIDIA's driver its GPUs."""


def installed() -> list[str]:
    """Names and versions of all installed packages: those that a page imports import others in turn.

    They are looked for where a new interpreter finds them. `sys.path` will not do: setuptools, once it is imported,
    puts a folder with packages of its own there.
    """
    named = os.environ.get("PYTHONPATH", "").split(os.pathsep)
    own = [site.getusersitepackages()] if site.ENABLE_USER_SITE else []
    folders = dict.fromkeys(map(os.path.abspath, filter(None, [*named, *own, *site.getsitepackages()])))
    return sorted({path.name for folder in folders for path in Path(folder).glob("*.*-info")})


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
