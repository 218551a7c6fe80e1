"""syntax: a text for the syntax tree of code, the same for the same program, however it is laid out and commented."""

from __future__ import annotations

import ast
import json
from typing import Any

PLACES = {"ctx", "kind", "type_comment", "type_ignores"}
"""Fields of a tree that change nothing of what the code does."""


def tree_text(code: str) -> str:
    """The tree of Python code as a text, without comments, layout and positions. Raises SyntaxError.

    Fields that are empty are left out, since newer versions of Python add such fields.
    """
    try:
        return json.dumps(_plain(ast.parse(code)), separators=(",", ":"))
    except (ValueError, RecursionError, MemoryError) as error:
        raise SyntaxError(str(error)) from None


def _plain(node: Any) -> Any:
    """A node as lists of what JSON has: the name of its class, then names and values of its fields."""
    if isinstance(node, ast.Constant):
        return [type(node.value).__name__, node.value if isinstance(node.value, str) else repr(node.value)]
    if isinstance(node, ast.AST):
        found = ((name, value) for name, value in ast.iter_fields(node) if name not in PLACES)
        return [type(node).__name__, *([name, _plain(value)] for name, value in found if value not in (None, []))]
    return [_plain(one) for one in node] if isinstance(node, list) else node
