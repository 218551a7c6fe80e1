"""summary: what the end of a run of pytest says: what was recorded, what matched, what is missing or stale."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence

from samedevice.devices import DEVICES, made_by, made_with
from samedevice.outputs.counts import count_blocks
from samedevice.outputs.failures import Failed, by_kind, failed
from samedevice.outputs.record import UNCHANGED
from samedevice.outputs.recordings import Recording, State
from samedevice.pages.page import Page

Recorded = tuple[Page, Sequence[Recording]]
"""A page, and what is recorded of it."""
NAMED = 3
"""How many pages a line names."""


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


def elsewhere(pages: Collection[Recorded], here: tuple[str, ...]) -> Iterator[str]:
    """A line for each other device that has not run all blocks as they now are, with the first pages of them."""
    for device in sorted(set(DEVICES) - set(here)):
        counted = {page.path: count_blocks(page, device, recordings) for page, recordings in pages}
        lacking = {path: count for path, count in counted.items() if count.stale or count.missing}
        stale, missing = (sum(getattr(count, kind) for count in lacking.values()) for kind in ("stale", "missing"))
        told = [f"{number} {kind}" for number, kind in ((stale, "stale"), (missing, "missing")) if number]
        if told:
            names = [str(path) for path in lacking][:NAMED] + [f"{len(lacking) - NAMED} more"] * (len(lacking) > NAMED)
            blocks = sum(count.blocks for count in lacking.values())
            yield f"{device}: {', '.join(told)} of {blocks} blocks, on {', '.join(names)}"


def outdated(pages: Collection[Recorded], here: tuple[str, ...], simulated: bool = False) -> Iterator[str]:
    """A line for each recorded environment of the devices that are here whose blocks are stale or missing."""
    found: Counter[str] = Counter()
    for page, recordings in pages:
        for recording in recordings:
            about = recording.environment
            if about.device in here and about.simulated == simulated:
                runs = (block for block in page.blocks if block.runs_on(about.device, about.torch))
                runs = (block for block in runs if not (simulated and block.not_simulated))
                states = [recording.find(page, block.index).state for block in runs]
                found[about.folder] += states.count(State.STALE) + states.count(State.MISSING)
    for folder, count in sorted(found.items()):
        if count:
            yield f"{folder}: {count} blocks are not recorded as they now are; record them with that PyTorch"


def failing(pages: Collection[Recorded], here: tuple[str, ...]) -> Iterator[str]:
    """How many blocks are recorded to fail, and why, so that a green run does not hide them."""
    found = dict[tuple[str, int], Failed]()
    for page, recordings in pages:
        for recording in () if page.settings.console else recordings:
            device = recording.environment.device
            for block in page.blocks if device in here else ():
                output = recording.find(page, block.index).output
                for one in failed([(block, device, output)] if output else []):
                    found[page.path, block.index] = one
    if found:
        blocks = sum(block.kind != "shown" for page, _ in pages for block in page.blocks)
        yield f"{len(found)} of {blocks} blocks fail as recorded, and show no output:"
        yield from (f"  {line}" for line in by_kind(found.values()))
