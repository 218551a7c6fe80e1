"""order: the sections that a machine runs on a device, those first that nothing else can show.

1. Pages about a subject come first, then the pages about one message each.
2. Within both, sections come first if no real device of this kind has shown all of their blocks.
3. Then what can run beside others comes before what must run alone.
4. Then what no simulated device shows comes before the rest.

Sections that may not use the device at all come last. A block is left out if recordings say that it does not use the
device, or if this device has shown it with this version of PyTorch.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from shares import READS, shares, warms_up

from samedevice.devices import LABELS
from samedevice.outputs.environments import Environment
from samedevice.outputs.recordings import CPU, Recording, State, block_statuses, uses
from samedevice.pages.page import Block, Page

MESSAGES = "errors/"
"""Where the pages about one message each are, below the folder of pages."""
IMPORTS = re.compile(r"^[ \t]*(?:import|from)\b.*$", re.M)
"""Lines that name what they do not use yet."""
MEASURES = re.compile(rf"{READS}|elapsed_time|\bTimer\b|\btimeit\b")
"""Words in code that measures what other programs change."""
SIMULATED = "cuda"
"""The device that is simulated: of each block that has run there it is known whether it uses a device."""


@dataclass(frozen=True)
class Piece:
    """Blocks of one section to run on a device. Its `str` is how a person names it: `docs/x.md:41 on cuda`."""

    page: Page
    """The page."""
    device: str
    """cpu, cuda or mps."""
    wanted: tuple[int, ...]
    """The blocks that are wanted, by index; those above them in their section run, too."""
    line: int
    """The line of the section's first block, from 1."""
    doubtful: bool = False
    """Whether it may be that none of the blocks uses the device."""
    shown: bool = False
    """Whether real devices of this kind have shown all of them, with another PyTorch or by another name."""
    simulated: bool = False
    """Whether simulated devices show all of them."""
    alone: bool = False
    """Whether what else runs on the machine might change what they print."""
    shares: bool = False
    """Whether they can run in a process that has started CUDA, and run other sections unless these are `alone`."""

    @property
    def message(self) -> bool:
        """Whether the page is about one message."""
        return self.page.name.startswith(MESSAGES)

    @property
    def kind(self) -> str:
        """In words, what it is among the pieces of its device."""
        what = "messages" if self.message else "subjects"
        only = "" if self.simulated or self.device == CPU else ", not simulated"
        return f"{what} on {LABELS[self.device]}{only}, {'alone' if self.alone else 'side by side'}"

    def hashes(self, torch: str) -> list[str]:
        """The hashes of the programs of its blocks with a version of PyTorch."""
        found = self.page.hashes(self.device, torch)
        return [hash for index in self.wanted if (hash := found[index])]

    def __str__(self) -> str:
        return f"{self.page.path}:{self.line} on {self.device}"


def in_order(found: Iterable[Piece]) -> list[Piece]:
    """The pieces of a device, those first that nothing else can show; else as they were.

    What needs a process of its own begins in each group. Side by side, these take longest. Alone, some of them look at
    the memory that is free, and no other process may have started CUDA by then.
    """
    return sorted(found, key=lambda one: (one.doubtful, one.message, one.shown, one.alone, one.simulated, one.shares))


def pieces(page: Page, about: Environment, count: int, known: Sequence[Recording], root: Path) -> Iterator[Piece]:
    """What is left to run of a page on the device of an environment, of which there are `count`.

    `known` is all that is recorded of the page, `root` the folder that its paths begin at.
    """
    device = about.device
    for before, own in page.units:
        left = [one for one in own if _is_left(page, one, about, count, known)]
        if not left:
            continue
        run = [*before, *(one for one in own if one.index <= left[-1].index)]
        alone = device != CPU and any(MEASURES.search(text) for one in run for text in _texts(page, one, known, root))
        yield Piece(
            page,
            device,
            tuple(one.index for one in left),
            own[0].line,
            doubtful=all(_is_doubtful(page, one, device, known) for one in left),
            shown=all(_is_fresh(page, one, device, known, simulated=False) for one in left),
            simulated=all(_is_fresh(page, one, device, known, simulated=True) for one in left),
            alone=alone,
            shares=device == SIMULATED and (warms_up(run) if alone else shares(page, run, known)),
        )


def _is_left(page: Page, block: Block, about: Environment, count: int, known: Sequence[Recording]) -> bool:
    """Whether a block is to run: it can, it may use the device, and it is not recorded."""
    if not block.runs_on(about.device, about.torch) or block.options.count > count:
        return False
    recorded = (one for one in known if one.environment.folder == about.folder)
    if any(one.find(page, block.index).state in (State.FRESH, State.UNUSED) for one in recorded):
        return False
    return about.device == CPU or uses(page, block.index, about.device, known)


def _is_doubtful(page: Page, block: Block, device: str, known: Sequence[Recording]) -> bool:
    """Whether a block may leave a device alone that nobody simulates: it does so with the simulated one."""
    return device not in (CPU, SIMULATED, block.options.needs) and not uses(page, block.index, SIMULATED, known)


def _is_fresh(page: Page, block: Block, device: str, known: Sequence[Recording], simulated: bool) -> bool:
    statuses = block_statuses(page, block.index, device, known, simulated)
    return State.FRESH in {one.state for one in statuses}


def _texts(page: Page, block: Block, known: Sequence[Recording], root: Path) -> Iterator[str]:
    """The code of a block without what it imports, and the files that it read."""
    yield IMPORTS.sub("", block.code)
    entries = (one.find(page, block.index).entry for one in known)
    for name in {name for entry in entries if entry for name, _ in entry.read}:
        if (root / name).is_file():
            yield (root / name).read_text(encoding="utf-8", errors="replace")
