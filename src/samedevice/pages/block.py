"""Block: one block of code of a page."""

from __future__ import annotations

import hashlib
import json
import re
from dataclasses import dataclass, field, fields
from functools import cached_property
from typing import Any

from samedevice.pages import comments
from samedevice.pages.conventions import HIDES
from samedevice.pages.fences import Fence
from samedevice.pages.options import Options

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
    expected: Fence | None = field(default=None, compare=False)
    """The fence that says what it must print: the one after it, or its own, in comments; None where none does."""

    def __str__(self) -> str:
        return f"{self.page}:{self.line}"

    @property
    def hidden(self) -> bool:
        """Whether a comment hides it: it runs, and neither it nor what it prints is shown."""
        return self.fence.mark == HIDES

    @property
    def says_itself(self) -> bool:
        """Whether its own comments say what it must print."""
        return self.expected is self.fence

    def runs_on(self, device: str, torch: str = "") -> bool:
        """Whether the block runs on this kind of device, with this version of PyTorch; without one, with any."""
        return self.kind != "shown" and self.options.needs in ("", device) and self.options.takes(torch)

    @property
    def not_simulated(self) -> str:
        """Why nothing that a simulated device prints for the block is taken; empty if it is."""
        if self.options.simulated == "no":
            return self.options.reason
        measures = self.options.numbers_vary and self.options.simulated != "yes"
        return "it measures, and a simulated device measures nothing" if measures else ""

    def numbers_vary(self, simulated: bool) -> bool:
        """Whether its numbers vary from run to run; on a simulated device PyTorch's code decides them."""
        return self.options.numbers_vary and not simulated

    @cached_property
    def digest(self) -> str:
        """Hash of everything about this block alone that can change its output."""
        options = {
            one.name: getattr(self.options, one.name) for one in fields(self.options) if one.metadata.get("output")
        }
        code = comments.silent(self.code) if self.says_itself else self.code
        about: list[Any] = [self.kind, code, self.included, options]
        if self.kind == "python" and SHOWS_LINES.search(self.code):
            about += [self.path, self.code_line]
        return hashlib.sha256(json.dumps(about).encode()).hexdigest()
