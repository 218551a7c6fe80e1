"""Mutations: the small changes to a page or to its recording by which a reader could be fooled."""

from __future__ import annotations

import ast
import random
import re
from collections.abc import Callable, Iterator
from dataclasses import replace

from samedevice.outputs.comparison import VARYING
from samedevice.outputs.output import Output, Raised
from samedevice.pages.page import Block

RAISES = re.compile(r"""\s*\braises=(["']).*?\1""")
CLASSES = ("RuntimeError", "ValueError")
Span = tuple[int, int]


def other(character: str) -> str:
    """A character of the same kind: the next digit for a digit, a letter for anything else."""
    if character in "0123456789":
        return str((int(character) + 1) % 10)
    return "y" if character == "x" else "x"


def output_mutants(output: Output, vary: bool) -> Iterator[tuple[Output, bool]]:
    """The output with one character changed, for each in turn; and whether `numbers="vary"` says it does not count.

    Of a picture the character in the middle is changed. An output that is empty gets a character.
    """
    for text, rebuild in _texts(output):
        free = {at for found in VARYING.finditer(text) for at in range(*found.span())} if vary else set()
        for at, character in enumerate(text):
            yield rebuild(text[:at] + other(character) + text[at + 1 :]), at in free and character.isdigit()
    for number, figure in enumerate(output.figures):
        at = len(figure.svg) // 2
        svg = figure.svg[:at] + other(figure.svg[at]) + figure.svg[at + 1 :]
        figures = (*output.figures[:number], replace(figure, svg=svg), *output.figures[number + 1 :])
        yield replace(output, figures=figures), vary
    if not output.shown and not output.figures:
        yield replace(output, text="x"), False


def _texts(output: Output) -> Iterator[tuple[str, Callable[[str], Output]]]:
    """The texts in an output, each with what puts another one in its place."""
    yield output.text, lambda text: replace(output, text=text)
    yield output.value, lambda text: replace(output, value=text)
    if output.raised:
        kind, message = output.raised.type, output.raised.message
        yield kind, lambda text: replace(output, raised=Raised(text, message))
        yield message, lambda text: replace(output, raised=Raised(kind, text))


def code_mutant(block: Block) -> str:
    """The block's code with one of its literals changed; if it has none, with its first letter changed.

    Which literal is drawn by the block's own hash, so that each run of the mutants changes the same.
    """
    found = list(literals(block.code)) if block.kind != "console" else []
    if not found:
        at = next(at for at, character in enumerate(block.code) if character.isalpha())
        return block.code[:at] + other(block.code[at]) + block.code[at + 1 :]
    (start, end), value = random.Random(block.digest).choice(found)
    code = block.code.encode()
    return (code[:start] + value.encode() + code[end:]).decode()


def literals(code: str) -> Iterator[tuple[Span, str]]:
    """The literals of Python code: where each begins and ends, in bytes, and another in its place.

    Docstrings and the texts inside f-strings are left out. Whole numbers become smaller, so that no mutant asks for
    more memory than the page does.
    """
    tree = ast.parse(code)
    starts = [0]
    for line in code.encode().split(b"\n"):
        starts.append(starts[-1] + len(line) + 1)
    inside = {id(part) for node in ast.walk(tree) if isinstance(node, ast.JoinedStr) for part in node.values}
    alone = (
        node.value for node in ast.walk(tree) if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    )
    inside |= {id(value) for value in alone if isinstance(value.value, str)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and id(node) not in inside and node.value not in (None, ...):
            assert node.end_lineno is not None
            assert node.end_col_offset is not None
            span = (starts[node.lineno - 1] + node.col_offset, starts[node.end_lineno - 1] + node.end_col_offset)
            yield span, repr(_another(node.value))


def _another(value: object) -> object:
    """Another value of the same type."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return value - 1 if value else 1
    if isinstance(value, float | complex):
        return value / 2 if value else type(value)(1)
    if isinstance(value, bytes):
        return value[:-1] + b"x" if value[-1:] != b"x" else value[:-1] + b"y"
    assert isinstance(value, str)
    return value[:-1] + other(value[-1:] or "y")


def with_code(text: str, block: Block, code: str) -> str:
    """The text of the file that a block's code stands in, with other code of as many lines in its place."""
    lines = text.split("\n")
    prefix = block.fence.prefix if block.path == block.page else ""
    first = block.code_line - 1
    count = len(block.code.removesuffix("\n").split("\n"))
    lines[first : first + count] = [prefix + line for line in code.removesuffix("\n").split("\n")]
    return "\n".join(lines)


def raises_mutants(block: Block, device: str) -> Iterator[str]:
    """Other values for the block's `raises=`: none, other classes, one where there was none; a setup may have none."""
    if block.options.setup:
        return
    pairs = block.options.raises
    if pairs:
        yield ""
    for at, (where, name) in enumerate(pairs):
        changed = (where, next(one for one in CLASSES if one != name))
        yield _raises([*pairs[:at], changed, *pairs[at + 1 :]])
    if not block.options.raises_on(device):
        yield _raises([*pairs, (device, CLASSES[0])])


def _raises(pairs: list[tuple[str, str]]) -> str:
    return ", ".join(f"{where}: {name}" if where else name for where, name in pairs)


def with_raises(text: str, block: Block, value: str) -> str:
    """The page's text with another `raises=` on the block's fence; without it, if the value is empty."""
    lines = text.split("\n")
    bare = RAISES.sub("", lines[block.line - 1]).rstrip()
    lines[block.line - 1] = f'{bare} raises="{value}"' if value else bare
    return "\n".join(lines)
