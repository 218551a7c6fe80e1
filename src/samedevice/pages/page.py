"""Page, Block: a Markdown file or a notebook, parsed by Sybil, and the code blocks in it that are run."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from sybil import Document, Region
from sybil.typing import Evaluator

from samedevice.errors import PageError
from samedevice.pages.fences import Fence, find_fences
from samedevice.pages.options import DEVICES, PYTHON, Options, read_info, read_options
from samedevice.pages.percent import find_cells
from samedevice.pages.source import inside, read_page

NOTEBOOK = ".py"
"""The suffix of a page that is a notebook in percent format; all others are Markdown."""
MENTIONED = re.compile(r"\bsnippets/[\w./-]+\.\w+")


@dataclass(frozen=True)
class Block:
    """One block of code that is run. Its `str` is how a person names it: `docs/x.md:41`."""

    page: str
    """Path of the page, relative to the repository root, with forward slashes."""
    index: int
    """Position among the page's blocks, from 0."""
    kind: str
    """`python` (in the page's process), `console` (a shell) or `program` (a file, run by itself)."""
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

    def runs_on(self, device: str) -> bool:
        """Whether the block runs on this kind of device."""
        return self.options.needs in ("", device)

    @cached_property
    def digest(self) -> str:
        """Hash of everything about this block alone that can change its output."""
        options = self.options
        about = [self.kind, self.code, self.included, options.args, options.needs, options.count]
        about += [options.raises, options.numbers_vary]
        return hashlib.sha256(json.dumps(about).encode()).hexdigest()


@dataclass(frozen=True)
class Page:
    """A Markdown file, or a percent-format notebook, and its blocks in order."""

    path: str
    """Path relative to the repository root, with forward slashes."""
    text: str
    """The file's text, front matter included."""
    blocks: tuple[Block, ...]

    @cached_property
    def name(self) -> str:
        """Path below the documentation folder without its suffix: `tensors/creating`."""
        return str(Path(*Path(self.path).parts[1:]).with_suffix("").as_posix())

    def hashes(self, device: str) -> tuple[str | None, ...]:
        """For each block a hash of all the code that led to its output on `device`; None where it does not run.

        Blocks that need several devices count for themselves alone: later blocks do not depend on them.
        """
        return self._hashes[device]

    @cached_property
    def _hashes(self) -> dict[str, tuple[str | None, ...]]:
        return {device: self._chain(device) for device in DEVICES}

    def _chain(self, device: str) -> tuple[str | None, ...]:
        chain = ""
        found: list[str | None] = []
        for block in self.blocks:
            if not block.runs_on(device):
                found.append(None)
                continue
            own = hashlib.sha256((chain + block.digest).encode()).hexdigest()
            found.append(own[:20])
            if block.options.count == 1:
                chain = own
        return tuple(found)


class BlockParser:
    """A Sybil parser: yields a Region for every block of a page that is run.

    `root` is the repository root as a path; `evaluator`, if given, is what Sybil calls to check a block.
    """

    def __init__(self, root: Path, evaluator: Evaluator | None = None) -> None:
        self.root = root
        self.evaluator = evaluator

    def __call__(self, document: Document) -> Iterator[Region]:
        page = Path(document.path).relative_to(self.root).as_posix()
        find = find_cells if page.endswith(NOTEBOOK) else find_fences
        index = 0
        for fence in find(document.text, page):
            block = read_block(fence, page, index, self.root)
            if block is not None:
                index += 1
                yield Region(fence.start, fence.end, block, self.evaluator)


def parse_page(path: Path, root: Path, text: str | None = None) -> Page:
    """Parse the page at `path` under the repository root `root`; `text` stands in for the file's own if given.

    Raises PageError, with page and line, for what cannot be run as it is written.
    """
    name = path.relative_to(root).as_posix()
    text = read_page(path, root) if text is None else text
    document = Document(text, str(path))
    blocks = tuple(region.parsed for region in BlockParser(root)(document))
    return Page(name, text, blocks)


def read_block(fence: Fence, page: str, index: int, root: Path) -> Block | None:
    """The block that a fence is, or None where the fence is not code that is run."""
    language, values = read_info(fence, page)
    if language not in (*PYTHON, "console"):
        return None
    options = read_options(values, page, fence.line)
    if language == "console":
        return _console(fence, page, index, options, root)
    if not options.file:
        included = _mentioned(fence.body, root)
        place = (page, fence.line, fence.line + 1)
        return Block(page, index, "python", fence.body, *place, options, fence, included)
    return _file(fence, page, index, options, root)


def _console(fence: Fence, page: str, index: int, options: Options, root: Path) -> Block:
    if options.file:
        raise PageError(page, fence.line, 'file= goes with python; write the command as a "$ " line')
    previous = ""
    for number, line in enumerate(fence.body.splitlines(), start=fence.line + 1):
        if line.strip() and not line.startswith("$ ") and not previous.endswith("\\"):
            raise PageError(page, number, 'a console block holds "$ command" lines only; outputs appear by themselves')
        previous = line
    included = _mentioned(fence.body, root)
    return Block(page, index, "console", fence.body, page, fence.line, fence.line + 1, options, fence, included)


def _file(fence: Fence, page: str, index: int, options: Options, root: Path) -> Block:
    if fence.body.strip():
        raise PageError(page, fence.line, f'the code comes from file="{options.file}", so the fence must be empty')
    path = root / options.file
    if not inside(path, root):
        raise PageError(page, fence.line, f'file="{options.file}" leaves the repository; name a file inside it')
    if not path.is_file():
        raise PageError(page, fence.line, f'file="{options.file}" does not exist; paths start at the repository root')
    try:
        code = path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError:
        raise PageError(page, fence.line, f'file="{options.file}" is not UTF-8; save it as UTF-8') from None
    if not options.part:
        return Block(page, index, "program", code, options.file, fence.line, 1, options, fence, _mentioned(code, root))
    code, line = _region(code, options, page, fence.line)
    return Block(page, index, "python", code, options.file, fence.line, line, options, fence)


def _region(code: str, options: Options, page: str, line: int) -> tuple[str, int]:
    """The lines between `# region NAME` and the next `# endregion` of a file, and the number of the first."""
    pattern = rf"^# region {re.escape(options.part)}[ \t]*\n(.*?)^# endregion"
    match = re.search(pattern, code, re.M | re.S)
    if match is None:
        raise PageError(page, line, f'{options.file} has no "# region {options.part}" that ends with "# endregion"')
    body = match[1].lstrip("\n")
    start = match.end(1) - len(body)
    return body.rstrip("\n") + "\n", code.count("\n", 0, start) + 1


def _mentioned(code: str, root: Path) -> str:
    """The text of the files under snippets/ that a block names, so that their change is the block's change."""
    paths = sorted(path for name in set(MENTIONED.findall(code)) if inside(path := root / name, root))
    found = (f"{path.name}\n{path.read_bytes().decode(errors='replace')}" for path in paths if path.is_file())
    return "\0".join(found)
