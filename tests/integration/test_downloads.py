"""What a built site has beside its pages."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from mkdocs.structure.files import File

from samedevice.integration.mkdocs.build import links_out, write_exports


def test_each_page_gets_its_files_and_the_site_a_list_and_a_whole(tmp_path: Path) -> None:
    """Readers take pages along, programs read them all."""
    exports = {"topic/page.md": {"md": "# Page\n\n", "py": "x = 1\n"}, "index.md": {"md": "# Home\n"}}
    write_exports(tmp_path, exports, "Title", "About it.", [("Page", "topic/page.md", "What it says.")])
    assert (tmp_path / "topic/page.md").read_text() == "# Page\n\n"
    assert (tmp_path / "topic/page.py").read_text() == "x = 1\n"
    assert (tmp_path / "llms-full.txt").read_text() == "# Page\n\n# Home\n"
    listed = (tmp_path / "llms.txt").read_text()
    assert listed.startswith("# Title\n")
    assert "topic/page.md" in listed


@pytest.mark.skipif(sys.platform == "win32", reason="links need a right of their own there")
def test_files_behind_links_out_of_the_repository_are_found(tmp_path: Path) -> None:
    """A pull request could publish any file of the machine that builds."""
    root = tmp_path / "repository"
    docs = root / "docs"
    docs.mkdir(parents=True)
    (tmp_path / "secret.txt").write_text("secret")
    (docs / "out.txt").symlink_to(tmp_path / "secret.txt")
    (docs / "own.txt").write_text("own")
    (docs / "within.txt").symlink_to("own.txt")
    files = [File(name, str(docs), "site", True) for name in ("out.txt", "own.txt", "within.txt")]
    files.append(File("theme.css", str(tmp_path), "site", True))
    assert [file.src_uri for file in links_out(files, docs, root)] == ["out.txt"]
