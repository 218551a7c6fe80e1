"""pytest_options: what a person may ask of pytest. Only this much is loaded where a project has no pages of ours."""

from __future__ import annotations

import pytest

from samedevice.devices import DEVICES


def add_options(parser: pytest.Parser, flags: str) -> None:
    """Add the options; `flags` begins their names, since other plugins have a --device, too."""
    group = parser.getgroup("samedevice", "Same Device")
    about = "run the pages' blocks on this device only; may be given twice (default: all that this machine has)"
    group.addoption(f"{flags}device", dest="samedevice_device", action="append", choices=DEVICES, help=about)
    about = f"with {flags}device cuda: run the blocks on simulated GPUs, with a CUDA build of PyTorch"
    group.addoption(f"{flags}simulated", dest="samedevice_simulated", action="store_true", help=about)
    about = "write what the blocks print to the folder of recordings"
    group.addoption(f"{flags}record", dest="samedevice_record", action="store_true", help=about)
