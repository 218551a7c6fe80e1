"""packages: what code imports from outside of Python, and the packages to install for it."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterable, Sequence
from functools import cache

OTHER_NAMES = {
    "sklearn": "scikit-learn",
    "PIL": "pillow",
    "yaml": "pyyaml",
    "cv2": "opencv-python",
    "skimage": "scikit-image",
}
"""Modules whose package has another name."""


def imported_packages(codes: Iterable[str]) -> dict[str, str]:
    """The modules outside Python's own that pieces of code import, in order of their names, each with its package.

    Raises SyntaxError.
    """
    modules = set().union(*map(_imported_modules, codes)) - sys.stdlib_module_names - {"__main__"}
    return {name: OTHER_NAMES.get(name, name) for name in sorted(modules)}


@cache
def _imported_modules(code: str) -> frozenset[str]:
    """The first parts of the names of the modules that code imports; asked for each copy that a block is in."""
    nodes = [*ast.walk(ast.parse(code))]
    names = {alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names}
    names |= {node.module for node in nodes if isinstance(node, ast.ImportFrom) and node.module and not node.level}
    return frozenset(name.partition(".")[0] for name in names)


def listed(words: Sequence[str]) -> str:
    """Words as a sentence lists them: `a, b and c`."""
    return " and ".join(filter(None, [", ".join(words[:-1]), *words[-1:]]))
