"""What a built site has beside its pages."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from mkdocs.structure.files import File
from samedevice.integration.mkdocs.publishing import links_out, shrink

from samedevice.integration.downloads import write_exports


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


def test_style_and_script_lose_comments_and_take_in_those_of_the_engine(tmp_path: Path) -> None:
    """Also where a build before has done it; the site's own comes last, so that it may say otherwise."""
    docs, site, kept = tmp_path / "docs", tmp_path / "site", tmp_path / "kept.json"
    for folder in (docs, site):
        (folder / "assets").mkdir(parents=True)
    (site / "index.html").write_text('<p class="sd-figure"><p class="sd-head">')
    (docs / "assets/samedevice.css").write_text("/* why */\na::after { content: '/* no */'; }\n")
    (docs / "assets/samedevice.js").write_text('/* why */\nconst a = "// no";  // end\n')
    shrink(site, docs, kept)
    shrink(site, docs, kept)
    style, script = ((site / f"assets/samedevice.{kind}").read_text() for kind in ("css", "js"))
    assert style.endswith("}a::after{content:'/* no */'}")
    assert script.endswith('const a="// no";')
    assert style.count("a::after{content:") == script.count("const a=") == 1
    assert style.count(".sd-figure,.sd-head{break-inside:avoid}") == 1
    assert "[data-bs-theme" not in style  # no page has it
    assert "/* " not in style.removesuffix("'/* no */'}")


def test_a_site_without_a_style_of_its_own_keeps_that_of_the_engine(tmp_path: Path) -> None:
    """And a site of somebody else has neither."""
    docs, style = tmp_path / "docs", tmp_path / "site/assets/samedevice/outputs.css"
    shrink(tmp_path / "site", docs, tmp_path / "kept.json")
    style.parent.mkdir(parents=True)
    style.write_text("/* why */\na { top: 0; }\n")
    shrink(tmp_path / "site", docs, tmp_path / "kept.json")
    assert style.read_text() == "a{top:0}"


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
