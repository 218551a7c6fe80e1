"""totals: how much of the whole site has run, device by device: for the home page and for the status."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from same_device_site.site import Site
from samedevice import DEVICES, LABELS, State, all_versions, block_statuses, is_simulated, overall_state, uses

KINDS = (False, True)
"""Real devices, then simulated ones."""


@dataclass(frozen=True)
class Total:
    """How many blocks of a site use one kind of device, and how many of them ran there."""

    device: str
    """cpu, cuda or mps."""
    blocks: int
    """Blocks that use it: those that can run there, without those that ran on such a device and did not use it."""
    ran: int
    """Blocks of these that ran there, as they now are."""
    waiting: int
    """Blocks that can run nowhere else, and ran on no device, simulated ones included."""
    simulated: int = 0
    """Blocks that did not run there, and that a simulated device of that kind ran, as they now are."""


def totals(site: Site) -> list[Total]:
    """The totals of each kind of device."""
    found = []
    for device in DEVICES:
        blocks = ran = simulated = waiting = 0
        for page in site.pages:
            recordings = site.recorded(page)
            for block in page.blocks:
                if block.runs_on(device) and uses(page, block.index, device, recordings):
                    fresh = overall_state(block_statuses(page, block.index, device, recordings)) is State.FRESH
                    stands_in = not fresh and is_simulated(page, block.index, device, recordings)
                    blocks, ran, simulated = blocks + 1, ran + fresh, simulated + stands_in
                    waiting += not fresh and not stands_in and block.options.needs == device
        found.append(Total(device, blocks, ran, waiting, simulated))
    return found


def figures(site: Site) -> str:
    """The sentences of the home page, as Markdown."""
    pages = [page for page in site.pages if page.blocks]
    blocks = sum(len(page.blocks) for page in pages)
    where = "1 page" if len(pages) == 1 else f"{len(pages)} pages"
    return "\n".join([f"**{blocks:,} code blocks on {where}.**", *_sentences(site)])


def proof(site: Site) -> str:
    """The line of the home page that says why to trust it, and whom it is for, as Markdown."""
    ran = {one.device: one.ran for one in totals(site)}
    made = {one.environment for page in site.pages for one in site.recorded(page) if not one.environment.simulated}
    ordered = sorted((one for one in made if one.device == "cpu"), key=lambda one: one.order)
    releases = list(dict.fromkeys(one.release for one in ordered))
    versions = " and ".join(filter(None, [", ".join(releases[:-1]), *releases[-1:]]))
    names = sorted({one.short_name.upper() for one in made if one.device == "cuda"})
    gpu = f", and {ran['cuda']:,} on an {' and an '.join(names)}" if ran["cuda"] else ""
    told = f"{ran['cpu']:,} programs ran on a CPU with PyTorch {versions}{gpu}; tests compare their outputs again."
    return f"{told} For people who learn PyTorch, move code to a GPU, or have an error."


def _sentences(site: Site) -> Iterator[str]:
    for total in totals(site):
        about = [one.environment for page in site.pages for one in site.recorded(page)]
        real, stand_ins = (
            [one for one in about if (one.device, one.simulated) == (total.device, kind)] for kind in KINDS
        )
        label = LABELS[total.device]
        if total.ran:
            yield f"{total.ran:,} of {total.blocks:,} {_that_use(total)}ran on {label}, with {all_versions(real)}."
        if total.simulated:
            yield f"{total.simulated:,} ran on {label}, simulated, with {all_versions(stand_ins)}: no GPU ran them."
        if total.waiting:
            verb = "waits" if total.waiting == 1 else "wait"
            yield f"{total.waiting:,} {verb} for a machine with {label}."


def _that_use(total: Total) -> str:
    """Which blocks are counted, in words; of the CPU, which all use, nothing."""
    return "" if total.device == DEVICES[0] else "that use it "


def totals_table(site: Site) -> str:
    """The table at the top of the status page, as Markdown."""
    names = ("Device", "Blocks that use it", "Ran there", "Ran on a simulated one", "Wait for it alone")
    head = [f"| {' | '.join(names)} |", "| --- | --: | --: | --: | --: |"]
    rows = [
        f"| {LABELS[one.device]} | {one.blocks:,} | {one.ran:,} | {one.simulated:,} | {one.waiting:,} |"
        for one in totals(site)
    ]
    return "\n".join([*head, *rows])
