"""counts: how many blocks of a page are recorded, stale or missing on a device."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from samedevice.outputs.recordings import Recording, State, block_statuses, overall_state
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
    damaged: int = 0
    """What is recorded of them was changed by hand."""

    @property
    def blocks(self) -> int:
        """All of them."""
        return self.fresh + self.stale + self.missing + self.damaged

    def __add__(self, other: Count) -> Count:
        return Count(*(getattr(self, state.value) + getattr(other, state.value) for state in State))


def count_blocks(page: Page, device: str, recordings: Sequence[Recording]) -> Count:
    """The states of a page's blocks on a kind of device, in all environments of that kind together.

    Without a recording from that device only the blocks that ask for it count: they can run nowhere else.
    """
    recorded = any(recording.environment.device == device for recording in recordings)
    found = Counter(
        overall_state(block_statuses(page, block.index, device, recordings))
        for block in page.blocks
        if block.runs_on(device) and (recorded or block.options.needs == device)
    )
    return Count(**{state.value: found[state] for state in State})
