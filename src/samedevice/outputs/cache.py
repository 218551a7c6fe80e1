"""cache: what blocks printed on this machine, kept until their code, the versions, or what runs them changes.

It is made of the same files as recordings. Tests and builds fill it; builds take from it what they need not run. Beside
each file is a key: the packages and the hardware that it was made with.
"""

from __future__ import annotations

import contextlib
import platform
import shutil
from pathlib import Path

from samedevice import memo
from samedevice.devices import DEVICES, made_by, torch_build
from samedevice.errors import RecordingError
from samedevice.outputs.checks import fault
from samedevice.outputs.environments import Run
from samedevice.outputs.made_with import hardware, installed
from samedevice.outputs.recording_files import load, place, save
from samedevice.outputs.recordings import Recording, update
from samedevice.pages.page import Page
from samedevice.project import CACHE
from samedevice.temporary import sweep_files, writable


class OutputCache:
    """The cache of the repository at `root`; what another engine kept is forgotten."""

    def __init__(self, root: Path) -> None:
        self.folder = root / CACHE
        path, key = self.folder / "engine", memo.runner()
        sweep_files(self.folder)
        if memo.find(path, key) is None:
            for folder in self.folder.iterdir() if self.folder.is_dir() else ():
                if folder.name.partition("-")[0] in DEVICES:
                    shutil.rmtree(folder, ignore_errors=True)
            memo.keep(path, key, True)
        self.writable = writable(self.folder)
        self.usable = memo.find(path, key) is not None
        self.packages = installed()

    def _place_of_key(self, page: Page, device: str) -> tuple[Path, str]:
        """The file that says what a kept run was made with, and what it has to say."""
        return place(self.folder / "keys", device, page), memo.digest("\0".join([*self.packages, *hardware(device)]))

    def find(self, page: Page, device: str) -> Recording | None:
        """What is kept of the page, if that is whole and was made by these versions."""
        if not self.usable or memo.find(*self._place_of_key(page, device)) is None:
            return None
        try:
            found = load(place(self.folder, _folder(device), page))
        except RecordingError:
            return None
        if found is None or found.environment.torch != torch_build().version:
            return None
        if found.environment.python != platform.python_version():
            return None
        hashes = {entry.hash for entry in found.whole}
        return found if _wanted(page, device) <= hashes <= set(found.hashes(page)) else None

    def keep(self, page: Page, device: str, run: Run) -> None:
        """Keep a run, if the whole page ran without a fault."""
        found = as_recording(page, run)
        if found is None:
            return
        outputs = zip(page.blocks, run.outputs, strict=True)
        faulty = any(output and fault(block, device, output) for block, output in outputs)
        if not faulty and _wanted(page, device) <= {entry.hash for entry in found.entries}:
            with contextlib.suppress(OSError):  # a cache only saves time
                save(place(self.folder, _folder(device), page), found)
                memo.keep(*self._place_of_key(page, device), True)


def as_recording(page: Page, run: Run) -> Recording | None:
    """What a run printed as a recording; None if the device was not there."""
    return update(None, page, run.environment, run.outputs) if run.environment else None


def _folder(device: str) -> str:
    """The folder of what this PyTorch printed on a kind of device."""
    return f"{device}-{made_by()}"


def _wanted(page: Page, device: str) -> set[str]:
    """The hashes of the blocks that run on a device however many of it there are."""
    hashes = zip(page.blocks, page.hashes(device, torch_build().version), strict=True)
    return {hash for block, hash in hashes if hash is not None and block.options.count == 1}
