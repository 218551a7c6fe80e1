"""made_with: what an output depends on beside the code: all installed packages, and the device. Found in a moment."""

from __future__ import annotations

import os
import platform
import site
from pathlib import Path

from samedevice.devices import KINDS
from samedevice.nvidia import read_lines

PROCESSORS = Path("/proc/cpuinfo")
"""Where Linux describes its processors."""


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
    """What this machine says of a kind of device: of its GPUs and their driver, or of its processor."""
    return KINDS[device].facts() or [platform.machine(), *read_lines(PROCESSORS, "model name")[:1]]
