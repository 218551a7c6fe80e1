"""record: goes in what a page's blocks printed; comes out a recording: in the page's file, and in this machine's cache.

The cache is made of the same files as recordings. Tests and builds fill it; builds take from it what they need not run.
Beside each file is a key: the packages and the hardware that it was made with. What a page itself says that its blocks
print is written here, too.
"""

from __future__ import annotations

import contextlib
import os
import platform
import re
import shutil
import site
from collections.abc import Container, Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import samedevice.files as files  # the package itself has public names alone
from samedevice.devices import KINDS, LABELS, torch_build
from samedevice.errors import RecordingError
from samedevice.files import sweep_files, writable, write_atomically
from samedevice.nvidia import read_lines
from samedevice.outputs.checks import expected_text, fault, unexpected
from samedevice.outputs.environments import Run
from samedevice.outputs.output import CHANGED, Output
from samedevice.outputs.recording_files import Recorded, Recordings, place
from samedevice.outputs.recordings import Recording, is_stale, update
from samedevice.pages.page import Block, Page
from samedevice.project import CACHE

UNCHANGED = "unchanged: "
"""What begins the line about a page that printed what is recorded of it already."""
LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+\Z")
"""A line of a file with its end."""
ADVICE = "make room on the disk, or make the checkout writable, and record again"
PROCESSORS = Path("/proc/cpuinfo")
"""Where Linux describes its processors."""


def record(page: Page, run: Run, files: Recordings, recorded: Recorded, simulated: bool = False) -> str:
    """Write a run into the page's recording; return a line that says what was done.

    `recorded` is what is recorded of the page so far; `simulated` is whether the device is.

    Raises RecordingError where it cannot be written.
    """
    assert run.environment is not None
    device, where = run.environment.device, f"{page.path} on {run.environment.folder}"
    faults = [found for block, output in ran(page, run) if (found := fault(block, device, output))]
    first = faults[0].splitlines()[0] if faults else ""
    if faults and page.settings.console:
        return f"not recorded: {where}, because {len(faults)} of its blocks failed, first {first}"
    unsure = {*run.unsure, *(block.index for block in page.blocks if simulated and block.not_simulated)}
    known, errors = recorded
    if errors:
        raise errors[0]
    old = next((one for one in files.own(page) if one.environment.folder == run.environment.folder), None)
    new = update(old, page, run.environment, run.outputs, unsure, known)
    if new is None:
        return f"{UNCHANGED}{where}"
    try:
        files.save(page, new)
    except OSError as error:
        what = f"cannot be written ({error.strerror}); what was recorded before is as it was; {ADVICE}"
        path = place(Path(page.settings.recordings), page).as_posix()
        raise RecordingError(path, what) from None
    left = f", {len(unsure)} left out" if unsure else ""
    idle = sum(entry.output is None for entry in new.entries)
    left += f", {idle} of them without using {LABELS[device]}" if idle else ""
    left += f", of which {len(faults)} fail and show nothing, first {first}" if faults else ""
    return f"recorded {where}: {len(new.entries)} blocks{left}"


def ran(page: Page, run: Run) -> Iterator[tuple[Block, Output]]:
    """The blocks of a page that ran, with their outputs."""
    return ((block, output) for block, output in zip(page.blocks, run.outputs, strict=True) if output)


def write_expected(page: Page, run: Run, root: Path) -> None:
    """Write what blocks printed into the fences of their page that say what they print; leave the rest as it is.

    Raises RecordingError, also for a page that was edited while its blocks ran.
    """
    assert run.environment is not None
    device = run.environment.device
    printed = [
        (block, expected_text(block, output))
        for block, output in ran(page, run)
        if block.expected and not fault(block, device, output) and unexpected(page, block, device, output)
    ]
    if not printed:
        return
    path = root / page.path
    try:
        if path.read_text(encoding="utf-8-sig") != page.text:
            raise RecordingError(page.path, CHANGED)
        # a page may be a link to a README
        write_atomically(path.resolve(), "".join(_with_fences(page, LINE.findall(path.read_bytes().decode()), printed)))
    except OSError as error:
        raise RecordingError(page.path, f"cannot be written ({error.strerror}); {ADVICE}") from None


def _with_fences(page: Page, lines: list[str], printed: Iterable[tuple[Block, str]]) -> list[str]:
    """The lines of a page with these texts in the fences that belong to blocks."""
    for block, text in sorted(printed, key=lambda one: one[0].index, reverse=True):
        assert block.expected is not None
        first, last = (page.text.count("\n", 0, offset) for offset in (block.expected.start, block.expected.end))
        end = lines[first][len(lines[first].rstrip("\r\n")) :]
        lines[first + 1 : last] = [f"{line}{end}" for line in block.expected.lines(text)]
    return lines


class OutputCache:
    """The cache of the repository at `root`; what another engine kept is forgotten."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.folder = root / CACHE
        self.outputs = self.folder / "outputs"
        path, key = self.folder / "engine", files.runner()
        sweep_files(self.folder)
        if files.find(path, key) is None:
            shutil.rmtree(self.outputs, ignore_errors=True)
            files.keep(path, key, True)
        self.writable = writable(self.folder)
        files.ignore(self.folder)
        self.usable = files.find(path, key) is not None
        self.packages = installed()

    def _key(self, page: Page, device: str) -> tuple[Path, str]:
        """The file that says what a kept run was made with, and what it has to say."""
        about = [*self.packages, *hardware(device), page.settings.cwd, repr(page.settings.env)]
        return place(self.folder / "keys" / device, page), files.digest("\0".join(about))

    def _files(self) -> Recordings:
        """The files of the cache. What another page printed was perhaps made with other packages."""
        return Recordings(self.root, self.outputs, follow=False)

    def find(self, page: Page, device: str) -> Recording | None:
        """What is kept of the page's blocks as they are now, made by these versions; None if there is nothing."""
        if not self.usable or files.find(*self._key(page, device)) is None:
            return None
        version = "" if page.settings.library else torch_build().version
        made = (device, version, platform.python_version())
        for found in self._files().load(page)[0]:
            if (found.environment.device, found.environment.torch, found.environment.python) == made:
                at = {hash: index for index, hash in enumerate(found.hashes(page))}
                entries = [one for one in found.entries if one.hash in at and not is_stale(one, page, at[one.hash])]
                return replace(found, entries=tuple(entries)) if entries else None
        return None

    def missing(self, page: Page, device: str, failing: Container[int] = ()) -> set[int]:
        """The blocks, by index, of those sections of which a block is not kept; of these every block has to run.

        Blocks that are known to fail, by index, need not be kept.
        """
        found = self.find(page, device)
        known = {None, *(entry.hash for entry in (found.entries if found else ()))}
        hashes = page.hashes(device, torch_build().version)
        lacking = {
            block.index
            for block in page.blocks
            if block.options.count == 1 and hashes[block.index] not in known and block.index not in failing
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
                files.keep(*self._key(page, device), True)


def as_recording(
    page: Page, run: Run, kept: Recording | None = None, recorded: Sequence[Recording] = ()
) -> Recording | None:
    """What a run printed, with what was kept of blocks that did not run; None if the device was not there."""
    if run.environment is None:
        return None
    return update(kept, page, run.environment, run.outputs, others=recorded) or kept


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
