"""check_report: what a reader's machine printed, held against what the environments of a page printed. Pure."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from samedevice.devices import LABELS
from samedevice.outputs import labels
from samedevice.outputs.checks import fault
from samedevice.outputs.comparison import difference
from samedevice.outputs.environments import Environment, Run, nearest
from samedevice.outputs.output import Output
from samedevice.pages.page import Block
from samedevice.weaving.check_export import Printed, Published, without_pictures
from samedevice.weaving.packages import listed


@dataclass(frozen=True)
class Finding:
    """What came of one block."""

    block: Block
    """The block."""
    same: tuple[Environment, ...] = ()
    """The environments that printed what it printed here."""
    differs: str = ""
    """How it differs from all of them, or how it failed; empty if it does not."""
    run: bool = True
    """Whether it ran here."""

    @property
    def name(self) -> str:
        """How the block is called in a report."""
        return f"block {self.block.index + 1} ({self.block})"


def findings(page: Published, run: Run, device: str) -> list[Finding]:
    """What came of each block; `run` is that of the page on this machine."""
    return [_finding(*one, run, device) for one in zip(page.page.blocks, run.outputs, page.printed, strict=True)]


def _finding(block: Block, output: Output | None, printed: Printed, run: Run, device: str) -> Finding:
    if output is None or run.environment is None or run.count < block.options.count:
        return Finding(block, run=False)
    failed = fault(block, device, output)
    if failed:
        return Finding(block, differs=failed)
    now, vary = without_pictures(output), block.options.numbers_vary
    known = {about: one for about, one in printed if about.device == device}
    recorded = {about: one for about, one in known.items() if not about.simulated} or known
    same = tuple(about for about, one in recorded.items() if not difference(one, now, vary))
    if same or not recorded:
        return Finding(block, same)
    closest = nearest(run.environment, list(recorded))
    told = f"{closest} printed something else:\n\n{difference(recorded[closest], now, vary)}"
    return Finding(block, differs=told)


def report(found: Sequence[Finding], about: Environment) -> Iterator[str]:
    """The report's lines."""
    agree, differ = [one for one in found if one.same], [one for one in found if one.differs]
    yield f"This machine: {about}"
    yield f"{_count(agree)} what was recorded, {_count(differ)} something else."
    yield from _groups(agree)
    new = [one for one in found if one.run and not one.same and not one.differs]
    if new:
        yield f"  {_blocks(new)} ran, but nothing is recorded for {LABELS[about.device]}: {_numbers(new)}"
    left = [one for one in found if not one.run]
    if left:
        needed = sorted({one.block.options.needed or LABELS[about.device] for one in left})
        yield f"  {_blocks(left)} did not run, for want of {listed(needed)}: {_numbers(left)}"
    for one in differ:
        yield ""
        yield f"{one.name}:"
        yield textwrap.indent(one.block.code.strip("\n"), "    ")
        yield ""
        yield textwrap.indent(one.differs.rstrip(), "  ")


def _groups(agree: Sequence[Finding]) -> Iterator[str]:
    """A line for each set of environments that printed the same; the largest group needs no numbers of blocks."""
    groups: dict[tuple[Environment, ...], list[Finding]] = {}
    for one in agree:
        groups.setdefault(one.same, []).append(one)
    ordered = sorted(groups.items(), key=lambda group: -len(group[1]))
    for at, (environments, found) in enumerate(ordered):
        names = listed([f"{labels.kind(one)} with {one.maker} {one.version}" for one in environments])
        yield f"  {_blocks(found)} as on {names}" + (f": {_numbers(found)}" if at else "")


def _blocks(found: Sequence[Finding]) -> str:
    return f"{len(found)} block" + "s" * (len(found) != 1)


def _count(found: Sequence[Finding]) -> str:
    return f"{_blocks(found)} print" + "s" * (len(found) == 1)


def _numbers(found: Sequence[Finding]) -> str:
    return ", ".join(f"{one.block.index + 1}" for one in found)
