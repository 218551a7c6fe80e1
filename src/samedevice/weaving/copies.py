"""copies: the program that the copy-to-run button puts on the clipboard, which is what ran for a block.

It consists of the page's setup, the sections that the block's own comes after, the blocks above it in its section, and
the block itself.

A page holds the code of each block once. Each block carries a `Copy`: what the page's script needs to put the program
together by the same rules as `program` does here. A test in the browser compares the two.
"""

from __future__ import annotations

import builtins
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby

from samedevice.devices import KINDS
from samedevice.pages.page import Block, Page
from samedevice.weaving.packages import imported_packages, listed
from samedevice.weaving.panes import ShownOutput
from samedevice.weaving.printing import does_something, edited, indent, inside_strings, print_edit, trimmed
from samedevice.weaving.prose import plain_title

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
    """What prints the block's value, as `printing.edited` takes it."""
    raises: str
    """The exceptions to catch where a later block needs this one; empty if it announces none."""
    keep: tuple[int, ...]
    """Numbers of the lines that begin inside a string, and so must not be indented."""

    @property
    def attributes(self) -> dict[str, str]:
        """The data attributes by which the page's script knows all this."""
        return {
            "data-about": self.about if self.needs or self.edit else "",
            "data-edit": self.edit,
            "data-keep": " ".join(map(str, self.keep)),
            "data-needs": " ".join(_ranges(self.needs)),
            "data-raises": self.raises,
        }


def _ranges(numbers: Iterable[int]) -> Iterator[str]:
    """Rising numbers, those that follow each other as `2-9`: on a page with many blocks most need all before them."""
    for _, group in groupby(enumerate(numbers), lambda pair: pair[1] - pair[0]):
        found = [number for _, number in group]
        yield f"{found[0]}-{found[-1]}" if len(found) > 2 else " ".join(map(str, found))


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
    pieces = [f"# {copy.about}", *(trimmed(block.code) for block in before if block.options.setup)]
    pieces += [QUIET + "\n\n".join(silent)] if silent else []
    return "\n\n".join([*pieces, edited(trimmed(page.blocks[index].code), copy.edit)]) + "\n"


def value_is_shown(shown: Iterable[ShownOutput]) -> bool | None:
    """Whether a page shows the value of a block's last expression; None where the block has not run yet."""
    outputs = [one.output for one in shown if one.output is not None]
    return any(output.value for output in outputs) if outputs else None


def _copy(page: Page, block: Block, shown: Sequence[ShownOutput]) -> Copy:
    code = trimmed(block.code)
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
    code, raises = trimmed(block.code), caught(block)
    return f"try:\n{indent(code)}\nexcept {raises}:\n    pass" if raises else code


def caught(block: Block) -> str:
    """The class to catch for the exceptions that a block announces: a name that needs no import."""
    classes = [getattr(builtins, name, Exception) for _, name in block.options.raises]
    beyond = [one for one in classes if isinstance(one, type) and not issubclass(one, Exception)]
    return ("BaseException" if beyond else "Exception") if classes else ""
