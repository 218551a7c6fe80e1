"""The engine's rooms: who may import whom. The order is the way of a page, from its text to the site."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from samedevice.project import PACKAGE

ROOMS = ("shared", "pages", "outputs", "running", "weaving", "generated", "together", "integration")
"""From left to right; a room may import from itself and from those to its left."""
SHARED = {"errors", "extras", "project", "devices", "temporary", "memo"}
TOGETHER = {"book", "runs"}
NOT_RUNNING = {"outputs", "weaving", "generated"}
"""Rooms that work with what came out, and never run anything."""
WORKER = {"samedevice", "samedevice.running", "samedevice.outputs"}
"""What a page's process may hold of the engine, beside the modules that the worker itself imports."""

MODULES = sorted(path for path in PACKAGE.rglob("*.py") if path.name != "__init__.py")


def room(name: str) -> str:
    """The room of a module, named as in `pages.fences`."""
    first = name.partition(".")[0]
    if first == "__main__":
        return "integration"
    if first in ROOMS:
        return first
    assert first in SHARED | TOGETHER, f"{first} is in no room; put it into one, or name it here"
    return "shared" if first in SHARED else "together"


def name_of(path: Path) -> str:
    """A module's name below the package."""
    return ".".join(path.relative_to(PACKAGE).with_suffix("").parts)


def imports(path: Path) -> Iterator[str]:
    """The modules of the package that a module imports, wherever in it."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name.startswith("samedevice."))
        elif isinstance(node, ast.ImportFrom) and node.module == "samedevice":
            yield from (f"samedevice.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and (node.module or "").startswith("samedevice."):
            yield str(node.module)


def imported(path: Path) -> set[str]:
    """The same without the package's name; `from samedevice.pages import fences` names a package, which is resolved."""
    return {found.removeprefix("samedevice.") for found in imports(path)}


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_a_module_imports_only_from_rooms_to_its_left(path: Path) -> None:
    """Whoever reads from left to right then never meets a name that is explained further on."""
    own = room(name_of(path))
    wrong = {name for name in imported(path) if ROOMS.index(room(name)) > ROOMS.index(own)}
    assert not wrong
    if own in NOT_RUNNING:
        assert not {name for name in imported(path) if room(name) == "running"}


def test_no_module_imports_itself_by_way_of_others() -> None:
    """Circles make the order of imports matter."""
    arrows = {name_of(path): imported(path) for path in MODULES}
    done: set[str] = set()
    while len(done) < len(arrows):
        free = {name for name, needed in arrows.items() if name not in done and needed & arrows.keys() <= done}
        assert free, f"in a circle, or behind one: {sorted(arrows.keys() - done)}"
        done |= free


def test_a_page_process_holds_next_to_nothing_of_the_engine() -> None:
    """A page that lists its modules, or pickles something, must not meet ours; and each import costs every page."""
    code = "import sys, samedevice.running.worker; print(*[n for n in sys.modules if n.startswith('samedevice')])"
    found = set(subprocess.check_output([sys.executable, "-c", code], text=True).split())
    own = {f"samedevice.{name}" for name in imported(PACKAGE / "running/worker.py")} | {"samedevice.running.worker"}
    assert found == WORKER | own
    assert len(own) <= 5
    assert "torch" not in found
