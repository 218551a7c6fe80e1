"""The text of a page as it is on the disk, and what lies inside of the repository."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from same_device_site.settings import parse_page
from samedevice.errors import PageError
from samedevice.pages.parsing import inside, is_own, read_page


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
