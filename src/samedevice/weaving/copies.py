"""copies: the program that the copy-to-run button puts on the clipboard: a block after the blocks that it needs.

A page holds the code of each block once. Each block carries a `Copy`: what the page's script needs to put the program
together by the same rules as `program` does here. A test in the browser compares the two.
"""

from __future__ import annotations

import builtins
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from samedevice.pages.options import Options
from samedevice.pages.page import Block, Page
from samedevice.weaving.closures import Closure, closures
from samedevice.weaving.packages import imported_packages, listed
from samedevice.weaving.panes import Shown
from samedevice.weaving.printing import edited, indented, inside_strings, print_edit, trimmed
from samedevice.weaving.prose import SITE, plain_title

QUIET = """\
import contextlib
import io

# What the block needs of the blocks before it; what they print is not shown.
with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
"""
NUMBERS = re.compile(r"\d\.|\w\(\[|^\[|[-+]\d")
"""Finds numbers in an output that may be random: such with a point, and such in a list."""
MACHINES = {"": "", "cpu": "a machine without a GPU", "cuda": "a GPU with CUDA", "mps": "a Mac with MPS"}
"""What a block needs that runs on one kind of device only."""


@dataclass(frozen=True)
class Copy:
    """What the copy of a block is made of, beside the code of the blocks."""

    index: int
    """The block's position among the page's blocks."""
    needs: tuple[int, ...]
    """Indices of the earlier blocks that it needs, in order."""
    imports: tuple[str, ...]
    """Import statements that it needs of other earlier blocks."""
    about: str
    """Where the program comes from, and what it needs."""
    edit: str
    """What prints the block's value, as `printing.edited` takes it."""
    raises: str
    """The exceptions to catch where a later block needs this one; empty if it announces none."""
    keep: tuple[int, ...]
    """Numbers of the lines that begin inside a string, and so must not be indented."""

    @property
    def start(self) -> str:
        """The program's first lines, but for the sign of the comment."""
        return "\n\n".join([self.about, *filter(None, ["\n".join(self.imports)])])

    @property
    def attributes(self) -> dict[str, str]:
        """The data attributes by which the page's script knows all this."""
        return {
            "data-about": self.start if self.needs or self.imports or self.edit else "",
            "data-edit": self.edit,
            "data-keep": " ".join(map(str, self.keep)),
            "data-needs": " ".join(map(str, self.needs)),
            "data-raises": self.raises,
        }


def attributes(block: Block, copy: Copy | None) -> dict[str, str]:
    """The attributes of a block's element: its number, what its copy needs, and its lines.

    A site's style computes the height of code that is out of sight from the number of its lines.
    """
    lines = block.code.rstrip("\n").count("\n") + 1
    found = {"data-block": str(block.index), "style": f"--sd-lines:{lines}", **(copy.attributes if copy else {})}
    return {key: found[key] for key in sorted(found) if found[key]}


def copies(page: Page, shown: Mapping[int, Sequence[Shown]]) -> dict[int, Copy]:
    """The copy of each block that is run in the page's process, by index. Raises SyntaxError.

    `shown` is what is shown under each block; it decides whose values are printed.
    """
    needs = closures(page, {block.index for block in page.blocks if _is_steady(block, shown.get(block.index, ()))})
    return {index: _copy(page, index, needs[index], shown.get(index, ())) for index in sorted(needs)}


def depend_on(page: Page, shown: Mapping[int, Sequence[Shown]]) -> list[object]:
    """What the copies of a page are made of, beside the code of its blocks."""
    outputs = [(block, shown.get(block.index, ())) for block in page.blocks]
    return [page.name, plain_title(page), [(value_is_shown(seen), _is_steady(block, seen)) for block, seen in outputs]]


def program(page: Page, index: int, parts: Mapping[int, Copy]) -> str:
    """The text that is copied for a block; `parts` are the copies of its page."""
    copy = parts[index]
    pieces = [f"# {copy.start}"]
    if copy.needs:
        pieces.append(QUIET + "\n\n".join(_quiet(page.blocks[one], parts[one]) for one in copy.needs))
    return "\n\n".join([*pieces, edited(trimmed(page.blocks[index].code), copy.edit)]) + "\n"


def value_is_shown(shown: Iterable[Shown]) -> bool | None:
    """Whether a page shows the value of a block's last expression; None where the block has not run yet."""
    outputs = [one.output for one in shown if one.output is not None]
    return any(output.value for output in outputs) if outputs else None


def _is_steady(block: Block, shown: Sequence[Shown]) -> bool:
    """Whether other random numbers would surely leave what is shown of a block as it is."""
    outputs = [one.output for one in shown if one.output is not None]
    plain = all(not one.figures and not NUMBERS.search(one.shown) for one in outputs)
    return block.options.numbers_vary or (bool(outputs) and plain)


def _copy(page: Page, index: int, needs: Closure, shown: Sequence[Shown]) -> Copy:
    block = page.blocks[index]
    code = trimmed(block.code)
    codes = [*needs.imports, *(page.blocks[one].code for one in needs.blocks), code]
    about = _about(page, codes, block.options)
    edit = print_edit(code, value_is_shown(shown))
    return Copy(index, needs.blocks, needs.imports, about, edit, caught(block), inside_strings(code))


def _about(page: Page, codes: Sequence[str], options: Options) -> str:
    """A sentence or two on where a program comes from and what it needs."""
    packages = sorted(imported_packages(codes).values())
    machine = MACHINES[options.needs] if options.count == 1 else f"{options.count} GPUs with CUDA"
    version = replace(options, needs="").needed
    needed = listed([*packages, *filter(None, [version, machine])])
    return f"From {SITE}, {plain_title(page)} ({page.name})." + f" Needs {needed}." * bool(needed)


def _quiet(block: Block, copy: Copy) -> str:
    """A needed block, indented; where it announces an exception, the program goes on after it."""
    code = trimmed(block.code)
    if not copy.raises:
        return indented(code, 4, copy.keep)
    return f"    try:\n{indented(code, 8, copy.keep)}\n    except {copy.raises}:\n        pass"


def caught(block: Block) -> str:
    """The class to catch for the exceptions that a block announces: a name that needs no import."""
    classes = [getattr(builtins, name, Exception) for _, name in block.options.raises]
    beyond = [one for one in classes if isinstance(one, type) and not issubclass(one, Exception)]
    return ("BaseException" if beyond else "Exception") if classes else ""
