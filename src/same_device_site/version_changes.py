"""version_changes: the blocks that print something else with the next recorded PyTorch: an executed changelog."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

from same_device_site.error_sections import outline
from same_device_site.site import Site, link
from samedevice import DEVICES, LABELS, Block, Environment, Output, Page, block_statuses, difference, fence_mark

LINES = 30
"""Lines of a difference that are shown."""
WIDTH = 500
"""Characters of a line that are shown."""
SAME = "Every block that both have run prints the same."
SIMULATED = "Every block that both have run prints the same, or differs as it does on the CPU."


@dataclass(frozen=True)
class Change:
    """A block that prints something else with a newer PyTorch."""

    page: Page
    block: Block
    before: Environment
    """The older one of two environments that are neighbors."""
    after: Environment
    """The newer one."""
    text: str
    """How the outputs differ, as a unified diff without its head."""


def changes(site: Site) -> Iterator[Change]:
    """Each change from one recorded version to the next on the same device, page by page.

    A simulated GPU's values are the CPU's: what differs there as on the CPU is told once.
    """
    pairs = list(_neighbors(site))
    for page in site.pages:
        for block in page.blocks:
            found = _outputs(site, page, block)
            told: set[str] = set()
            for before, after in pairs:
                old, new = found.get(before.folder), found.get(after.folder)
                text = difference(old, new, block.numbers_vary(after.simulated)) if old and new else ""
                if text and not (after.simulated and text in told):
                    yield Change(page, block, before, after, _short(text))
                told.add(text)


def _outputs(site: Site, page: Page, block: Block) -> dict[str, Output | None]:
    """What is recorded of a block on real devices and simulated ones, by the folder of the environment."""
    places = [(device, simulated) for device in DEVICES for simulated in (False, True)]
    found = [block_statuses(page, block.index, device, site.recorded(page), of) for device, of in places]
    return {one.environment.folder: one.output for statuses in found for one in statuses}


def _neighbors(site: Site) -> Iterator[tuple[Environment, Environment]]:
    """The recorded environments of each device with the next newer one, newest first."""
    found = {one.environment.folder: one.environment for page in site.pages for one in site.recorded(page)}
    machines: dict[tuple[int, str], list[Environment]] = {}
    for one in sorted(found.values(), key=lambda one: one.order, reverse=True):
        machines.setdefault((DEVICES.index(one.device), one.short_name), []).append(one)
    for _, group in sorted(machines.items()):
        yield from ((before, after) for after, before in pairwise(group))


def _short(text: str) -> str:
    """A difference without its head, and not longer than a reader reads."""
    found = text.split("\n")
    body = found[2:] if found[0].startswith("--- ") else found
    lines = [line[:WIDTH] for line in body if not line.startswith("@@ ")]
    more = [f" ... {len(lines) - LINES} more lines"] * (len(lines) > LINES)
    return "\n".join([*lines[:LINES], *more])


def version_changes(page: Page, site: Site) -> str:
    """The Markdown of all changes but those of `page`, where it stands: grouped by version, the newest first."""
    groups: dict[tuple[Environment, Environment], dict[str, list[Change]]] = {pair: {} for pair in _neighbors(site)}
    pairs = {(before.folder, after.folder): (before, after) for before, after in groups}
    for change in changes(site):
        if change.page.path == page.path:  # it shows its blocks with all versions already
            continue
        pair = pairs[change.before.folder, change.after.folder]
        groups[pair].setdefault(change.text, []).append(change)
    parts = [part for pair, found in groups.items() for part in _group(page, *pair, found)]
    return "\n\n".join(parts) or "Only one version of PyTorch is recorded."


def _group(page: Page, before: Environment, after: Environment, found: dict[str, list[Change]]) -> Iterator[str]:
    label = LABELS[after.device] if after.device == "cpu" or after.simulated else after.name
    label, same = (f"{label}, simulated", SIMULATED) if after.simulated else (label, SAME)
    anchor = f"{after.short_name}-{after.torch}".replace("+", "-")
    yield f"## PyTorch {before.torch} to {after.torch} on {label} {{ #{anchor} data-search-exclude }}"
    if not found:
        yield same
    for text, changed in found.items():
        yield ", ".join(dict.fromkeys(_place(page, change) for change in changed)) + ":"
        mark = fence_mark(text)
        yield f"{mark}diff\n{text}\n{mark}"


def _place(page: Page, change: Change) -> str:
    """A link to the section of a block, as near as there is an id."""
    title, anchor = _section(change.page, change.block)
    return link(page, change.page, anchor) + (f", “{title}”" if title else "")


def _section(page: Page, block: Block) -> tuple[str, str]:
    """The heading above a block, and its id where the author gave one."""
    above = [heading for heading in outline(page) if heading.line < block.line and heading.level > 1]
    return (above[-1].text, above[-1].id) if above else ("", "")
