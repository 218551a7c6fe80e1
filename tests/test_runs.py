"""Runs: each page once on each device, and told once."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from samedevice.page import Page
from samedevice.runs import UNCHANGED, Runs

TWO = "```python\nprint('one')\n```\n\n```python\nprint('two')\n```\n"


@pytest.fixture
def page(one_server: object, write: Callable[..., Page]) -> Page:
    """A page of two blocks, run by the one fork server."""
    return write(TWO)


@pytest.mark.parametrize("record", [False, True])
def test_a_page_runs_once_and_not_past_what_was_selected(root: Path, page: Page, record: bool) -> None:
    """But whole, where it is recorded."""
    runs = Runs(root, ("cpu",), record, asked=False)
    try:
        runs.start([(page, "cpu", 0)])
        run = runs.result(page, "cpu")
        assert runs.result(page, "cpu") is run
    finally:
        runs.close()
    assert [output is not None for output in run.outputs] == [True, record]


def test_what_was_done_is_told_once(root: Path, page: Page) -> None:
    """Each block of the page asks for it."""
    said = []
    for _ in range(2):
        runs = Runs(root, ("cpu",), record=True, asked=False)
        try:
            run = runs.result(page, "cpu")
            said.append([runs.write(page, "cpu", run), runs.write(page, "cpu", run)])
        finally:
            runs.close()
    assert said == [["recorded docs/page.md on cpu: 2 blocks", ""], [f"{UNCHANGED}docs/page.md on cpu", ""]]


def test_runs_that_nothing_was_asked_of_start_no_process(root: Path) -> None:
    """`pytest --collect-only` would wait for torch."""
    runs = Runs(root, ("cpu",), record=False, asked=False)
    runs.close()
    assert runs.sessions is None
