"""comments: code to what it says that it prints, as pytest-examples has it: `#> 3` below `print(3)`, or in quotes."""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import pairwise

MARK = "#>"
"""What begins such a comment."""
QUOTES = ('"""', "'''")
"""What such a text is in, below a statement that prints."""
LOOSE = re.compile(r"\s+|,(?=\s*[\])}])")
"""What may differ between a text and what was printed: blanks, line breaks, and commas that a formatter adds."""

BLOCKS = (ast.Try, ast.With, ast.AsyncWith, ast.If, ast.For, ast.AsyncFor, ast.While)
"""Statements with others in them. A text below one says what these print without `print`, as a call for help does."""

Place = tuple[int, int]
"""The first and the last line of a statement, from 1."""


def said(code: str) -> dict[int, str]:
    """The comments that say what is printed, by their lines, from 1; none in code that is no Python."""
    if MARK not in code:
        return {}
    try:
        tokens = list(tokenize.generate_tokens(io.StringIO(code).readline))
    except (tokenize.TokenError, SyntaxError):
        return {}
    own = (one for one in tokens if one.type == tokenize.COMMENT and one.string.startswith(MARK))
    found = (one for one in own if not one.line[: one.start[1]].strip())
    return {one.start[0]: one.string.removeprefix(MARK).removeprefix(" ").rstrip() for one in found}


def quoted(code: str) -> dict[Place, str]:
    """The texts in quotes right below statements that print, by the lines that they take; none in other code."""
    if not any(quotes in code for quotes in QUOTES):
        return {}
    try:
        return {_place(quote): text for _, quote, text in _quoted(ast.parse(code), said(code))}
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return {}


def _quoted(node: ast.AST, comments: Mapping[int, str]) -> Iterator[tuple[ast.stmt, ast.stmt, str]]:
    """Statements that print, the texts in quotes below them, and what these say."""
    for body in (getattr(node, name, None) for name in ("body", "orelse", "finalbody")):
        if not isinstance(body, list):
            continue
        for above, one in pairwise(body):
            text = one.value.value if isinstance(one, ast.Expr) and isinstance(one.value, ast.Constant) else None
            end = _place(above)[1] + 1
            while isinstance(above, BLOCKS) and end in comments:  # its last comments are no part of its tree
                end += 1
            if isinstance(text, str) and (_prints(above) or isinstance(above, BLOCKS)) and one.lineno == end:
                yield above, one, text
    for child in ast.iter_child_nodes(node):
        yield from _quoted(child, comments)


def says(code: str) -> bool:
    """Whether code says what it prints."""
    return bool(said(code) or quoted(code))


def silent(code: str) -> str:
    """The code without what it says that it prints."""
    left = {*said(code), *(number for first, last in quoted(code) for number in range(first, last + 1))}
    return "\n".join(line for number, line in enumerate(code.split("\n"), start=1) if number not in left)


def whole(code: str) -> str:
    """All that code says that it prints, in its order."""
    found = {**{(number, number): text for number, text in said(code).items()}, **quoted(code)}
    return "\n".join(text.strip("\n") for _, text in sorted(found.items()))


def loose(text: str) -> str:
    """A text without what may differ where it is in quotes."""
    return LOOSE.sub("", text)


def commented(code: str, printed: Iterable[tuple[int, str]], same: Callable[[str, str], bool]) -> str:
    """The code with what it printed below the statements that print it, in comments, or in quotes where it is in them.

    `printed` has, in order, what was printed and in which line; `same` says whether a text may stay as it is. So do
    comments below what has no `print`; and what that printed is left to the page, unless something below says it.
    """
    tree, comments = ast.parse(code), said(code)
    nodes = {_place(node): node for node in ast.walk(tree) if isinstance(node, ast.stmt)}
    below = {_place(above): (_place(quote), old) for above, quote, old in _quoted(tree, comments)}
    bare = bool(below) and not comments  # a statement that says nothing gets no comment, where none has one
    texts = {place: "" for place, node in nodes.items() if not hasattr(node, "body") and _prints(node)}
    for line, text in printed:
        around = sorted((one for one in nodes if one[0] <= line <= one[1]), key=lambda one: one[1] - one[0])
        own = around[:1] if around and (_prints(nodes[around[0]]) or around[0][1] + 1 in comments) else []
        for place in (*own, *(one for one in around if one in below))[:1]:
            texts[place] = texts.get(place, "") + text
    lines = code.split("\n")
    for place, text in sorted(texts.items(), key=lambda one: one[0][1], reverse=True):
        if place in below:
            (first, last), old = below[place]
            if not same(loose(old), loose(text)):
                lines[first - 1 : last] = _in_quotes(text, lines[first - 1])
        elif not bare:
            _write_comments(lines, place, text, comments, same)
    return "\n".join(lines)


def _place(node: ast.stmt) -> Place:
    return node.lineno, node.end_lineno or node.lineno


def _prints(node: ast.stmt) -> bool:
    return any(isinstance(one, ast.Name) and one.id == "print" for one in ast.walk(node))


def _in_quotes(text: str, first: str) -> list[str]:
    """Lines that hold a text in quotes, indented and quoted as the line that began the old one."""
    indent = first[: len(first) - len(first.lstrip())]
    quotes = next(one for one in QUOTES if one in first)
    held = text.strip("\n").replace("\\", "\\\\").replace(quotes, "\\".join(["", *quotes]))
    return [f"{indent}{line}".rstrip() for line in [quotes, *held.split("\n"), quotes]]


def _write_comments(
    lines: list[str], place: Place, text: str, old: Mapping[int, str], same: Callable[[str, str], bool]
) -> None:
    """Put what the statement at a place printed into the comments below it, unless they may stay as they are."""
    first, last = place
    end = last
    while end + 1 in old:
        end += 1
    new = [line.rstrip() for line in text.removesuffix("\n").split("\n")] if text else []
    before = [old[number] for number in range(last + 1, end + 1)]
    if len(before) != len(new) or not same("\n".join(before), "\n".join(new)):
        indent = re.match(r"[ \t]*", lines[first - 1])
        assert indent is not None
        lines[last:end] = [f"{indent[0]}{MARK} {line}".rstrip() for line in new]
