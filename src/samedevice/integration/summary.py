"""summary: what the end of a run of pytest says: what was recorded, matched, is missing or stale."""

from __future__ import annotations

import contextlib
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path

from samedevice.devices import DEVICES, made_by, made_with
from samedevice.errors import SameDeviceError
from samedevice.outputs.counts import count_blocks
from samedevice.outputs.recording_files import load_all
from samedevice.outputs.recordings import State
from samedevice.page_runs import UNCHANGED
from samedevice.pages.page import Page
from samedevice.pages.parsing import parse_page
from samedevice.pages.percent import page_files
from samedevice.project import DEFAULTS, Settings


def recorded(said: Iterable[str]) -> Iterator[str]:
    """What was said of the pages that were recorded, those that are as they were in one line."""
    unchanged = 0
    for line in said:
        if line.startswith(UNCHANGED):
            unchanged += 1
        else:
            yield line
    if unchanged:
        yield f"unchanged: {unchanged} recordings say already what was printed"


def matched_with(found: Iterable[str]) -> Iterator[str]:
    """How many outputs are equal to the recordings of which environment, unless all are of this PyTorch."""
    counted = Counter(found)
    if not all(name.endswith(f"-{made_by()}") for name in counted):
        told = ", ".join(f"{count} as {name} printed" for name, count in counted.most_common())
        yield f"outputs with {made_with()}: {told}"


def readable(root: Path, settings: Settings = DEFAULTS) -> Iterator[Page]:
    """The pages that can be read."""
    for path in page_files(root, settings):
        with contextlib.suppress(SameDeviceError):
            yield parse_page(path, root, settings=settings)


def elsewhere(root: Path, pages: list[Page], here: tuple[str, ...]) -> Iterator[str]:
    """A line for each page with blocks whose recording from another device is missing or stale."""
    for page in pages:
        for device in sorted(set(DEVICES) - set(here)):
            counted = count_blocks(page, device, load_all(root, Path(page.settings.recordings), page)[0])
            told = [f"{n} {state}" for state, n in (("stale", counted.stale), ("missing", counted.missing)) if n]
            if told:
                yield f"{page.path} on {device}: {', '.join(told)} of {counted.blocks} blocks"


def outdated(root: Path, pages: list[Page], here: tuple[str, ...], simulated: bool = False) -> Iterator[str]:
    """A line for each recorded environment of the devices that are here whose blocks are stale or missing."""
    found: Counter[str] = Counter()
    for page in pages:
        for recording in load_all(root, Path(page.settings.recordings), page)[0]:
            about = recording.environment
            if about.device in here and about.simulated == simulated:
                runs = (block for block in page.blocks if block.runs_on(about.device, about.torch))
                runs = (block for block in runs if not (simulated and block.not_simulated))
                states = [recording.find(page, block.index).state for block in runs]
                found[about.folder] += states.count(State.STALE) + states.count(State.MISSING)
    for folder, count in sorted(found.items()):
        if count:
            yield f"{folder}: {count} blocks are not recorded as they now are; record them with that PyTorch"
