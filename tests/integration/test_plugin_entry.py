"""A plugin that is added to a mkdocs.yml: as its list is written, and nothing else is changed."""

from __future__ import annotations

from pathlib import Path

import pytest

from samedevice.integration.plugin_entry import with_entry
from samedevice.integration.project_file import ProjectError


def test_extensions_that_no_file_lists_are_left() -> None:
    """Zensical has some of its own then, which a list would replace."""
    with pytest.raises(
        ProjectError, match=r"itself lists no markdown_extensions; in the file that does, or in a whole"
    ):
        with_entry("site_name: x\n", Path("mkdocs.yml"), "markdown_extensions", {})


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("site_name: x", "site_name: x\n\nplugins:\n  - search\n  - samedevice\n"),
        ("plugins: [tags]  # all\nnav: []\n", "plugins: [tags, samedevice]  # all\nnav: []\n"),
        ("plugins:\n  - a\n\nplugins:\n  - b\n", "plugins:\n  - a\n\nplugins:\n  - b\n  - samedevice\n"),
        ("plugins: [ tags, ]\n", "plugins: [ tags, samedevice, ]\n"),
        ("a: b\nplugins: [\n  search\n]\n", "a: b\nplugins: [\n  search, samedevice\n]\n"),
        ("plugins: &all [search]\n", "plugins: &all [search, samedevice]\n"),
        ("{plugins: [a]}\n", "{plugins: [a, samedevice]}\n"),
        ("plugins:\n- a\n- b: {c: 1}\n\n# d\nnav: []\n", "plugins:\n- a\n- b: {c: 1}\n- samedevice\n\n# d\nnav: []\n"),
        ("plugins:\r\n  - a:\r\n      b: c\r\n", "plugins:\r\n  - a:\r\n      b: c\r\n  - samedevice\r\n"),
        ("plugins: # ours\n  # one\n  - tags", "plugins: # ours\n  # one\n  - tags\n  - samedevice\n"),
        ("plugins:\n  a:\nb: !ENV [A, 1]\n", "plugins:\n  a:\n  samedevice: {}\nb: !ENV [A, 1]\n"),
    ],
)
def test_a_plugin_is_added_as_its_list_is_written(before: str, after: str) -> None:
    """Comments, indents and line ends stay."""
    assert with_entry(before, Path("mkdocs.yml"), "plugins", {}) == after


def test_a_list_that_is_written_otherwise_is_left() -> None:
    """Whoever wrote it adds the line."""
    with pytest.raises(ProjectError, match=r"mkdocs\.yml was not changed: its list .*; add this below plugins:"):
        with_entry("plugins: []\n", Path("mkdocs.yml"), "plugins", {})
