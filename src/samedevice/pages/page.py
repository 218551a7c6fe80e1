"""Page: a Markdown file or a notebook, with its blocks and sections."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from samedevice.pages.block import HASHED, Block
from samedevice.pages.fences import Fence, all_fences
from samedevice.pages.sections import Part, Section, find_sections
from samedevice.project import DEFAULTS, NOTEBOOK, Settings

__all__ = ["Block", "Page"]


@dataclass(frozen=True)
class Page:
    """A Markdown file, or a percent-format notebook, and its blocks in order."""

    path: str
    """Path relative to the repository root, with forward slashes."""
    text: str
    """The file's text, front matter included."""
    blocks: tuple[Block, ...]
    settings: Settings = DEFAULTS
    """What its project says about itself."""
    parts: tuple[Part, ...] = ()
    """The places where its sections begin; without any, it is one section."""

    @cached_property
    def name(self) -> str:
        """Path below the documentation folder without its suffix: `tensors/creating`."""
        return self.settings.page_name(self.path)

    @cached_property
    def fences(self) -> tuple[Fence, ...]:
        """All fences of a Markdown file, those included that are not run; none of a notebook. Raises PageError."""
        return () if self.path.endswith(NOTEBOOK) else all_fences(self.text, self.path)

    @cached_property
    def sections(self) -> tuple[Section, ...]:
        """The parts of the page that have code, in order. Raises PageError."""
        return find_sections(self.blocks, self.parts or (Part(self.path, "", 1),))

    @property
    def units(self) -> list[tuple[tuple[Block, ...], tuple[Block, ...]]]:
        """What is run by itself: the setup and each section; for each the blocks before it, and its own."""
        setup = tuple(block for block in self.blocks if block.options.setup)
        return [((), setup)] * bool(setup) + [(section.before, section.blocks) for section in self.sections]

    @cached_property
    def _before(self) -> dict[int, tuple[Block, ...]]:
        """For each block, by its index, those that run before it."""
        setup = [block for block in self.blocks if block.options.setup]
        found = {block.index: tuple(setup[:number]) for number, block in enumerate(setup)}
        for section in self.sections:
            found |= {one.index: (*section.before, *section.blocks[:at]) for at, one in enumerate(section.blocks)}
        return found

    def program(self, block: Block) -> tuple[Block, ...]:
        """The blocks that led to a block: the setup, those of the sections that its own comes after, those above it."""
        return self._before[block.index]

    def hashes(self, device: str, torch: str = "") -> tuple[str | None, ...]:
        """For each block a hash of the program that led to its output on `device`; None where it does not run.

        With a version of PyTorch, blocks that need another one do not run. Blocks that need several devices count for
        themselves alone: later blocks do not depend on them.
        """
        key = (device, torch)
        if key not in self._hashes:
            self._hashes[key] = self._chained(device, torch)
        return self._hashes[key]

    def _chained(self, device: str, torch: str) -> tuple[str | None, ...]:
        """The hashes of `programs`, each begun where that of the block above it ended: a page may have 10,000."""
        found: list[str | None] = [None] * len(self.blocks)
        for before, own in self.units:
            above, shown = hashlib.sha256(), False
            for number, block in enumerate((*before, *own)):
                if not block.runs_on(device, torch):
                    continue
                lines, here = shown or block.shows_lines, above.copy()
                here.update((block.text_digest if lines else block.digest).encode())
                if number >= len(before):
                    found[block.index] = here.hexdigest()[:HASHED]
                if block.options.count == 1:
                    above, shown = here, lines
        return tuple(found)

    def programs(self, device: str, torch: str = "") -> tuple[tuple[str, ...], ...]:
        """For each block the hashes of those that lead to it on `device`, its own last; empty where it does not run.

        A block is hashed by its syntax tree; if it or one above it may show lines of code, by its text.
        """
        key = (device, torch)
        if key not in self._known:
            runs = [block.runs_on(device, torch) for block in self.blocks]
            self._known[key] = tuple(self._program(block, runs) if runs[block.index] else () for block in self.blocks)
        return self._known[key]

    def _program(self, block: Block, runs: Sequence[bool]) -> tuple[str, ...]:
        led = [one for one in self.program(block) if runs[one.index] and one.options.count == 1]
        shown, found = False, list[str]()
        for one in (*led, block):
            shown = shown or one.shows_lines
            found.append(one.text_digest if shown else one.digest)
        return tuple(found)

    @cached_property
    def _known(self) -> dict[tuple[str, str], tuple[tuple[str, ...], ...]]:
        """What `programs` found, by device and version of PyTorch."""
        return {}

    @cached_property
    def _hashes(self) -> dict[tuple[str, str], tuple[str | None, ...]]:
        """What `hashes` found."""
        return {}


def program_hash(hashes: Sequence[str]) -> str:
    """The hash of a program, given those of its blocks."""
    return hashlib.sha256("".join(hashes).encode()).hexdigest()[:HASHED]
