"""comments: what code says in comments that it prints, `#> 3` below `print(1 + 2)`, as pytest-examples has it."""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections.abc import Callable, Iterable, Mapping

MARK = "#>"
"""What begins such a comment."""


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


def silent(code: str) -> str:
    """The code without these comments."""
    found = said(code)
    return "\n".join(line for number, line in enumerate(code.split("\n"), start=1) if number not in found)


def commented(code: str, printed: Iterable[tuple[int, str]], same: Callable[[str, str], bool]) -> str:
    """The code with what it printed in comments, below the statements that print it.

    `printed` has, in order, what was printed and in which line; `same` says whether a comment may stay as it is. So do
    comments below what has no `print`, and a text in quotes below a statement, which pytest-examples writes for what is
    long.
    """
    nodes = [node for node in ast.walk(ast.parse(code)) if isinstance(node, ast.stmt)]
    texts = {_place(node): "" for node in nodes if not hasattr(node, "body") and _prints(node)}
    for line, text in printed:
        around = [place for place in map(_place, nodes) if place[0] <= line <= place[1]]
        place = min(around, key=lambda one: one[1] - one[0], default=(line, line))
        texts[place] = texts.get(place, "") + text
    quoted = {node.lineno for node in nodes if isinstance(node, ast.Expr) and _is_text(node.value)}
    return _with(code, {place: text for place, text in texts.items() if place[1] + 1 not in quoted}, same)


def _place(node: ast.stmt) -> tuple[int, int]:
    """The first and the last line of a statement."""
    return node.lineno, node.end_lineno or node.lineno


def _prints(node: ast.stmt) -> bool:
    return any(isinstance(one, ast.Name) and one.id == "print" for one in ast.walk(node))


def _is_text(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, str)


def _with(code: str, texts: Mapping[tuple[int, int], str], same: Callable[[str, str], bool]) -> str:
    """The code with these texts in comments; each is that of the statement with this first and last line."""
    lines, old = code.split("\n"), said(code)
    for (first, last), text in sorted(texts.items(), key=lambda one: one[0][1], reverse=True):
        end = last
        while end + 1 in old:
            end += 1
        new = [line.rstrip() for line in text.removesuffix("\n").split("\n")] if text else []
        before = [old[number] for number in range(last + 1, end + 1)]
        if len(before) != len(new) or not same("\n".join(before), "\n".join(new)):
            indent = re.match(r"[ \t]*", lines[first - 1])
            assert indent is not None
            lines[last:end] = [f"{indent[0]}{MARK} {line}".rstrip() for line in new]
    return "\n".join(lines)
