"""page: what is read of a Markdown file or a notebook: a `Page`, its `Block`s of code, and what they hash to."""

from __future__ import annotations

import ast
import hashlib
import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, field, fields
from functools import cached_property
from typing import Any

from samedevice.pages import comments
from samedevice.pages.conventions import HIDES
from samedevice.pages.fences import Fence, all_fences
from samedevice.pages.options import Options
from samedevice.pages.sections import Part, Section, find_sections
from samedevice.project import DEFAULTS, NOTEBOOK, Settings

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


PLACES = {"ctx", "kind", "type_comment", "type_ignores"}
"""Fields of a tree that change nothing of what the code does."""


def tree_text(code: str) -> str:
    """The tree of Python code as a text, without comments, layout and positions. Raises SyntaxError.

    Fields that are empty are left out, since newer versions of Python add such fields.
    """
    try:
        return json.dumps(_plain(ast.parse(code)), separators=(",", ":"))
    except (ValueError, RecursionError, MemoryError) as error:
        raise SyntaxError(str(error)) from None


def _plain(node: Any) -> Any:
    """A node as lists of what JSON has: the name of its class, then names and values of its fields."""
    if isinstance(node, ast.Constant):
        return [type(node.value).__name__, node.value if isinstance(node.value, str) else repr(node.value)]
    if isinstance(node, ast.AST):
        found = ((name, value) for name, value in ast.iter_fields(node) if name not in PLACES)
        return [type(node).__name__, *([name, _plain(value)] for name, value in found if value not in (None, []))]
    return [_plain(one) for one in node] if isinstance(node, list) else node


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
