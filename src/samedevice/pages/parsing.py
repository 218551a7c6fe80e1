"""parsing: a Markdown file or a notebook to a Page, by Sybil; what cannot be run as written is an error."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from sybil import Document, Region
from sybil.typing import Evaluator

from samedevice.errors import PageError
from samedevice.pages.fences import Fence, find_fences
from samedevice.pages.options import PYTHON, Options, read_info, read_options
from samedevice.pages.page import Block, Page
from samedevice.pages.percent import find_cells
from samedevice.pages.source import inside, read_page
from samedevice.project import MENTIONED, NOTEBOOK, PAGES


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
    for twin in (path.with_suffix(suffix) for suffix in PAGES if suffix != path.suffix):
        if twin.exists():
            raise PageError(
                name, 1, f"{twin.name} beside it would have the same address and recording; rename one of them"
            )
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
