"""A site whose pages are kept as HTML: what is rendered again, what is not, and that nobody can tell from the site."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from mkdocs.__main__ import cli
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.pages import Page

from samedevice.integration.mkdocs.page_cache import lean
from samedevice.project import CACHE

CONFIG = """\
site_name: Kept
theme: mkdocs
plugins: [samedevice]
markdown_extensions:
  - toc: {permalink: "LINK"}
  - pymdownx.snippets: {base_path: [!relative $docs_dir], auto_append: [glossary.txt]}
  - abbr
validation: {anchors: warn}
"""
PAGES = {
    "index.md": "# Home\n\n[To it](page.md#part)\n",
    "page.md": "# The page\n\n## Part\n\n### Deeper\n\nCPU, [up](#part) and [home](index.md)\n\n## Last\n",
    "glossary.txt": "*[CPU]: a processor\n",
}


class Site:
    """A site in a folder of its own, and the names of the pages that its last build rendered."""

    def __init__(self, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.root = root
        self.rendered: list[str] = []
        render = Page.render

        def noted(page: Page, *rest: object) -> None:
            self.rendered.append(page.file.src_uri)
            render(page, *rest)  # type: ignore[arg-type]

        monkeypatch.setattr(Page, "render", noted)
        self.write("../mkdocs.yml", CONFIG)
        for name, text in PAGES.items():
            self.write(name, text)

    def write(self, name: str, text: str) -> None:
        """Write a file of the documentation folder."""
        (self.root / "docs" / name).write_text(text, encoding="utf-8")

    def build(self, *options: str) -> Result:
        """Build, as `mkdocs build` does."""
        self.rendered.clear()
        MkDocsConfig.plugins.plugin_cache.clear()
        return CliRunner().invoke(cli, ["build", "-f", str(self.root / "mkdocs.yml"), *options])

    def files(self) -> dict[str, str]:
        """The pages as built, without the line that names the time."""
        pages = (self.root / "site").rglob("*.html")
        return {str(path): path.read_text(encoding="utf-8").partition("<!--\nMkDocs version")[0] for path in pages}


@pytest.fixture
def site(root: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Site]:
    """A site of two pages; MkDocs keeps plugins from build to build, this forgets them."""
    yield Site(root, monkeypatch)
    MkDocsConfig.plugins.plugin_cache.clear()
    logging.getLogger("mkdocs").setLevel(logging.NOTSET)


def test_a_page_that_did_not_change_is_not_rendered_and_looks_the_same(site: Site) -> None:
    """Headings, permalinks, title and links too: the whole file is the same."""
    site.build("--strict")
    first = site.files()
    assert sorted(site.rendered) == ["index.md", "page.md"]
    site.build("--strict")
    assert site.rendered == []
    assert site.files() == first
    assert '<abbr title="a processor">CPU</abbr>' in first[str(site.root / "site/page/index.html")]


CHANGES: dict[str, tuple[Callable[[Site], None], list[str]]] = {
    "its text": (lambda site: site.write("page.md", PAGES["page.md"] + "more\n"), ["page.md"]),
    "a page that links may lead to": (lambda site: site.write("new.md", "# New\n"), ["index.md", "new.md", "page.md"]),
    "a text that stands on every page": (
        lambda site: site.write("glossary.txt", "*[CPU]: what computes\n"),
        ["index.md", "page.md"],
    ),
    "an option of an extension": (
        lambda site: site.write("../mkdocs.yml", CONFIG.replace("LINK", "#")),
        ["index.md", "page.md"],
    ),
    "an extension": (
        lambda site: site.write("../mkdocs.yml", CONFIG.replace("  - abbr\n", "")),
        ["index.md", "page.md"],
    ),
    "what is validated": (
        lambda site: site.write("../mkdocs.yml", CONFIG.replace("anchors: warn", "anchors: info")),
        ["index.md", "page.md"],
    ),
    "the addresses of pages": (
        lambda site: site.write("../mkdocs.yml", CONFIG + "use_directory_urls: false\n"),
        ["index.md", "page.md"],
    ),
}


@pytest.mark.parametrize(("change", "rendered"), CHANGES.values(), ids=CHANGES.keys())
def test_a_page_is_rendered_again_when_something_changes_that_it_is_made_from(
    site: Site, change: Callable[[Site], None], rendered: list[str]
) -> None:
    """A site that shows yesterday's page is worse than a slow one; it is the site that a first build makes."""
    site.build()
    change(site)
    assert site.build().exit_code == 0
    assert sorted(site.rendered) == rendered
    built = site.files()
    for kept in (site.root / CACHE).rglob("*.json"):
        kept.unlink()
    site.build()
    assert site.files() == built


def test_a_bad_link_is_told_in_every_build(site: Site) -> None:
    """The second strict build must fail as the first did, also after one that was told to be quiet."""
    site.write("index.md", "# Home\n\n[To it](gone.md)\n")
    site.build("--quiet")
    for _ in range(2):
        logging.getLogger("mkdocs").setLevel(logging.NOTSET)
        said = site.build("--strict")
        assert said.exit_code != 0
        assert "contains a link 'gone.md', but the target is not found" in said.output


def test_a_quiet_build_takes_what_is_kept(site: Site) -> None:
    """There was nothing to say about it."""
    site.build()
    site.build("--quiet")
    assert site.rendered == []


def test_an_anchor_that_goes_is_told_though_the_page_that_links_to_it_is_kept(site: Site) -> None:
    """The page with the link did not change."""
    site.build()
    site.write("page.md", PAGES["page.md"].replace("## Part", "## Piece"))
    said = site.build().output
    assert site.rendered == ["page.md"]
    assert "'page.md#part', but the doc 'page.md' does not contain an anchor '#part'" in said
    assert "'#part', but there is no such anchor on this page" in said


def test_a_page_that_includes_a_file_follows_it(site: Site) -> None:
    """Which files those are, and how, the extension alone knows."""
    site.write("part.txt", "first")
    site.write("index.md", '# Home\n\n--8<-- "part.txt"\n')
    site.build()
    site.write("part.txt", "second")
    site.build()
    assert site.rendered == ["index.md"]
    assert "second" in site.files()[str(site.root / "site/index.html")]


def test_code_reads_the_same_with_fewer_elements(
    render: Callable[[str], str], code_blocks: Callable[[str], list[tuple[str, str]]]
) -> None:
    """A phone lays out each element, and three of four tokens had one for nothing."""
    code = "import torch\n\nx = [f(a, b=1) for a in y if a < 2 and not b]  # a & b\n"
    html = render(f"```python\n{code}```\n")
    assert code_blocks(lean(html)) == code_blocks(html) == [("python", code)]
    assert lean(html).count("<span") < html.count("<span") / 2
    assert all(f'<span class="{kind}">' in lean(html) for kind in ("kn", "mi", "ow", "c1"))
