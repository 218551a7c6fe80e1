"""The public API of the engine, which pages and other packages use, and nothing else."""

from __future__ import annotations

import ast
import importlib
import re
import subprocess
import sys
from pathlib import Path

import pytest

import samedevice
from samedevice.project import PACKAGE

WORKER = {
    "samedevice",
    "samedevice.running",
    "samedevice.running.observing",
    "samedevice.outputs",
    "samedevice.devices",
    "samedevice.nvidia",
}
"""What a page's process may hold of the engine, beside the modules that the worker itself imports: the packages and the
table of devices, which knows how to ask for each."""


def test_every_public_name_is_there() -> None:
    """Each is imported when it is used, so that a wrong name would be found late."""
    assert len(samedevice.public_names()) > 30
    for name, module in samedevice.public_names().items():
        assert getattr(samedevice, name) is getattr(importlib.import_module(module), name)
    with pytest.raises(AttributeError, match="'samedevice' has no attribute 'nothing'"):
        samedevice.nothing  # noqa: B018


def test_the_engine_is_typed() -> None:
    """Type checkers of other projects need the mark."""
    assert (PACKAGE / "py.typed").is_file()


def test_a_page_process_holds_next_to_nothing_of_the_engine() -> None:
    """A page that lists its modules, or pickles something, must not meet ours; and each import costs every page."""
    code = "import sys, samedevice.running.worker; print(*[n for n in sys.modules if n.startswith('samedevice')])"
    found = set(subprocess.check_output([sys.executable, "-c", code], text=True).split())
    own = imported(PACKAGE / "running/worker.py") | {"samedevice.running.worker"}
    own.remove("samedevice.running.sharing")  # imported where a process is shared
    assert found == WORKER | own
    assert len(own) <= 6
    assert "torch" not in found


def imported(path: Path) -> set[str]:
    """The modules of the engine that a module imports, wherever in it."""
    nodes = ast.walk(ast.parse(path.read_text(encoding="utf-8")))
    found = {str(node.module) for node in nodes if isinstance(node, ast.ImportFrom)}
    return {name for name in found if name.startswith("samedevice.")}


def test_the_changelog_of_the_package_begins_with_its_version() -> None:
    """Who upgrades reads there what to change."""
    text = (PACKAGE / "CHANGELOG.md").read_text(encoding="utf-8")
    assert re.findall(r"^## ([\d.]+)", text, re.M)[0] == samedevice.__version__
