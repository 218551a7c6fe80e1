"""cache: what blocks printed on this machine, kept until their code, the versions, or what runs them changes.

It is made of the same files as recordings. Tests and builds fill it; builds take from it what they need not run. Beside
each file is a key: the packages and the hardware that it was made with.
"""

from __future__ import annotations

import contextlib
import platform
import shutil
from collections.abc import Container, Sequence
from dataclasses import replace
from pathlib import Path

from samedevice import file_cache
from samedevice.devices import torch_build
from samedevice.errors import RecordingError
from samedevice.outputs.checks import fault
from samedevice.outputs.environments import Run
from samedevice.outputs.made_with import hardware, installed
from samedevice.outputs.recording_files import Recordings, place
from samedevice.outputs.recordings import Recording, is_stale, update
from samedevice.pages.page import Page
from samedevice.project import CACHE
from samedevice.temporary import sweep_files, writable


class OutputCache:
    """The cache of the repository at `root`; what another engine kept is forgotten."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.folder = root / CACHE
        self.outputs = self.folder / "outputs"
        path, key = self.folder / "engine", file_cache.runner()
        sweep_files(self.folder)
        if file_cache.find(path, key) is None:
            shutil.rmtree(self.outputs, ignore_errors=True)
            file_cache.keep(path, key, True)
        self.writable = writable(self.folder)
        file_cache.ignore(self.folder)
        self.usable = file_cache.find(path, key) is not None
        self.packages = installed()

    def _place_of_key(self, page: Page, device: str) -> tuple[Path, str]:
        """The file that says what a kept run was made with, and what it has to say."""
        return place(self.folder / "keys" / device, page), file_cache.digest(
            "\0".join([*self.packages, *hardware(device), page.settings.cwd, repr(page.settings.env)])
        )

    def find(self, page: Page, device: str) -> Recording | None:
        """What is kept of the page's blocks as they are now, made by these versions; None if there is nothing."""
        if not self.usable or file_cache.find(*self._place_of_key(page, device)) is None:
            return None
        found = self._recording(page, device)
        if found is None or found.environment.python != platform.python_version():
            return None
        hashes = found.hashes(page)
        at = {hash: index for index, hash in enumerate(hashes)}
        entries = tuple(one for one in found.entries if one.hash in at and not is_stale(one, page, at[one.hash]))
        return replace(found, entries=entries) if entries else None

    def _recording(self, page: Page, device: str) -> Recording | None:
        """What is kept of a page on a device with this PyTorch."""
        recordings, _ = self._files().load(page)
        version = "" if page.settings.library else torch_build().version
        own = (one for one in recordings if (one.environment.device, one.environment.torch) == (device, version))
        return next(own, None)

    def _files(self) -> Recordings:
        """The files of the cache. What another page printed was perhaps made with other packages."""
        return Recordings(self.root, self.outputs, follow=False)

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

    def keep(self, page: Page, device: str, run: Run, recorded: Sequence[Recording] = ()) -> None:
        """Keep what blocks printed without a fault, given what is recorded of the page."""
        outputs = [
            None if output is None or fault(block, device, output) else output
            for block, output in zip(page.blocks, run.outputs, strict=True)
        ]
        kept = self.find(page, device)
        found = as_recording(page, replace(run, outputs=tuple(outputs)), kept, recorded)
        if found is not None and found.entries and found != kept:
            with contextlib.suppress(OSError, RecordingError):  # a cache only saves time
                if self._files().load(page)[1]:
                    place(self.outputs, page).unlink()
                self._files().save(page, found)
                file_cache.keep(*self._place_of_key(page, device), True)


def as_recording(
    page: Page, run: Run, kept: Recording | None = None, recorded: Sequence[Recording] = ()
) -> Recording | None:
    """What a run printed, with what was kept of blocks that did not run; None if the device was not there."""
    if run.environment is None:
        return None
    return update(kept, page, run.environment, run.outputs, others=recorded) or kept
