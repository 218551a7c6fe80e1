"""cache: what blocks printed on this machine, kept until their code, the versions, or what runs them changes.

It is made of the same files as recordings. Tests and builds fill it; builds take from it what they need not run. Beside
each file is a key: the packages and the hardware that it was made with.
"""

from __future__ import annotations

import contextlib
import platform
import shutil
from collections.abc import Container
from dataclasses import replace
from pathlib import Path

from samedevice import file_cache
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
        path, key = self.folder / "engine", file_cache.runner()
        sweep_files(self.folder)
        if file_cache.find(path, key) is None:
            for folder in self.folder.iterdir() if self.folder.is_dir() else ():
                if folder.name.partition("-")[0] in DEVICES:
                    shutil.rmtree(folder, ignore_errors=True)
            file_cache.keep(path, key, True)
        self.writable = writable(self.folder)
        self.usable = file_cache.find(path, key) is not None
        self.packages = installed()

    def _place_of_key(self, page: Page, device: str) -> tuple[Path, str]:
        """The file that says what a kept run was made with, and what it has to say."""
        return place(self.folder / "keys", device, page), file_cache.digest(
            "\0".join([*self.packages, *hardware(device)])
        )

    def find(self, page: Page, device: str) -> Recording | None:
        """What is kept of the page's blocks as they are now, made by these versions; None if there is nothing."""
        if not self.usable or file_cache.find(*self._place_of_key(page, device)) is None:
            return None
        try:
            found = load(place(self.folder, _folder(device), page))
        except RecordingError:
            return None
        if found is None or found.environment.torch != torch_build().version:
            return None
        if found.environment.python != platform.python_version():
            return None
        hashes = found.hashes(page)
        entries = tuple(entry for entry in found.whole if entry.hash in hashes)
        return replace(found, entries=entries) if entries else None

    def missing(self, page: Page, device: str, failing: Container[int] = ()) -> set[int]:
        """The blocks, by index, of those sections of which a block is not kept; of these every block has to run.

        Blocks that are known to fail, by index, need not be kept.
        """
        found = self.find(page, device)
        known = {entry.hash for entry in found.entries} if found else set()
        hashes = page.hashes(device, torch_build().version)
        lacking = {
            block.index
            for block in page.blocks
            if hashes[block.index] is not None
            and block.options.count == 1
            and hashes[block.index] not in known
            and block.index not in failing
        }
        parts = ({block.index for block in blocks} for _, blocks in page.units)
        return {index for part in parts if part & lacking for index in part}

    def keep(self, page: Page, device: str, run: Run) -> None:
        """Keep what blocks printed without a fault."""
        outputs = [
            None if output is None or fault(block, device, output) else output
            for block, output in zip(page.blocks, run.outputs, strict=True)
        ]
        kept = self.find(page, device)
        found = as_recording(page, replace(run, outputs=tuple(outputs)), kept)
        if found is not None and found.entries and found != kept:
            with contextlib.suppress(OSError):  # a cache only saves time
                save(place(self.folder, _folder(device), page), found)
                file_cache.keep(*self._place_of_key(page, device), True)


def as_recording(page: Page, run: Run, kept: Recording | None = None) -> Recording | None:
    """What a run printed, with what was kept of blocks that did not run; None if the device was not there."""
    return (update(kept, page, run.environment, run.outputs) or kept) if run.environment else None


def _folder(device: str) -> str:
    """The folder of what this PyTorch printed on a kind of device."""
    return f"{device}-{made_by()}"
