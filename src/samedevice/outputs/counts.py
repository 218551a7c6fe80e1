"""counts: how many blocks of a page are recorded, stale or missing on a device."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, fields

from samedevice.outputs.recordings import Recording, State, block_statuses, overall_state, uses
from samedevice.pages.page import Page


@dataclass(frozen=True)
class Count:
    """How many blocks of one page are in which state on one device."""

    fresh: int = 0
    """They ran, as they now are."""
    stale: int = 0
    """They ran, and were changed since."""
    missing: int = 0
    """They never ran there."""
    simulated: int = 0
    """Of those that are stale or missing: a simulated device of this kind ran them, as they now are."""

    @property
    def blocks(self) -> int:
        """How many blocks there are for the device."""
        return self.fresh + self.stale + self.missing

    def __add__(self, other: Count) -> Count:
        return Count(*(getattr(self, one.name) + getattr(other, one.name) for one in fields(self)))


def count_blocks(page: Page, device: str, recordings: Sequence[Recording]) -> Count:
    """The states of the page's blocks that use a kind of device, in all environments of that kind together.

    Without a recording from that device only the blocks that ask for it count: they can run nowhere else.
    """
    recorded = any(one.environment.device == device and not one.environment.simulated for one in recordings)
    blocks = [one for one in page.blocks if one.runs_on(device) and (recorded or one.options.needs == device)]
    blocks = [one for one in blocks if uses(page, one.index, device, recordings)]
    states = [overall_state(block_statuses(page, block.index, device, recordings)) for block in blocks]
    found = Counter(states)
    simulated = sum(
        state in (State.STALE, State.MISSING) and is_simulated(page, block.index, device, recordings)
        for block, state in zip(blocks, states, strict=True)
    )
    return Count(found[State.FRESH], found[State.STALE], found[State.MISSING], simulated)


def is_simulated(page: Page, index: int, device: str, recordings: Sequence[Recording]) -> bool:
    """Whether a simulated device of a kind ran a block, as it now is."""
    statuses = block_statuses(page, index, device, recordings, simulated=True)
    return overall_state(statuses) is State.FRESH
