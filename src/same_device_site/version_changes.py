"""version_changes: what blocks print with one recorded PyTorch and not with another: an executed changelog."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from same_device_site.error_sections import outline
from same_device_site.site import Site, box, link
from samedevice import DEVICES, LABELS, Block, Environment, Output, Page, block_statuses, difference, fence_mark

LINES = 30
"""Lines of a difference that are shown."""
WIDTH = 500
"""Characters of a line that are shown."""
SAME = "Every block that both have run prints the same."
SIMULATED = "Every block that both have run prints the same, or differs as it does on the CPU."


Pair = tuple[Environment, Environment]
"""Two environments of one machine, the older one first."""


@dataclass(frozen=True)
class Change:
    """A block that prints something else with a newer PyTorch."""

    page: Page
    block: Block
    before: Environment
    """The older one of two environments of one machine."""
    after: Environment
    """The newer one."""
    text: str
    """How the outputs differ, as a unified diff without its head."""


def changes(site: Site) -> Iterator[Change]:
    """Each change from any recorded version to any newer one on the same device, page by page.

    A simulated GPU's values are the CPU's: what differs there as on the CPU is told once.
    """
    pairs = list(_pairs(site))
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


def _pairs(site: Site) -> Iterator[Pair]:
    """The recorded environments of each device with each newer one, those first that end with the newest."""
    found = {one.environment.folder: one.environment for page in site.pages for one in site.recorded(page)}
    machines: dict[tuple[int, str], list[Environment]] = {}
    for one in sorted(found.values(), key=lambda one: one.order, reverse=True):
        machines.setdefault((DEVICES.index(one.device), one.short_name), []).append(one)
    for _, group in sorted(machines.items()):
        yield from ((before, after) for after, before in combinations(group, 2))


def _short(text: str) -> str:
    """A difference without its head, and not longer than a reader reads."""
    found = text.split("\n")
    body = found[2:] if found[0].startswith("--- ") else found
    lines = [line[:WIDTH] for line in body if not line.startswith("@@ ")]
    more = [f" ... {len(lines) - LINES} more lines"] * (len(lines) > LINES)
    return "\n".join([*lines[:LINES], *more])


def version_changes(page: Page, site: Site) -> str:
    """The Markdown of all changes but those of `page`: a table, then a section for each two versions."""
    groups: dict[Pair, dict[str, list[Change]]] = {pair: {} for pair in _pairs(site)}
    for change in changes(site):
        if change.page.path != page.path:  # it shows its blocks with all versions already
            groups[change.before, change.after].setdefault(change.text, []).append(change)
    if not groups:
        return "Only one version of PyTorch is recorded."
    by_release: dict[tuple[str, str], list[Pair]] = {}
    for before, after in groups:
        by_release.setdefault((before.release, after.release), []).append((before, after))
    parts = [_table(by_release, groups)]
    for (old, new), pairs in by_release.items():
        parts.append(f"## From {old} to {new} {{ #{_anchor(old, new)} data-search-exclude }}")
        parts += [_group(page, *pair, groups[pair]) for pair in pairs]
    return "\n\n".join(parts)


def _anchor(old: str, new: str) -> str:
    return f"from-{old}-to-{new}"


def _table(
    by_release: Mapping[tuple[str, str], Sequence[Pair]], groups: Mapping[Pair, Mapping[str, Sequence[Change]]]
) -> str:
    """From which version to which: how many blocks print something else, each cell with a link to its section."""
    olds, news = (list(dict.fromkeys(pair[side] for pair in reversed(list(by_release)))) for side in (0, 1))
    rows = [f"| From | {' | '.join(f'to {new}' for new in news)} |", f"| --- |{' --: |' * len(news)}"]
    for old in olds:
        cells = []
        for new in news:
            found = [
                change.block
                for pair in by_release.get((old, new), ())
                for text in groups[pair].values()
                for change in text
            ]
            blocks = _count("block", len({str(block) for block in found}))
            cells.append(f"[{blocks}](#{_anchor(old, new)})" if (old, new) in by_release else "")
        rows.append(f"| {old} | {' | '.join(cells)} |")
    return "\n".join(rows)


def _group(page: Page, before: Environment, after: Environment, found: Mapping[str, Sequence[Change]]) -> str:
    """The changes on one machine in a closed box, equal differences once; a sentence if there are none."""
    label = LABELS[after.device] if after.device == "cpu" or after.simulated else after.name
    label, same = (f"{label}, simulated", SIMULATED) if after.simulated else (label, SAME)
    builds = f"{label}, {before.torch} to {after.torch}"
    if not found:
        return f"{builds}: {same[0].lower()}{same[1:]}"
    parts = []
    for text, changed in found.items():
        mark = fence_mark(text)
        places = ", ".join(dict.fromkeys(_place(page, change) for change in changed))
        parts.append(f"{places}:\n\n{mark}diff\n{text}\n{mark}")
    blocks = {str(change.block) for changed in found.values() for change in changed}
    return box(f"{builds}: {_count('difference', len(parts))}, in {_count('block', len(blocks))}", parts)


def _count(noun: str, number: int) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"


def _place(page: Page, change: Change) -> str:
    """A link to the section of a block, as near as there is an id."""
    title, anchor = _section(change.page, change.block)
    return link(page, change.page, anchor) + (f", “{title}”" if title else "")


def _section(page: Page, block: Block) -> tuple[str, str]:
    """The heading above a block, and its id where the author gave one."""
    above = [heading for heading in outline(page) if heading.line < block.line and heading.level > 1]
    return (above[-1].text, above[-1].id) if above else ("", "")
