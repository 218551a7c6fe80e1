"""parsing: a Markdown file or a notebook to a `Page`; what cannot be run as it is written is an error."""

from __future__ import annotations

import contextlib
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from types import MappingProxyType

from samedevice.errors import Complaints, PageError
from samedevice.pages import comments, conventions
from samedevice.pages.conventions import MAIN, what_it_starts
from samedevice.pages.fences import Fence, all_fences, find_fences
from samedevice.pages.options import PYTHON, TRANSCRIPTS, Options, read_info, read_options
from samedevice.pages.page import Block, Page
from samedevice.pages.percent import find_cells, is_program, page_files, read_cells
from samedevice.pages.sections import find_parts
from samedevice.project import DEFAULTS, NOTEBOOK, PAGES, Settings

SNIPPETS = "pymdownx.snippets"
INCLUDE = re.compile(r"^\s*;?-{2,}8<-{2,}(?!\S)", re.M)
"""Where a file is included."""
NEXT = re.compile(r"[^\n]*\n(?:[ \t>]*\n)*")
"""What ends where the next line begins that is not blank, a quote's mark aside."""
UNSHOWN = re.compile("[\x00-\x08\x0e-\x1f\x7f]")
"""Control characters that Markdown drops, or that HTML cannot hold."""


def read_page(path: Path, root: Path) -> str:
    """The text of a page.

    Raises PageError for a page that cannot be read, is not UTF-8, or is a link out of the repository at `root`: what
    is run and published from here must be what is reviewed and committed here.
    """
    name = path.relative_to(root).as_posix()
    if not inside(path, root):
        raise PageError(name, 1, "this page is a link out of the repository; put the file itself in its place")
    try:
        return path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        line = path.read_bytes()[: error.start].count(b"\n") + 1
        raise PageError(name, line, "this line is not UTF-8; save the page as UTF-8") from None
    except OSError as error:
        raise PageError(name, 1, f"this page cannot be read ({error.strerror}); put it back, or delete it") from None


def inside(path: Path, root: Path) -> bool:
    """Whether a path leads to a place inside of the repository, links followed."""
    try:
        return path.resolve().is_relative_to(root.resolve())
    except (OSError, RuntimeError):  # links in a circle
        return False


def is_own(path: Path, root: Path) -> bool:
    """Whether a path is the own name of a regular file of the repository, with no link on the way."""
    try:
        return path.resolve(strict=True) == root.resolve() / path.relative_to(root) and path.is_file()
    except (OSError, RuntimeError, ValueError):
        return False


def parse_page(path: Path, root: Path, text: str | None = None, settings: Settings = DEFAULTS) -> Page:
    """Parse the page at `path` under the repository root `root`; `text` stands in for the file's own if given.

    Raises PageError, with page and line, for what cannot be run as it is written; PageErrors where that is more
    than one thing.
    """
    name = path.relative_to(root).as_posix()
    for twin in (path.with_suffix(suffix) for suffix in PAGES if suffix != path.suffix):
        if twin.exists() and not is_program(twin):
            raise PageError(
                name, 1, f"{twin.name} beside it would have the same address and recording; rename one of them"
            )
    text = read_page(path, root) if text is None else text
    blocks = tuple(read_blocks(text, name, root, settings))
    whole = settings.namespace == "page" or path.suffix == NOTEBOOK  # then it is one section: cells share a kernel
    page = Page(name, text, blocks, settings, () if whole else tuple(find_parts(text, all_fences(text, name), name)))
    _ = page.sections  # raises what is wrong with them
    return page


def readable(
    root: Path, settings: Settings = DEFAULTS, known: Mapping[str, Page] = MappingProxyType({})
) -> Iterator[Page]:
    """The pages of a project that can be read; those that are `known`, by path, as they are."""
    for path in page_files(root, settings):
        with contextlib.suppress(PageError):
            yield known.get(path.relative_to(root).as_posix()) or parse_page(path, root, settings=settings)


def read_blocks(text: str, page: str, root: Path, settings: Settings = DEFAULTS) -> list[Block]:
    """The blocks of a page's text, in order. Raises PageError or PageErrors, as `parse_page` does.

    A fence that cannot be told from text ends the search for errors: what follows it could be anything.
    """
    complaints, blocks = Complaints(), list[Block]()
    find = find_cells if page.endswith(NOTEBOOK) else partial(find_fences, hidden=not settings.console)
    with complaints.collecting():
        for fence in find(text, page):
            if not settings.console and conventions.why_left("", text[: fence.start], fence.body, settings.macros):
                continue
            with complaints.collecting():
                block = read_block(fence, page, len(blocks), root, settings)
                if block is not None:
                    blocks.append(block)
                    _check_shown(block, settings)
        if page.endswith(NOTEBOOK):
            _check_prose(text, page, settings)
    if blocks and settings.setup:
        with complaints.collecting():
            setup = _setup(page, root, settings)
            blocks = [setup, *(replace(one, index=one.index + 1) for one in blocks)]
    complaints.raise_all()
    if settings.expect == "following" and not page.endswith(NOTEBOOK):
        following = {fence.start: fence for fence in find_fences(text, page) if conventions.is_output(fence.info)}
        return [one if one.hidden else replace(one, expected=_expected(one, text, following)) for one in blocks]
    return blocks


def _setup(page: str, root: Path, settings: Settings) -> Block:
    """The project's setup as a hidden block at the top of a page. Raises PageError."""
    try:
        code = (root / settings.setup).read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        what = f"setup: {settings.setup} cannot be read ({getattr(error, 'strerror', 'it is not UTF-8')})"
        raise PageError(page, 1, f"{what}; name a file below the folder of mkdocs.yml") from None
    options = Options(setup=settings.namespace == "section")
    fence = Fence(0, 0, 1, "", conventions.HIDES, "python", code)
    return Block(page, 0, "python", code, settings.setup, 1, 1, options, fence)


def _expected(block: Block, text: str, following: Mapping[int, Fence]) -> Fence | None:
    """The fence that says what a block must print, if there is one; `following` has those of text by their places."""
    if block.kind == "python" and block.code == block.fence.body and comments.says(block.code):
        return block.fence
    next_line = NEXT.match(text, block.fence.end)
    return following.get(next_line.end()) if next_line else None


def _check_shown(block: Block, settings: Settings) -> None:
    """Raise PageError for code that the site could not show as it is run, and for lines that it does not have."""
    odd = UNSHOWN.search(block.code)
    if odd:
        place = f"line {block.code_line + block.code.count(chr(10), 0, odd.start())} of {block.path}"
        what = f"holds the control character {ord(odd[0]):#04x}, which no page shows; write it as an escape"
        raise PageError(block.page, block.line, f"{place} {what}")
    if INCLUDE.match(block.code):
        advice = 'write file="PATH" on an empty fence, with part="NAME" for a part of the file'
        raise PageError(block.page, block.line, f"an include is not followed in code that is run; {advice}")
    last = max(map(int, re.findall(r"\d+", block.options.hl_lines)), default=0)
    if settings.console and last > block.code.count("\n"):
        what = f'hl_lines="{block.options.hl_lines}" names line {last}, but the code ends before it'
        raise PageError(block.page, block.line, f"{what}; name lines of this block")


def _check_prose(text: str, page: str, settings: Settings) -> None:
    """Raise PageError for a fence in a Markdown cell of a notebook that would be shown as code and never run."""
    for cell in read_cells(text, page):
        for fence in find_fences(cell.markdown or "", page):
            line = cell.fence.line + fence.line
            if read_info(fence, page, settings)[0] in (*PYTHON, "console"):
                raise PageError(page, line, 'code in a Markdown cell is never run; put it below a line "# %%"')


def read_block(fence: Fence, page: str, index: int, root: Path, settings: Settings = DEFAULTS) -> Block | None:
    """The block that a fence is, or None where the fence is not code that is run."""
    language, values = read_info(fence, page, settings)
    if language not in (*PYTHON, *TRANSCRIPTS, "console"):
        return None
    options = read_options(values, page, fence.line, settings)
    place = (page, fence.line, fence.line + 1)
    if options.run == "no":
        return Block(page, index, "shown", fence.body, *place, options, fence)
    if not settings.console and conventions.PROMPT.match(fence.body):
        return Block(page, index, "transcript", fence.body, *place, options, fence)
    if language in TRANSCRIPTS:
        return None
    if language == "console":
        return _console(fence, page, index, options)
    if not options.file:
        code = _with_includes(fence, page, root, settings)
        if not (settings.console or options.run or fence.mark == conventions.HIDES):
            if what_it_starts(code):
                return None
            options = replace(options, skips_main=bool(MAIN.search(code)))
        return Block(page, index, "python", code, *place, options, fence)
    return _file(fence, page, index, options, root)


def _with_includes(fence: Fence, page: str, root: Path, settings: Settings) -> str:
    """The code of a fence with the files that pymdownx.snippets puts into it, as that does it. Raises PageError."""
    if not settings.snippets or settings.console or not INCLUDE.search(fence.body):
        return fence.body
    from markdown import Markdown  # type: ignore[import-untyped]

    given = json.loads(settings.snippets)
    bases = given.get("base_path", ["."])
    bases = [str(root / base) for base in ([bases] if isinstance(bases, str) else bases)]
    own = given | {"base_path": bases, "auto_append": [], "check_paths": True}
    md = Markdown(extensions=[SNIPPETS], extension_configs={SNIPPETS: own})
    try:
        return "\n".join(md.preprocessors["snippet"].run(fence.body.split("\n")))
    except Exception as error:  # the extension has a class of its own for what it does not find
        raise PageError(page, fence.line, f"{error}; mend the include") from None


def _console(fence: Fence, page: str, index: int, options: Options) -> Block:
    if options.file:
        raise PageError(page, fence.line, 'file= goes with python; write the command as a "$ " line')
    previous = ""
    for number, line in enumerate(fence.body.splitlines(), start=fence.line + 1):
        if line.strip() and not line.startswith("$ ") and not previous.endswith("\\"):
            raise PageError(page, number, 'a console block holds "$ command" lines only; outputs appear by themselves')
        previous = line
    return Block(page, index, "console", fence.body, page, fence.line, fence.line + 1, options, fence)


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
        return Block(page, index, "program", code, options.file, fence.line, 1, options, fence)
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


def programs_of(page: Page) -> set[str]:
    """The programs that a page's blocks run or take parts of, as paths relative to the repository root."""
    shown = {block.options.file for block in page.blocks if block.options.file}
    mentioned = re.compile(rf"\b{re.escape(page.settings.programs)}/[\w./-]+\.\w+")
    return shown.union(*(mentioned.findall(block.code) for block in page.blocks))


def pages_for(asked: Iterable[Path], root: Path, settings: Settings = DEFAULTS) -> list[str]:
    """Paths, relative to the root, of the pages that run one of these programs, or one in one of these folders.

    A page that cannot be read counts, so that what is wrong with it is told.
    """
    names, found = [path.relative_to(root).as_posix() for path in asked], list[str]()
    for path in settings.page_paths(root):
        try:
            programs = programs_of(parse_page(path, root, settings=settings))
        except PageError:
            programs = set(names)
        if any(program == name or program.startswith(f"{name}/") for program in programs for name in names):
            found.append(path.relative_to(root).as_posix())
    return found
