"""imports: the import statements of a block, so that another block can have them without the rest."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterable


def imported(code: str) -> dict[str, str]:
    """The names that code binds by an import at its top level and in no other way, each with a statement for it alone.

    Raises SyntaxError.
    """
    tree = ast.parse(code)
    names = [(name, text) for node in tree.body for name, text in _names(node)]
    times = Counter(name for node in ast.walk(tree) for name in _bound(node))
    return {name: text for name, text in names if times[name] == 1}


def joined(statements: Iterable[str]) -> tuple[str, ...]:
    """The statements without repetition; those that import names from the same module become one."""
    found: dict[str, list[str]] = {}
    for statement in dict.fromkeys(statements):
        module, _, name = statement.partition(" import ")
        found.setdefault(module, []).append(name)
    return tuple(f"{module} import {', '.join(names)}" if names[0] else module for module, names in found.items())


def _names(node: ast.stmt) -> list[tuple[str, str]]:
    """The names that an import statement binds, each with a statement for it alone."""
    if isinstance(node, ast.Import):
        return [(_name(alias), f"import {ast.unparse(alias)}") for alias in node.names]
    if isinstance(node, ast.ImportFrom) and not node.level and node.module != "__future__":
        return [(_name(alias), f"from {node.module} import {ast.unparse(alias)}") for alias in node.names]
    return []


def _bound(node: ast.AST) -> list[str]:
    if isinstance(node, ast.Import | ast.ImportFrom):
        return [_name(alias) for alias in node.names]
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return [node.name]
    if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
        return [node.id]
    return []


def _name(alias: ast.alias) -> str:
    return alias.asname or alias.name.partition(".")[0]
