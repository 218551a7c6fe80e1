"""Extras: what is said where a package is missing that only a part of the engine needs."""

from __future__ import annotations

import importlib.util
import re
import sys
from importlib.machinery import ModuleSpec
from pathlib import Path

import pytest
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import PluginError

from samedevice.errors import EXTRAS, MissingExtra, need
from samedevice.integration.mkdocs.notebooks import convert
from samedevice.integration.mkdocs.plugin import begin
from samedevice.page_runs import PageRuns
from samedevice.project import Settings

PYPROJECT = Path(__file__).parents[1] / "pyproject.toml"


@pytest.fixture
def without(monkeypatch: pytest.MonkeyPatch) -> None:
    """Has none of the extras' modules be found."""
    known = {module for modules in EXTRAS.values() for module in modules}

    def find_spec(name: str, package: str | None = None) -> ModuleSpec | None:
        return None if name in known else real(name, package)

    real = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", find_spec)


def test_what_is_there_is_not_asked_for() -> None:
    """These tests need all of it."""
    for extra in EXTRAS:
        need(extra, "this")


@pytest.mark.usefixtures("without")
def test_the_error_names_what_is_missing_and_the_command() -> None:
    """One command installs all of it."""
    with pytest.raises(MissingExtra) as raised:
        need("mkdocs", "this")
    told = "this needs mkdocs, markdown, pymdownx, pygments, which are not installed; run "
    assert str(raised.value) == f'{told}{sys.executable} -m pip install "samedevice[mkdocs]"'


@pytest.mark.usefixtures("without")
def test_each_part_names_its_extra(root: Path) -> None:
    """A person who installed less than a page needs must not meet a traceback."""
    with pytest.raises(PluginError, match=r"pymdownx.*samedevice\[mkdocs\]"):
        begin(MkDocsConfig(), PageRuns(root), Settings())
    with pytest.raises(MissingExtra, match=r"the notebook walk needs mkdocs_jupyter.*samedevice\[notebooks\]"):
        convert("{}", root / "walk.json")


def test_pyproject_has_the_extras() -> None:
    """An error that names an extra that is not there would be no help; the base must stay small."""
    text = PYPROJECT.read_text(encoding="utf-8")
    assert re.search(r'^dependencies = \["pyyaml", "sybil>=10"\]', text, re.M)
    named = text.partition("[project.optional-dependencies]")[2].partition("\n[")[0]
    assert set(EXTRAS) <= set(re.findall(r"^(\w+) = \[", named, re.M))
