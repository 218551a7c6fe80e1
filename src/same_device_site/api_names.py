"""apis: the names of PyTorch that the blocks of a page use, found by walking their code; nothing is run or imported.

A dotted name counts where it starts at torch, a module of it or something imported from it: `torch.cuda.Stream`,
`nn.Linear`, `F.relu`. A method of an object does not, because the code alone does not tell what the object is.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from samedevice import Block, Page

ROOT = "torch"
ARGUMENT = re.compile(r"""\bpython3?\b[^\n"'|;&]*?\s-c\s+(["'])(?P<code>.*?)\1""")
"""A program that a command passes to Python."""


@dataclass
class _Names(ast.NodeVisitor):
    """Collects the names of one program, in the order of its source."""

    known: dict[str, str] = field(default_factory=lambda: {ROOT: ROOT})
    """What a name of the program stands for: {"nn": "torch.nn"}."""
    found: set[str] = field(default_factory=set)
    """Dotted names of PyTorch."""

    def visit_Import(self, node: ast.Import) -> None:
        """`import torch.nn.functional as F` names a module; without `as` it names torch."""
        for alias in node.names:
            if alias.name.split(".")[0] == ROOT and alias.asname:
                self.known[alias.asname] = alias.name

    def visit_ImportFrom(self, node: ast.ImportFrom) -> None:
        """`from torch.utils.data import DataLoader` names what is used later, on its own or with its attributes."""
        if (node.module or "").split(".")[0] == ROOT:
            for alias in node.names:
                self.known[alias.asname or alias.name] = f"{node.module}.{alias.name}"

    def visit_Attribute(self, node: ast.Attribute) -> None:
        """Take a chain of attributes as a whole, if it starts at a known name."""
        parts: list[str] = []
        inner: ast.expr = node
        while isinstance(inner, ast.Attribute):
            parts.append(inner.attr)
            inner = inner.value
        if isinstance(inner, ast.Name) and inner.id in self.known:
            self.found.add(_cut([*self.known[inner.id].split("."), *reversed(parts)]))
        else:
            self.visit(inner)

    def visit_Name(self, node: ast.Name) -> None:
        """A name alone is a use of what it stands for; one that gets another value stands for PyTorch no more."""
        if isinstance(node.ctx, ast.Store):
            self.known.pop(node.id, None)
        elif self.known.get(node.id, ROOT) != ROOT:
            self.found.add(self.known[node.id])

    def visit_Constant(self, node: ast.Constant) -> None:
        """A program in a string, to be run by a process of its own, is a program too."""
        if isinstance(node.value, str) and "\n" in node.value and f"import {ROOT}" in node.value:
            self.found |= _names(node.value, _Names())


def names(page: Page, files: Callable[[Block], Iterable[str]] = lambda _: ()) -> dict[str, list[int]]:
    """For each name of PyTorch that a page's blocks use, the indices of these blocks.

    `files` gives the texts of the files of code that a block read.
    """
    found: dict[str, list[int]] = {}
    program = _Names()
    for block in page.blocks:
        own = (_names(text, _Names()) for text in files(block))
        for name in _block_names(block, program).union(*own):
            found.setdefault(name, []).append(block.index)
    return {name: found[name] for name in in_order(found)}


def in_order(found: Iterable[str]) -> list[str]:
    """Names by the alphabet, whatever their case; in the same order every time."""
    return sorted(found, key=lambda name: (name.lower(), name))


def _block_names(block: Block, page: _Names) -> set[str]:
    """The names of one block, and of the programs after `python -c` that it names."""
    if block.kind == "console":
        return set[str]().union(*(_names(one["code"], _Names()) for one in ARGUMENT.finditer(block.code)))
    return _names(block.code, page if block.kind == "python" else _Names())


def _names(code: str, program: _Names) -> set[str]:
    """The names of some code that continues a program; none if it is not Python."""
    try:
        tree = ast.parse(code)
    except (SyntaxError, ValueError):
        return set()
    program.found = set()
    program.visit(tree)
    return program.found


def _cut(parts: list[str]) -> str:
    """The name up to where PyTorch ends: `torch.__version__` of `torch.__version__.split`."""
    for number, part in enumerate(parts):
        if part.startswith("__"):
            return ".".join(parts[: number + (number == 1)])
    return ".".join(parts)
