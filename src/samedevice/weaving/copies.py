"""copies: the blocks of a page to the program that the copy-to-run button puts on the clipboard: what ran for a block.

It consists of the page's setup, the sections that the block's own comes after, the blocks above it in its section, and
the block itself. Changes to its code leave its meaning: its value printed, its lines indented.

A page holds the code of each block once. Each block carries a `Copy`: what the page's script needs to put the program
together by the same rules as `program` does here. A test in the browser compares the two.
"""

from __future__ import annotations

import ast
import builtins
import io
import re
import sys
import tokenize
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import groupby

from samedevice.devices import KINDS
from samedevice.pages.page import Block, Page
from samedevice.weaving.panes import ShownOutput
from samedevice.weaving.prose import plain_title

SHOWN = "print(repr("
"""Prints a value that the page shows."""
PRINTS = re.compile(r"print\(")
UNSEEN = "import sys; sys.displayhook("
"""Prints a value that nobody has seen yet, unless it is None."""


@cache
def does_something(code: str) -> bool:
    """Whether there is a statement in code, and not only comments; asked for each copy that a block is in."""
    return bool(ast.parse(code).body)


def print_edit(code: str, known: bool | None = True) -> str:
    """What `edited` must do for the last expression's value to be printed; empty where there is nothing to print.

    `known` is whether the value is shown; None where that was never seen.
    """
    body = ast.parse(code).body
    last = body[-1] if body else None
    if not isinstance(last, ast.Expr) or known is False or (known is None and PRINTS.match(ast.unparse(last))):
        return ""
    words = UNSEEN if known is None else SHOWN
    start = _offset(code, last.lineno, last.col_offset)
    end = _offset(code, last.end_lineno or 0, last.end_col_offset or 0)
    return f"{start} {end} {words}" + ("" if _is_one_argument(edited(code, f"{start} {end} {words}")) else "(")


def edited(code: str, edit: str) -> str:
    """The code with something written before and after a part of it.

    `edit` is where the part begins and ends, counted in units of UTF-16 as JavaScript counts, and the words to write
    before it; after it, the brackets that these open are closed.
    """
    if not edit:
        return code
    start, end, words = edit.split(" ", 2)
    units = code.encode("utf-16-le")
    before, value, after = units[: 2 * int(start)], units[2 * int(start) : 2 * int(end)], units[2 * int(end) :]
    parts = [part.decode("utf-16-le") for part in (before, value, after)]
    return parts[0] + words + parts[1] + ")" * words.count("(") + parts[2]


def printed(code: str, known: bool | None = True) -> str:
    """The code with the value of its last expression printed; `known` as in `print_edit`."""
    return edited(code, print_edit(code, known))


def _is_one_argument(code: str) -> bool:
    """Whether the innermost call at the end of the code was given one argument: `a, b` would be two."""
    try:
        call = ast.parse(code).body[-1].value  # type: ignore[attr-defined]
    except SyntaxError:  # a bare `a := 1`, or `*a,`
        return False
    call = call.args[0] if call.func.__class__ is ast.Name else call
    plain = not isinstance(call.args[0], ast.Starred) if len(call.args) == 1 else False
    return plain and not call.keywords


def _offset(code: str, line: int, column: int) -> int:
    """A place that Python gives as line and bytes of UTF-8, in units of UTF-16."""
    lines = code.split("\n")
    before = "".join(f"{text}\n" for text in lines[: line - 1]) + lines[line - 1].encode()[:column].decode()
    return len(before.encode("utf-16-le")) // 2


@cache
def inside_strings(code: str) -> tuple[int, ...]:
    """The numbers, from 1, of the lines that begin inside a string."""
    inside: set[int] = set()
    opened: list[int] = []
    for token in tokenize.generate_tokens(io.StringIO(code + "\n").readline):
        kind = tokenize.tok_name[token.type]
        if kind == "STRING":
            inside.update(range(token.start[0] + 1, token.end[0] + 1))
        elif kind.endswith("STRING_START"):
            opened.append(token.start[0])
        elif kind.endswith("STRING_END"):
            inside.update(range(opened.pop() + 1, token.end[0] + 1))
    return tuple(sorted(inside))


def indent(code: str, columns: int = 4) -> str:
    """The code so many columns to the right, but for empty lines and the insides of its strings."""
    keep = inside_strings(code)
    lines = enumerate(code.split("\n"), start=1)
    return "\n".join(" " * columns + line if line and number not in keep else line for number, line in lines)


OTHER_NAMES = {
    "sklearn": "scikit-learn",
    "PIL": "pillow",
    "yaml": "pyyaml",
    "cv2": "opencv-python",
    "skimage": "scikit-image",
}
"""Modules whose package has another name."""


def imported_packages(codes: Iterable[str]) -> dict[str, str]:
    """The modules outside Python's own that pieces of code import, in order of their names, each with its package.

    Raises SyntaxError.
    """
    modules = set().union(*map(_imported_modules, codes)) - sys.stdlib_module_names - {"__main__"}
    return {name: OTHER_NAMES.get(name, name) for name in sorted(modules)}


@cache
def _imported_modules(code: str) -> frozenset[str]:
    """The first parts of the names of the modules that code imports; asked for each copy that a block is in."""
    nodes = [*ast.walk(ast.parse(code))]
    names = {alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names}
    names |= {node.module for node in nodes if isinstance(node, ast.ImportFrom) and node.module and not node.level}
    return frozenset(name.partition(".")[0] for name in names)


def listed(words: Sequence[str]) -> str:
    """Words as a sentence lists them: `a, b and c`."""
    return " and ".join(filter(None, [", ".join(words[:-1]), *words[-1:]]))


QUIET = """\
import contextlib
import io

# What runs before the block; what it prints is not shown.
with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
"""


@dataclass(frozen=True)
class Copy:
    """What the copy of a block is made of, beside the code of the blocks."""

    index: int
    """The block's position among the page's blocks."""
    needs: tuple[int, ...]
    """Indices of the blocks that run before it, in order."""
    about: str
    """Where the program comes from, and what it needs."""
    edit: str
    """What prints the block's value, as `edited` takes it."""
    raises: str
    """The exceptions to catch where a later block needs this one; empty if it announces none."""
    keep: tuple[int, ...]
    """Numbers of the lines that begin inside a string, and so must not be indented."""

    @property
    def attributes(self) -> dict[str, str]:
        """The data attributes by which the page's script knows all this."""
        needs = list[str]()  # some in a row as `2-9`: most blocks of a long page need all before them
        for _, group in groupby(enumerate(self.needs), lambda pair: pair[1] - pair[0]):
            found = [number for _, number in group]
            needs += [f"{found[0]}-{found[-1]}"] if len(found) > 2 else map(str, found)
        return {
            "data-about": self.about if self.needs or self.edit else "",
            "data-edit": self.edit,
            "data-keep": " ".join(map(str, self.keep)),
            "data-needs": " ".join(needs),
            "data-raises": self.raises,
        }


def attributes(block: Block, copy: Copy | None) -> dict[str, str]:
    """The attributes of a block's element: its number, what its copy needs, and its lines.

    A site's style computes the height of code that is out of sight from the number of its lines.
    """
    lines = block.code.rstrip("\n").count("\n") + 1
    found = {"data-block": str(block.index), "style": f"--sd-lines:{lines}", **(copy.attributes if copy else {})}
    found["data-setup"] = "setup" if block.options.setup else ""
    found["data-part"] = "part" if copy is None and block.kind == "python" else ""  # it does not run by itself
    return {key: found[key] for key in sorted(found) if found[key]}


def copies(page: Page, shown: Mapping[int, Sequence[ShownOutput]]) -> dict[int, Copy]:
    """The copy of each block of Python, by index, but of those that need what a page hides.

    `shown` is what is shown under each block; it decides whose values are printed. A page with code that is no Python
    has none.
    """
    python = (block for block in page.blocks if block.kind == "python" and "copy" in page.settings.show)
    blocks = (one for one in python if not any(led.hidden for led in (one, *page.program(one))))
    try:
        return {block.index: _copy(page, block, shown.get(block.index, ())) for block in blocks}
    except SyntaxError:
        return {}


def program(page: Page, index: int, parts: Mapping[int, Copy]) -> str:
    """The text that is copied for a block; `parts` are the copies of its page."""
    copy = parts[index]
    before = [page.blocks[one] for one in copy.needs]
    silent = [indent(attempt(block)) for block in before if not block.options.setup]
    pieces = [f"# {copy.about}", *(block.code.strip("\n") for block in before if block.options.setup)]
    pieces += [QUIET + "\n\n".join(silent)] if silent else []
    return "\n\n".join([*pieces, edited(page.blocks[index].code.strip("\n"), copy.edit)]) + "\n"


def value_is_shown(shown: Iterable[ShownOutput]) -> bool | None:
    """Whether a page shows the value of a block's last expression; None where the block has not run yet."""
    outputs = [one.output for one in shown if one.output is not None]
    return any(output.value for output in outputs) if outputs else None


def _copy(page: Page, block: Block, shown: Sequence[ShownOutput]) -> Copy:
    code = block.code.strip("\n")
    before = [one for one in page.program(block) if _runs_with(one, block)]
    about = _about(page, block, [*(one.code for one in before), code])
    edit = print_edit(code, value_is_shown(shown))
    return Copy(block.index, tuple(one.index for one in before), about, edit, caught(block), inside_strings(code))


def _runs_with(one: Block, block: Block) -> bool:
    """Whether a block has code that runs wherever another one does, and leaves its names to it."""
    if one.kind != "python" or not does_something(one.code):
        return False
    its, needs = one.options, block.options
    return its.needs in ("", needs.needs) and its.count in (1, needs.count) and its.versions in ("", needs.versions)


def _about(page: Page, block: Block, codes: Sequence[str]) -> str:
    """A sentence or two on where a program comes from and what it needs."""
    options = block.options
    packages = sorted(imported_packages(codes).values())
    machine = KINDS[options.needs].machine if options.needs else ""
    machine = machine if options.count == 1 else f"{options.count} GPUs with {KINDS[options.needs].label}"
    version = replace(options, needs="").needed
    needed = listed([*packages, *filter(None, [version, machine])])
    site = f"{page.settings.name}, " if page.settings.name else ""
    return f"From {site}{plain_title(page)} ({page.name})." + f" Needs {needed}." * bool(needed)


def attempt(block: Block) -> str:
    """The code of an earlier block; where it announces an exception, the program goes on after it."""
    code, raises = block.code.strip("\n"), caught(block)
    return f"try:\n{indent(code)}\nexcept {raises}:\n    pass" if raises else code


def caught(block: Block) -> str:
    """The class to catch for the exceptions that a block announces: a name that needs no import."""
    classes = [getattr(builtins, name, Exception) for _, name in block.options.raises]
    beyond = [one for one in classes if isinstance(one, type) and not issubclass(one, Exception)]
    return ("BaseException" if beyond else "Exception") if classes else ""
