"""totals: how much of the whole site has run, device by device: for the home page and for the status."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from same_device_site.site import Site
from samedevice import DEVICES, LABELS, State, all_versions, block_statuses, overall_state


@dataclass(frozen=True)
class Total:
    """How many blocks of a site can run on one kind of device, and how many of them did."""

    device: str
    """cpu, cuda or mps."""
    blocks: int
    """Blocks that can run there: those that need it, and those that need nothing."""
    ran: int
    """Blocks of these that ran there, as they now are."""
    waiting: int
    """Blocks that can run nowhere else and did not run."""


def totals(site: Site) -> list[Total]:
    """The totals of each kind of device."""
    found = []
    for device in DEVICES:
        blocks = ran = waiting = 0
        for page in site.pages:
            recordings = site.recorded(page)
            for block in page.blocks:
                if block.runs_on(device):
                    fresh = overall_state(block_statuses(page, block.index, device, recordings)) is State.FRESH
                    blocks, ran = blocks + 1, ran + fresh
                    waiting += not fresh and block.options.needs == device
        found.append(Total(device, blocks, ran, waiting))
    return found


def figures(site: Site) -> str:
    """The sentences of the home page, as Markdown."""
    pages = [page for page in site.pages if page.blocks]
    blocks = sum(len(page.blocks) for page in pages)
    where = "1 page" if len(pages) == 1 else f"{len(pages)} pages"
    return "\n".join([f"**{blocks:,} code blocks on {where}.**", *_sentences(site)])


def _sentences(site: Site) -> Iterator[str]:
    for total in totals(site):
        about = [one.environment for page in site.pages for one in site.recorded(page)]
        here = [one for one in about if one.device == total.device]
        label = LABELS[total.device]
        if total.ran:
            yield f"{total.ran:,} of {total.blocks:,} ran on {label}, with {all_versions(here)}."
        if total.waiting:
            verb = "waits" if total.waiting == 1 else "wait"
            yield f"{total.waiting:,} {verb} for a machine with {label}."


def totals_table(site: Site) -> str:
    """The table at the top of the status page, as Markdown."""
    head = ["| Device | Blocks that can run there | Ran there | Wait for it alone |", "| --- | --: | --: | --: |"]
    rows = [f"| {LABELS[one.device]} | {one.blocks:,} | {one.ran:,} | {one.waiting:,} |" for one in totals(site)]
    return "\n".join([*head, *rows])
