"""A site whose made pages and search entries are kept: what is made again, and that nobody can tell from the site."""

from __future__ import annotations

import json
import logging
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import jinja2
import pytest
from click.testing import CliRunner
from mkdocs.__main__ import cli
from mkdocs.config.defaults import MkDocsConfig

from same_device_site.markers import Reference
from samedevice.integration import maker
from samedevice.project import CACHE, RECORDINGS
from samedevice.weaving.weave import weave

CONFIG = """\
site_name: Made
theme:
  name: material
  font: false
  custom_dir: overrides
plugins: [search, samedevice]
markdown_extensions: [toc: {permalink: true}]
"""
PAGES = {
    "index.md": "# Home\n\nWords [to it](page.md).\n",
    "page.md": "---\ndescription: About it\n---\n\n# The page\n\n## Part\n\nOther words\n",
    "last.md": "# Last\n\nText\n",
}
ALL = ["index.md", "last.md", "page.md"]


class Site:
    """A site in a folder of its own, and the pages that the last build's templates and search index parsed."""

    def __init__(self, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        from material.plugins.search.plugin import SearchIndex

        self.root = root
        self.made: list[str] = []
        self.searched: list[str] = []
        render, add = jinja2.Template.render, SearchIndex.add_entry_from_context

        def noted(template: jinja2.Template, *rest: Any, **named: Any) -> str:
            page = dict(*rest, **named).get("page")
            self.made += [page.file.src_uri] if page else []
            return render(template, *rest, **named)

        def searched(index: SearchIndex, page: Any) -> None:
            self.searched.append(page.file.src_uri)
            add(index, page)

        monkeypatch.setattr(jinja2.Template, "render", noted)
        monkeypatch.setattr(SearchIndex, "add_entry_from_context", searched)
        (root / "overrides").mkdir()
        self.write("../mkdocs.yml", CONFIG)
        self.write("../overrides/main.html", '{% extends "base.html" %}')
        for name, text in PAGES.items():
            self.write(name, text)

    def write(self, name: str, text: str) -> None:
        """Write a file of the documentation folder."""
        (self.root / "docs" / name).write_text(text, encoding="utf-8")

    def build(self) -> None:
        """Build, as `mkdocs build` does."""
        self.made.clear()
        self.searched.clear()
        MkDocsConfig.plugins.plugin_cache.clear()
        result = CliRunner().invoke(cli, ["build", "-f", str(self.root / "mkdocs.yml")])
        assert result.exit_code == 0, result.output

    def files(self) -> dict[str, str]:
        """The pages as built, and the search index."""
        pages = [*(self.root / "site").rglob("*.html"), self.root / "site/search/search_index.json"]
        return {str(path): path.read_text(encoding="utf-8") for path in pages}


@pytest.fixture
def site(root: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Site]:
    """A site of three pages; MkDocs keeps plugins from build to build, this forgets them."""
    yield Site(root, monkeypatch)
    MkDocsConfig.plugins.plugin_cache.clear()
    logging.getLogger("mkdocs").setLevel(logging.NOTSET)


def test_a_page_that_did_not_change_is_neither_made_nor_searched_again(site: Site) -> None:
    """Both are most of a build in which nothing changed; the files are the same to the last character."""
    site.build()
    first = site.files()
    assert sorted(site.made) == sorted(site.searched) == ALL
    assert len(json.loads(first[str(site.root / "site/search/search_index.json")])["docs"]) == 4
    site.build()
    assert site.made == site.searched == []
    assert site.files() == first


def override(text: str) -> Callable[[Site], None]:
    """Change a template of the site."""
    return lambda site: site.write("../overrides/main.html", '{% extends "base.html" %}' + text)


CHANGES: dict[str, tuple[Callable[[Site], None], list[str], list[str]]] = {
    "its text": (lambda site: site.write("last.md", "# Last\n\nMore\n"), ["last.md"], ["last.md"]),
    "a title in the navigation": (lambda site: site.write("last.md", "# New\n\nText\n"), ALL, ["last.md"]),
    "the front matter of a page": (
        lambda site: site.write("page.md", PAGES["page.md"].replace("About it", "On it")),
        ALL,
        ["page.md"],
    ),
    "a new page": (lambda site: site.write("new.md", "# New\n"), sorted([*ALL, "new.md"]), ["new.md"]),
    "a template": (override("{% block announce %}Hear{% endblock %}"), ALL, []),
    "the configuration": (lambda site: site.write("../mkdocs.yml", CONFIG.replace("Made", "Built")), ALL, []),
    "the theme": (
        lambda site: site.write(
            "../mkdocs.yml", CONFIG.replace("font: false", "font: false\n  features: [toc.follow]")
        ),
        ALL,
        [],
    ),
    "the address of the site": (
        lambda site: site.write("../mkdocs.yml", f"{CONFIG}site_url: https://example.org/\n"),
        ALL,
        [],
    ),
}


@pytest.mark.parametrize(("change", "made", "searched"), CHANGES.values(), ids=CHANGES.keys())
def test_a_page_is_made_again_when_something_changes_that_it_is_made_from(
    site: Site, change: Callable[[Site], None], made: list[str], searched: list[str]
) -> None:
    """A site that shows yesterday's page is worse than a slow one; it is the site that a first build makes."""
    site.build()
    change(site)
    site.build()
    assert (sorted(site.made), sorted(site.searched)) == (made, searched)
    built = site.files()
    for kept in (site.root / CACHE).rglob("*.json"):
        kept.unlink()
    site.build()
    assert site.files() == built


def test_a_page_with_blocks_and_a_history_is_not_made_again(site: Site, light_torch: None) -> None:
    """What the template is told of the last commit once kept every such page from being kept."""

    def commit(subject: str, text: str) -> None:
        site.write("page.md", f"# Code\n\n```python\nprint('printed')\n```\n\n{text}\n")
        who = ["-c", "user.name=A", "-c", "user.email=a@example.org"]
        for command in (["init", "-q"], ["add", "."], [*who, "commit", "-q", "-m", subject]):
            subprocess.run(["git", *command], cwd=site.root, check=True)

    override("{% block announce %}{{ samedevice and samedevice.changed.subject }}{% endblock %}")(site)
    site.write("../.gitignore", ".cache\nsite\n")
    commit("Write a page", "Text")
    site.build()
    assert "Write a page" in site.files()[str(site.root / "site/page/index.html")]
    site.build()
    assert site.made == []
    commit("Say more", "More text")
    site.build()
    assert site.made == ["page.md"]
    assert "Say more" in site.files()[str(site.root / "site/page/index.html")]


def swap(site: Site, path: str, old: str, new: str) -> None:
    """Replace a text in the files of the site that a pattern finds."""
    for file in site.root.glob(path):
        text = file.read_text(encoding="utf-8")
        assert old in text
        file.write_text(text.replace(old, new), encoding="utf-8")


def print_more(site: Site) -> None:
    """Have the page's program print something else, and have it run again."""
    site.write("../snippets/p.py.txt", "more")
    for kept in site.root.glob(".cache/samedevice/cpu-*/page.json"):
        kept.unlink()


WOVEN: dict[str, Callable[[Site], None]] = {
    "its text": lambda site: swap(site, "docs/page.md", "Text", "Words"),
    "a program": lambda site: swap(site, "snippets/p.py", "name", "text"),
    "a diagram": lambda site: swap(site, "docs/assets/diagrams/d.svg", "<g/>", "<g></g>"),
    "a recording": lambda site: swap(site, "tests/recordings/*/page.json", "2026", "2025"),
    "what was printed here": print_more,
    "the address of the site": lambda site: swap(
        site, "mkdocs.yml", "site_name", "site_url: https://a.org/\nsite_name"
    ),
}


@pytest.mark.parametrize("change", WOVEN.values(), ids=WOVEN.keys())
def test_a_page_is_woven_again_when_something_changes_that_it_is_made_from(
    site: Site, light_torch: None, monkeypatch: pytest.MonkeyPatch, change: Callable[[Site], None]
) -> None:
    """The outputs, and the files to take along, are those of the page as it is."""
    woven = []
    monkeypatch.setattr(maker, "weave", lambda page, *rest: woven.append(page.path) or weave(page, *rest))
    for folder in ("snippets", "docs/assets/diagrams"):
        (site.root / folder).mkdir(parents=True)
    site.write("../snippets/p.py", "name = __file__ + '.txt'\nprint(open(name).read())\n")
    site.write("../snippets/p.py.txt", "some")
    site.write("assets/diagrams/d.svg", '<svg xmlns="http://www.w3.org/2000/svg"><g/></svg>')
    site.write("page.md", '# P\n\nText\n\n![D](assets/diagrams/d.svg)\n\n```python file="snippets/p.py"\n```\n')
    site.build()
    kept = next(site.root.glob(".cache/samedevice/cpu-*/page.json"))
    recorded = site.root / RECORDINGS / kept.parent.name / "page.json"
    recorded.parent.mkdir(parents=True)
    recorded.write_bytes(kept.read_bytes())
    site.build()
    before = woven.copy()
    site.build()
    assert woven == before
    change(site)
    site.build()
    assert woven[: len(before)] == before
    assert "docs/page.md" in woven[len(before) :]


def test_what_is_wrong_with_a_page_is_told_in_every_build(site: Site, light_torch: None) -> None:
    """The second strict build must fail as the first did."""
    site.write("page.md", "# P\n\n```python\n1\n```\n")
    said = []
    for _ in range(2):
        MkDocsConfig.plugins.plugin_cache.clear()
        said.append(CliRunner().invoke(cli, ["build", "--strict", "-f", str(site.root / "mkdocs.yml")]))
    assert [one.exit_code for one in said] == [1, 1]
    assert all("1 blocks from here on are not recorded on cpu as they stand" in one.output for one in said)


def test_what_is_made_from_all_pages_is_made_again_when_one_of_them_changes(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And when a recording does; else the last build's is taken."""
    made = []
    make = Reference.make
    monkeypatch.setattr(Reference, "make", lambda self, page: made.append(page.path) or make(self, page))
    site.write("last.md", "# Last\n\n<!-- samedevice: status -->\n")
    site.build()
    site.build()
    assert made == ["docs/last.md"]
    site.write("page.md", PAGES["page.md"] + '\n```python needs="cuda"\n1\n```\n')
    site.build()
    assert "needs CUDA" in site.files()[str(site.root / "site/last/index.html")]
    recording = site.root / RECORDINGS / "cuda-2.13.0/page.json"
    recording.parent.mkdir(parents=True)
    recording.write_text("{}", encoding="utf-8")
    site.build()
    assert made == ["docs/last.md"] * 3


@pytest.mark.parametrize("markers", ["<!-- samedevice: apis -->", "<!-- samedevice: status -->\n\n" * 2])
def test_a_page_that_asks_for_another_part_gets_it(site: Site, markers: str) -> None:
    """No other page changed, and no heading."""
    site.write("last.md", "# Last\n\n<!-- samedevice: status -->\n")
    site.build()
    site.write("last.md", f"# Last\n\n{markers}\n")
    site.build()
    built = site.files()
    for kept in (site.root / CACHE).rglob("*.json"):
        kept.unlink()
    site.build()
    assert site.files() == built


def test_a_theme_that_writes_the_time_is_made_in_every_build(site: Site) -> None:
    """The time of another build would be wrong."""
    override("{% block announce %}{{ build_date_utc }}{% endblock %}")(site)
    site.build()
    site.build()
    assert sorted(site.made) == ALL
