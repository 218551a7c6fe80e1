"""What a page is read from: a file of the repository, in UTF-8; and which pages run a program."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from same_device_site.settings import SETTINGS, parse_page
from samedevice.errors import PageError
from samedevice.pages.page import Page
from samedevice.pages.parsing import inside, is_own, pages_for, programs_of, read_page


def test_a_byte_order_mark_and_the_line_ends_of_windows_are_no_part_of_the_text(root: Path) -> None:
    """Some editors write both."""
    path = root / "docs/page.md"
    path.write_bytes(b"\xef\xbb\xbf# Title\r\n\r\nText\r\n")
    assert read_page(path, root) == "# Title\n\nText\n"


def test_a_page_that_cannot_be_read_is_an_error_that_says_why(root: Path) -> None:
    """It may have been deleted while the site was built."""
    with pytest.raises(PageError, match=r"docs/page\.md:1: this page cannot be read \(No such file or directory\)"):
        read_page(root / "docs/page.md", root)
    (root / "docs/page.md").mkdir()
    with pytest.raises(PageError, match=r"docs/page\.md:1: this page cannot be read \(Is a directory\)"):
        read_page(root / "docs/page.md", root)


@pytest.mark.skipif(sys.platform == "win32", reason="only an administrator makes links there")
def test_what_a_link_leads_to_decides_whether_it_is_inside(
    root: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """A link may lead out of the repository and in again."""
    other = tmp_path_factory.mktemp("other")
    (other / "back").symlink_to(root)
    links: dict[str, Path | str] = {"out": other, "in": root / "docs", "round": other / "back/docs", "circle": "circle"}
    for name, target in links.items():
        (root / name).symlink_to(target)
    found = {name: inside(root / name, root) for name in ("docs", "out", "in", "round", "circle", "../x", "none")}
    assert found == dict(zip(found, (True, False, True, True, False, False, True), strict=True))


@pytest.mark.skipif(sys.platform == "win32", reason="only an administrator makes links there")
def test_a_program_outside_of_the_repository_is_neither_read_nor_published(root: Path) -> None:
    """The text of each file that a command names goes into the notebook that readers download."""
    (root.parent / "secret.txt").write_text("secret")
    (root / "snippets").mkdir()
    (root / "snippets/linked.txt").symlink_to(root.parent / "secret.txt")
    path = root / "docs/page.md"
    for name in ("snippets/../../secret.txt", "snippets/linked.txt"):
        assert not is_own(root / name, root)
    path.write_text('```python file="snippets/linked.txt"\n```\n')
    with pytest.raises(PageError, match=r'docs/page\.md:1: file="snippets/linked\.txt" leaves the repository'):
        parse_page(path, root)


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
