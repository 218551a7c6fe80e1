"""printing: changes to code that leave its meaning: its value printed, its lines indented."""

from __future__ import annotations

import ast
import io
import tokenize
from functools import cache

SHOWN = "print(repr("
"""Prints a value that the page shows."""
UNSEEN = "import sys; sys.displayhook("
"""Prints a value that nobody has seen yet, unless it is None."""


def trimmed(code: str) -> str:
    """Code without empty lines before and after it, as pages show it."""
    return code.strip("\n")


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
    if not isinstance(last, ast.Expr) or known is False or (known is None and _prints(last.value)):
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


def _prints(value: ast.expr) -> bool:
    return isinstance(value, ast.Call) and isinstance(value.func, ast.Name) and value.func.id == "print"


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
