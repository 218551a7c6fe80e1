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
from samedevice.fences import Fence, find_fences
from samedevice.notebook import find_cells
from samedevice.source import inside, read_page

NOTEBOOK = ".py"
"""The suffix of a page that is a notebook in percent format; all others are Markdown."""
DEVICES = ("cpu", "cuda", "mps")
PYTHON = ("python", "py", "python3", "py3")
LOOKALIKES = {
    "pycon": "python",
    "ipython": "python",
    "ipython3": "python",
    "bash": "console",
    "sh": "console",
    "shell": "console",
    "zsh": "console",
    "shell-session": "console",
}
OPTIONS = ("title", "hl_lines", "file", "part", "args", "needs", "raises", "numbers", "alt", "compare")
OPTION = re.compile(r"\s*(?P<key>[A-Za-z_][\w-]*)=(?P<quote>[\"'])(?P<value>.*?)(?P=quote)(?=\s|$)")
INFO = re.compile(r"\.?(?P<language>[\w#.+-]+)?(?=\s|\{|$)\s*(?P<rest>.*)$")
NEEDS = re.compile(r"(?:(?P<count>\d+)\s+)?(?P<device>\w+)$")
MENTIONED = re.compile(r"\bsnippets/[\w./-]+\.\w+")


@dataclass(frozen=True)
class Options:
    """What an author may say on a fence."""

    title: str = ""
    """A caption, passed on to the renderer."""
    hl_lines: str = ""
    """Lines to highlight, passed on to the renderer."""
    file: str = ""
    """The block's code is this file under the repository root."""
    part: str = ""
    """Only this region of `file`, run in the page's own process."""
    args: str = ""
    """Command line of the program that `file` is."""
    needs: str = ""
    """The only device that the block runs on: cpu, cuda or mps; empty for all."""
    count: int = 1
    """How many devices of that kind the block needs."""
    raises: tuple[tuple[str, str], ...] = ()
    """Pairs of device ("" for every device) and name of the exception class that the block raises there."""
    numbers_vary: bool = False
    """Numbers differ from run to run, so that only the text around them is compared."""
    alt: str = ""
    """What the block's figure shows, for those who cannot see it."""
    compare: str = ""
    """A device whose output stands beside the CPU's; where it has not run the block, that is said."""

    def raises_on(self, device: str) -> str:
        """Name of the exception class that the block must raise on `device`; empty if it must not raise."""
        return next((name for where, name in self.raises if where in ("", device)), "")


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


def read_info(fence: Fence, page: str) -> tuple[str, dict[str, str]]:
    """Language and options of a fence's first line: `python title="x"`, `{.python title="x"}`."""
    info = fence.info
    if info.startswith("{") and info.endswith("}"):
        info = info[1:-1].strip()
    match = INFO.match(info)
    if match is None:
        raise PageError(page, fence.line, f'cannot read "{fence.info}"; write a language, then key="value" options')
    language, rest = match["language"] or "", match["rest"].strip()
    if rest.startswith("{") and rest.endswith("}"):
        rest = rest[1:-1].strip()
    meant = LOOKALIKES.get(language.lower(), language.lower())
    if meant in (*PYTHON, "console") and language not in (*PYTHON, "console"):
        raise PageError(page, fence.line, f'"{language}" would not be run; write {meant} or text')
    values, at = {}, 0
    while at < len(rest):
        option = OPTION.match(rest, at)
        if option is None:
            raise PageError(page, fence.line, f'cannot read "{rest[at:].strip()}"; write options as key="value"')
        if option["key"] in values:
            raise PageError(page, fence.line, f"{option['key']}= is given twice; keep one of them")
        values[option["key"]] = option["value"]
        at = option.end()
    return language, values


def read_options(values: dict[str, str], page: str, line: int) -> Options:
    """Check the options of a block and give them their types. Raises PageError for one that is not known."""
    for key in values:
        if key not in OPTIONS:
            raise PageError(page, line, f'unknown option {key}="{values[key]}"; known are {", ".join(OPTIONS)}')
    passed = ("title", "hl_lines", "file", "part", "args", "alt", "compare")
    plain = {key: values[key] for key in passed if key in values}
    if values.get("numbers", "vary") != "vary":
        raise PageError(page, line, f'numbers="{values["numbers"]}" is unknown; write numbers="vary" or leave it out')
    if ("part" in plain or "args" in plain) and "file" not in plain:
        raise PageError(page, line, 'part= and args= say what to do with a file; add file="snippets/..."')
    if "part" in plain and "args" in plain:
        raise PageError(page, line, "a part is run as a block of the page and takes no args=; leave one of them out")
    if "compare" in plain and plain["compare"] not in DEVICES[1:]:
        raise PageError(page, line, f'compare="{plain["compare"]}" names no device beside the CPU; use cuda or mps')
    needs, count = _needs(values.get("needs", ""), page, line)
    return Options(
        **plain,
        needs=needs,
        count=count,
        raises=_raises(values.get("raises", ""), page, line),
        numbers_vary="numbers" in values,
    )


def _needs(value: str, page: str, line: int) -> tuple[str, int]:
    match = NEEDS.match(value)
    if not value:
        return "", 1
    if match is None or match["device"] not in DEVICES or match["count"] == "0":
        raise PageError(page, line, f'needs="{value}" names no device; use cuda, mps or cpu, or "2 cuda" for two')
    return match["device"], int(match["count"] or 1)


def _raises(value: str, page: str, line: int) -> tuple[tuple[str, str], ...]:
    pairs: list[tuple[str, str]] = []
    for part in filter(None, (part.strip() for part in value.split(","))):
        device, _, name = part.rpartition(":")
        device, name = device.strip(), name.strip()
        if device and device not in DEVICES:
            raise PageError(page, line, f'raises="{value}": {device} names no device; use cuda, mps or cpu')
        if not name.isidentifier():
            raise PageError(page, line, f'raises="{value}" names no exception; write raises="RuntimeError"')
        if any(device == where or not (device and where) for where, _ in pairs):
            raise PageError(page, line, f'raises="{value}" names two exceptions for one device; keep one of them')
        pairs.append((device, name))
    return tuple(pairs)


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
