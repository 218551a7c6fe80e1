"""programs: which pages a program of snippets/ is tested by."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from same_device_site.settings import SETTINGS
from samedevice.pages.page import Page
from samedevice.pages.parsing import pages_for, programs_of

FILE, PART = '```python file="snippets/a.py"\n```\n', '```python file="snippets/a.py" part="x"\n```\n'
COMMAND = "```console\n$ torchrun snippets/b.py --steps 2\n```\n"


@pytest.fixture
def programs(root: Path) -> Path:
    """A repository with two programs."""
    (root / "snippets").mkdir()
    (root / "snippets/a.py").write_text("# region x\nx = 1\n# endregion\n")
    (root / "snippets/b.py").write_text("x = 2\n")
    return root


@pytest.mark.parametrize("text", [FILE, PART, COMMAND, "```python\nrun('snippets/a.py')\n```\n"])
def test_a_page_runs_the_programs_that_its_blocks_include_or_name(
    programs: Path, write: Callable[..., Page], text: str
) -> None:
    """In whichever way: their change is the block's change."""
    assert programs_of(write(text)) == ({"snippets/b.py"} if text == COMMAND else {"snippets/a.py"})


def test_a_program_that_is_only_mentioned_in_prose_is_not_run(programs: Path, write: Callable[..., Page]) -> None:
    """A link is no test."""
    assert programs_of(write("See `snippets/a.py`.\n")) == set()


def test_a_folder_stands_for_the_programs_in_it(programs: Path, write: Callable[..., Page]) -> None:
    """`pytest snippets` is what one types."""
    write(FILE, "docs/a.md")
    write(COMMAND, "docs/topic/b.md")
    write("# Prose\n", "docs/prose.md")
    assert pages_for([programs / "snippets"], programs, SETTINGS) == ["docs/a.md", "docs/topic/b.md"]
    assert pages_for([programs / "snippets/b.py"], programs, SETTINGS) == ["docs/topic/b.md"]
    assert pages_for([programs / "snippets/b"], programs, SETTINGS) == []


def test_a_page_that_cannot_be_read_is_among_them(programs: Path, write: Callable[..., Page]) -> None:
    """It might run the program, and its error must be told."""
    (programs / "docs/bad.md").write_text("```python\n")
    assert pages_for([programs / "snippets/a.py"], programs) == ["docs/bad.md"]
