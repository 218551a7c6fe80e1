"""status: what has run where: for each page and device the blocks that ran, are stale, or never ran, as Markdown."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from same_device_site.error_index import Entry
from same_device_site.error_sections import Proof
from same_device_site.site import Site, link
from same_device_site.totals import totals_table
from samedevice import (
    DEVICES,
    LABELS,
    Block,
    Count,
    Environment,
    Page,
    Recording,
    State,
    block_statuses,
    count_blocks,
    is_simulated,
    overall_state,
    uses,
)


def status(page: Page, site: Site, found: Sequence[Entry]) -> str:
    """The Markdown of the whole account, as it stands on `page`; `found` is the index of errors."""
    parts = [totals_table(site), *(part for device in DEVICES for part in _device(device, page, site))]
    parts += _nowhere(page, site)
    parts += _messages("Messages that only a simulated device gave", Proof.SIMULATED, found, page)
    parts += _messages("Messages that wait for a recording", Proof.WAITING, found, page)
    parts += _messages("Messages that are cited", Proof.CITED, found, page)
    return "\n\n".join(parts)


def _device(device: str, page: Page, site: Site) -> Iterator[str]:
    """The section of one device."""
    recorded = {one.path: _on(device, site.recorded(one)) for one in site.pages}
    counts = [(one, count_blocks(one, device, recorded[one.path])) for one in site.pages]
    rows = [(one, counted) for one, counted in counts if counted.blocks]
    yield f"## {LABELS[device]} {{ #{device} data-search-exclude }}"
    if not rows:
        yield "Nothing is recorded, and no block asks for it."
        return
    every = [recording for found in recorded.values() for recording in found if not recording.environment.simulated]
    yield "\n".join(f"- {line}" for line in _environments(every)) or "Nothing is recorded yet."
    simulated = [recording for found in recorded.values() for recording in found if recording.environment.simulated]
    if simulated:
        yield f"Simulated, where no {LABELS[device]} device has run a block:"
        yield "\n".join(f"- {line}" for line in _environments(simulated))
    whole = [counted for _, counted in rows if counted.fresh == counted.blocks]
    lines = [
        _row(link(page, one), counted, _why(one, device, recorded[one.path]))
        for one, counted in rows
        if counted.fresh < counted.blocks
    ]
    lines += [_row(f"{_pages(len(whole))} of which all ran", sum(whole, Count()), "")] * bool(whole)
    yield "\n".join([*_head(), *lines, _row(f"**{_pages(len(rows))}**", sum((one for _, one in rows), Count()), "")])
    elsewhere = sum(1 for one, counted in counts if one.blocks and not counted.blocks)
    if elsewhere:
        yield f"Not recorded on this device, with blocks that run on every device: {_pages(elsewhere)} more."


def _on(device: str, recordings: Iterable[Recording]) -> tuple[Recording, ...]:
    return tuple(one for one in recordings if one.environment.device == device)


def _pages(number: int) -> str:
    return f"{number} page" if number == 1 else f"{number} pages"


def _environments(recordings: Iterable[Recording]) -> Iterator[str]:
    """A line for each device name with its versions, newest PyTorch first: on which days, and how many pages."""
    found: dict[tuple[str, ...], list[Environment]] = {}
    for recording in sorted(recordings, key=lambda one: (one.environment.order, one.environment.name), reverse=True):
        one = recording.environment
        found.setdefault((one.name, one.torch, one.python, one.driver), []).append(one)
    for (name, torch, python, driver), group in found.items():
        days = sorted({one.day for one in group})
        versions = f"PyTorch {torch}, Python {python}" + (f", driver {driver}" if driver else "")
        when = days[0] if len(days) == 1 else f"{days[0]} to {days[-1]}"
        yield f"{name}, {versions}: {_pages(len(group))}, recorded {when}"


def _head() -> tuple[str, str]:
    return (
        "| Page | Blocks | Ran | Stale | Never ran | Simulated | Why |",
        "| --- | --: | --: | --: | --: | --: | --- |",
    )


def _row(name: str, counted: Count, why: str) -> str:
    numbers = f"{counted.blocks} | {counted.fresh} | {counted.stale} | {counted.missing} | {counted.simulated}"
    return f"| {name} | {numbers} | {why} |"


def _why(page: Page, device: str, recordings: Sequence[Recording]) -> str:
    """Why blocks of a page never ran on a device, and since when others are stale."""
    blocks = [one for one in page.blocks if one.runs_on(device) and uses(page, one.index, device, recordings)]
    states = [(block, overall_state(block_statuses(page, block.index, device, recordings))) for block in blocks]
    missing = [block for block, state in states if state is State.MISSING]
    real = [one for one in recordings if not one.environment.simulated]
    reasons = list(dict.fromkeys(_needs(block) for block in missing if block.options.needs == device or real))
    if any(state is State.STALE for _, state in states):
        reasons.append(f"the code changed after {max(one.environment.day for one in real)}")
    return ", ".join(reasons)


def _needs(block: Block) -> str:
    """Why a block is not recorded."""
    if block.kind == "shown":
        return f"not run: {block.options.reason.replace('|', '/')}"
    return f"needs {block.options.needed}" if block.options.needed else "not recorded yet"


def _nowhere(page: Page, site: Site) -> Iterator[str]:
    """The blocks that no device ever ran."""
    rows = []
    for one in site.pages:
        recorded = site.recorded(one)
        lines: dict[str, list[int]] = {}
        for block in one.blocks:
            states = (overall_state(block_statuses(one, block.index, device, recorded)) for device in DEVICES)
            if all(state is State.MISSING for state in states):
                why = _needs(block) + ("; simulated" if _is_simulated(one, block, recorded) else "")
                lines.setdefault(why, []).append(block.line)
        rows += [f"| {link(page, one)} | {', '.join(map(str, at))} | {why} |" for why, at in lines.items()]
    yield "## Blocks that no device ever ran { #never data-search-exclude }"
    yield "\n".join(["| Page | Lines of the page's file | Why |", "| --- | --- | --- |", *rows]) if rows else "None."


def _is_simulated(page: Page, block: Block, recorded: Sequence[Recording]) -> bool:
    """Whether a simulated device of some kind ran a block."""
    return any(is_simulated(page, block.index, device, recorded) for device in DEVICES)


def _messages(heading: str, proof: Proof, found: Iterable[Entry], page: Page) -> Iterator[str]:
    """The error messages with one kind of evidence."""
    yield f"## {heading} {{ #{proof.value} data-search-exclude }}"
    lines = []
    for entry in found:
        if entry.proof is proof:
            links = ", ".join(dict.fromkeys(link(page, one.page, one.id) for one, _ in entry.found))
            lines.append(f"- {entry.shown}: {links}")
    yield "\n".join(lines) or "None."
