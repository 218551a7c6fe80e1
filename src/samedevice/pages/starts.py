"""starts: what code would start if it ran, a server or another program, as its syntax tree says."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

MAIN = re.compile(r"""^if[ \t(]*__name__[ \t]*==[ \t]*["']__main__["'][ \t)]*:""", re.M)
"""Finds what a module does only as a program."""
SERVER = re.compile(
    r"(?:uvicorn|hypercorn|granian|waitress|app|mcp|server)\.(?:run|serve)|web\.run_app|.*\.(?:serve_forever|run_forever)"
)
"""The names of functions that serve until somebody stops them."""
PROGRAM = re.compile(
    r"subprocess\.(?:run|call|check_call|check_output|getoutput|Popen)|os\.(?:system|popen|exec\w+|spawn\w+|startfile)"
)
"""The names of functions that start programs."""
STARTS = {"a server": SERVER, "another program": PROGRAM}


def what_it_starts(code: str) -> str:
    """`a server` or `another program` if that is what code starts; else empty, also for code that is no Python.

    What functions would do counts not, nor what is below `if __name__ == "__main__":`.
    """
    if not any(word in code for word in ("run", "serve", "subprocess", "os.")):
        return ""
    try:
        called = set(_called(ast.parse(code)))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return ""
    return next((what for what, names in STARTS.items() if any(map(names.fullmatch, called))), "")


def _called(node: ast.AST) -> Iterator[str]:
    """The names of the functions that code calls itself."""
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)):
        return
    if isinstance(node, ast.If) and ast.unparse(node.test) == "__name__ == '__main__'":
        return
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        yield ast.unparse(node.func)
    for child in ast.iter_child_nodes(node):
        yield from _called(child)
