"""Page, Block: a Markdown file or a notebook, parsed by Sybil, and the code blocks in it that are run."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property

from samedevice.pages.fences import Fence, all_fences
from samedevice.pages.options import Options
from samedevice.project import HOME, NOTEBOOK, Settings

SHOWS_LINES = re.compile(
    r"\btraceback\.\w|\bfrom traceback\b|lineno\b|\bcurrentframe\b|\b_getframe\b|\bgetframeinfo\b"
    r"|\binspect\.(?:stack|trace)\b|\bgetsourcelines\b|\bstack_info\b|\bwith_stack\b|\bfaulthandler\b|\bprint_exc|\bformat_exc"
)
"""Finds in code what can print the line that it is on; only then does a block that moves become another block."""


@dataclass(frozen=True)
class Block:
    """One block of code that is run. Its `str` is how a person names it: `docs/x.md:41`."""

    page: str
    """Path of the page, relative to the repository root, with forward slashes."""
    index: int
    """Position among the page's blocks, from 0."""
    kind: str
    """`python` (in the page's process), `console` (a shell), `program` (a file, run by itself) or `shown` (not run)."""
    code: str
    """The code, without the fence's indentation."""
    path: str
    """File that the code stands in: the page, or the file that an option names."""
    line: int
    """Line of the fence in the page, from 1."""
    code_line: int
    """Line of the first line of code in `path`, from 1."""
    options: Options
    fence: Fence = field(compare=False)
    included: str = ""
    """Text of other files whose change changes this block."""

    def __str__(self) -> str:
        return f"{self.page}:{self.line}"

    def runs_on(self, device: str, torch: str = "") -> bool:
        """Whether the block runs on this kind of device, with this version of PyTorch; without one, with any."""
        return self.kind != "shown" and self.options.needs in ("", device) and self.options.takes(torch)

    @cached_property
    def digest(self) -> str:
        """Hash of everything about this block alone that can change its output."""
        options = self.options
        about = [self.kind, self.code, self.included, options.args, options.needs, options.count]
        about += [options.raises, options.numbers_vary, *([options.versions] if options.versions else [])]
        if self.kind == "python" and SHOWS_LINES.search(self.code):
            about += [self.path, self.code_line]
        return hashlib.sha256(json.dumps(about).encode()).hexdigest()


@dataclass(frozen=True)
class Page:
    """A Markdown file, or a percent-format notebook, and its blocks in order."""

    path: str
    """Path relative to the repository root, with forward slashes."""
    text: str
    """The file's text, front matter included."""
    blocks: tuple[Block, ...]
    settings: Settings = HOME
    """What its project says about itself."""

    @cached_property
    def name(self) -> str:
        """Path below the documentation folder without its suffix: `tensors/creating`."""
        return self.settings.page_name(self.path)

    @cached_property
    def fences(self) -> tuple[Fence, ...]:
        """All fences of a Markdown file, those included that are not run; none of a notebook. Raises PageError."""
        return () if self.path.endswith(NOTEBOOK) else all_fences(self.text, self.path)

    def hashes(self, device: str, torch: str = "") -> tuple[str | None, ...]:
        """For each block a hash of all the code that led to its output on `device`; None where it does not run.

        With a version of PyTorch, blocks that need another one do not run. Blocks that need several devices count for
        themselves alone: later blocks do not depend on them.
        """
        key = (device, torch)
        if key not in self._chains:
            self._chains[key] = tuple(self._links(device, torch))
        return self._chains[key]

    @cached_property
    def _chains(self) -> dict[tuple[str, str], tuple[str | None, ...]]:
        """The hashes by device and version of PyTorch; filled by `hashes`."""
        return {}

    def _links(self, device: str, torch: str) -> Iterator[str | None]:
        chain = ""
        for block in self.blocks:
            if not block.runs_on(device, torch):
                yield None
                continue
            own = hashlib.sha256((chain + block.digest).encode()).hexdigest()
            yield own[:20]
            if block.options.count == 1:
                chain = own
