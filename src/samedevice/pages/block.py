"""Block: one block of code of a page."""

from __future__ import annotations

import hashlib
import json
import re
from dataclasses import dataclass, field, fields
from functools import cached_property

from samedevice.pages import comments
from samedevice.pages.conventions import HIDES
from samedevice.pages.fences import Fence
from samedevice.pages.options import Options
from samedevice.pages.syntax import tree_text

SHOWS_LINES = re.compile(
    r"\btraceback\.\w|\bfrom traceback\b|lineno\b|\bcurrentframe\b|\b_getframe\b|\bgetframeinfo\b"
    r"|\binspect\.(?:stack|trace)\b|\bgetsource(?:lines)?\b|\bstack_info\b|\bwith_stack\b|\bfaulthandler\b|\bprint_exc|\bformat_exc"
)
"""Finds in code what can print the line that it is on; only then does a block that moves become another block."""
KINDS = ("python", "transcript", "console", "program", "shown")
"""Code in the page's process, as statements or after `>>>`; commands of a shell; a file, run by itself; not run."""
HASHED = 16
"""Characters of a hash."""


@dataclass(frozen=True)
class Block:
    """One block of code that is run. Its `str` is how a person names it: `docs/x.md:41`."""

    page: str
    """Path of the page, relative to the repository root, with forward slashes."""
    index: int
    """Position among the page's blocks, from 0."""
    kind: str
    """One of `KINDS`."""
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
    expected: Fence | None = field(default=None, compare=False)
    """The fence that says what it must print: the one after it, or its own, in comments; None where none does."""

    def __str__(self) -> str:
        return f"{self.page}:{self.line}"

    @property
    def hidden(self) -> bool:
        """Whether a comment hides it: it runs, and neither it nor what it prints is shown."""
        return self.fence.mark == HIDES

    @property
    def of_project(self) -> bool:
        """Whether it is the project's setup, which is in no page."""
        return self.hidden and self.path != self.page

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
        """Hash of everything about this block alone that can change its output; of Python's code by its syntax tree."""
        try:
            return self._hash(tree_text(self._code)) if self.kind == "python" else self._hash(self._code)
        except SyntaxError:  # it is run all the same, and its output says so
            return self._hash(self._code)

    @cached_property
    def text_digest(self) -> str:
        """What its hash is where lines of code are shown: that of its text, and of where that is."""
        return self._hash(self._code, self.path, self.code_line)

    @cached_property
    def shows_lines(self) -> bool:
        """Whether it, or what comes after it, may print lines of code or their numbers."""
        return self.kind == "python" and bool(SHOWS_LINES.search(self.code))

    @property
    def _code(self) -> str:
        return comments.silent(self.code) if self.says_itself else self.code

    def _hash(self, *code: str | int) -> str:
        options = {
            one.name: getattr(self.options, one.name) for one in fields(self.options) if one.metadata.get("output")
        }
        default = type(self.options)()
        set_by_hand = {name: value for name, value in options.items() if value != getattr(default, name)}
        return hashlib.sha256(json.dumps([self.kind, *code, set_by_hand]).encode()).hexdigest()[:HASHED]
