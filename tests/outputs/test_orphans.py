"""Recordings without a page are reported with what to do, and kept where their page only cannot be read."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from samedevice.outputs.environments import Environment
from samedevice.outputs.output import Figure, Output
from samedevice.outputs.recording_files import Recordings, orphans
from samedevice.outputs.recordings import update
from samedevice.pages.page import Page

HERE = Environment("cuda", "NVIDIA H200", "2.13.0+cu130", "3.11.7", "580.95.05", "2026-11-21")
FOLDER = Path("tests/recordings")
GONE = "tests/recordings/topic/old.json: there is no page docs/topic/old"


@pytest.fixture
def page(root: Path, write: Callable[..., Page]) -> Page:
    """A page with a figure, recorded."""
    page = write("```python\none\n```\n", "docs/topic/old.md")
    found = update(None, page, HERE, [Output(figures=(Figure("<svg/>", "A line."),))])
    assert found is not None
    Recordings(root, FOLDER).save(page, found)
    return page


def test_a_recording_with_its_page_is_no_stray(root: Path, page: Page) -> None:
    """Nor are its figures, nor is one of a page that cannot be read: that is only looked for, and not into."""
    assert list(orphans(root)) == []


def test_a_recording_whose_page_is_gone_is_told(root: Path, page: Page) -> None:
    """What it holds may be the only output of a GPU: a page with another name takes it along."""
    (root / page.path).unlink()
    advice = "; if it has another name now, rename this file and its figures alike; else delete them with git rm"
    assert list(orphans(root)) == [GONE + advice]


def test_a_figure_that_no_recording_names_is_told(root: Path, page: Page) -> None:
    """A run that was killed may leave one."""
    (root / FOLDER / "topic/old@0123.svg").write_text("<svg/>")
    (root / FOLDER / "none@0123.svg").write_text("<svg/>")
    told = "this figure belongs to no recording; delete it"
    places = ("tests/recordings/none@0123.svg", "tests/recordings/topic/old@0123.svg")
    assert list(orphans(root)) == [f"{place}: {told}" for place in places]
