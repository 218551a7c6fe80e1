"""machine: facts of the machine that a page runs on: the device's name, the driver, the versions, how many devices.

A page's process imports this, so it imports next to nothing itself, and torch only where it asks for a device. What
cannot change while a program runs is found once, by the fork server for all pages.
"""

from __future__ import annotations

import contextlib
import importlib
import importlib.metadata
import importlib.util
import os
import re
import sys
from functools import cache
from pathlib import Path
from typing import Any

from samedevice.devices import KINDS

WITHOUT_TORCH = "SAMEDEVICE_WITHOUT_TORCH"
"""The environment variable of a page's process that has nothing import PyTorch but the page."""
UNNAMED = re.compile(r"[^\w .,()/+@:#-]", re.ASCII)
"""Characters that the name of a device has not, where a recording is read: see `outputs.schema`."""
MODEL = re.compile(r"^model name\s*:\s*(.*)$", re.M)
NOT_NAME = re.compile(r"\((?:R|TM)\)|CPU|@.*$|\d+-Core Processor")
"""Where Linux names the processor, and what is left out of that."""


def environment(device: str, simulated: bool = False, library: str = "") -> dict[str, str | bool]:
    """What a recording says about where it was made: device name, versions of PyTorch, Python and driver.

    Without PyTorch it says nothing of the machine; with a `library` that is installed, its version.
    """
    python = ".".join(map(str, sys.version_info[:3]))
    plain: dict[str, str | bool] = {"name": "", "torch": "", "python": python}
    with contextlib.suppress(ImportError):  # it is not installed
        if library:
            return plain | {"library": library, "library_version": importlib.metadata.version(library)}
    torch = installed()
    if torch is None:
        return plain
    found: dict[str, str | bool] = {
        "torch": str(torch.__version__),
        "python": python,
        "simulated": simulated,
    }
    found["numpy"] = getattr(sys.modules.get("numpy"), "__version__", "")  # torch has imported it, if it is there
    kind = KINDS[device]
    name = _plain(str(eval(kind.name, {"torch": torch}))) if kind.name else processor()
    return found | {"name": name, "driver": "" if simulated else kind.driver()}


@cache
def installed() -> Any:
    """PyTorch, imported; None where it is not installed, or not wanted, as in a project of plain Python."""
    if os.environ.get(WITHOUT_TORCH):
        return None
    return importlib.import_module("torch") if importlib.util.find_spec("torch") else None


@cache
def processor() -> str:
    """The processor's model name, without trademark signs and frequency."""
    import platform

    info = Path("/proc/cpuinfo")
    match = MODEL.search(info.read_text()) if info.exists() else None
    name = match[1] if match else platform.processor() or platform.machine()
    return _plain(NOT_NAME.sub("", name))


def _plain(name: str) -> str:
    """A device's name in the letters that a recording may hold."""
    return " ".join(UNNAMED.sub(" ", name).split())[:120]


def count(device: str) -> int:
    """How many devices of this kind torch sees in this process."""
    torch = installed()
    return int(eval(KINDS[device].count, {"torch": torch})) if torch else int(device == "cpu")
