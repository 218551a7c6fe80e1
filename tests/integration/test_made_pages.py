"""Woven pages are kept: which are woven again, and what is told in every build."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from mkdocs.__main__ import cli
from mkdocs.config.defaults import MkDocsConfig

from samedevice.integration import page_weaver
from samedevice.project import RECORDINGS
from samedevice.weaving.weave import weave

CONFIG = """\
site_name: Made
theme: mkdocs
plugins: [samedevice]
"""


class Site:
    """A site in a folder of its own."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.write("../mkdocs.yml", CONFIG)

    def write(self, name: str, text: str) -> None:
        """Write a file of the documentation folder."""
        (self.root / "docs" / name).write_text(text, encoding="utf-8")

    def build(self, *options: str) -> Result:
        """Build, as `mkdocs build` does; MkDocs keeps plugins from build to build, this forgets them."""
        MkDocsConfig.plugins.plugin_cache.clear()  # type: ignore[attr-defined]
        return CliRunner().invoke(cli, ["build", "-f", str(self.root / "mkdocs.yml"), *options])


@pytest.fixture
def site(root: Path, one_server: object) -> Iterator[Site]:
    """A site without pages."""
    yield Site(root)
    MkDocsConfig.plugins.plugin_cache.clear()  # type: ignore[attr-defined]
    logging.getLogger("mkdocs").setLevel(logging.NOTSET)


def swap(site: Site, path: str, old: str, new: str) -> None:
    """Replace a text in the file of the site that a pattern finds."""
    (file,) = site.root.glob(path)
    text = file.read_text(encoding="utf-8")
    assert old in text
    file.write_text(text.replace(old, new), encoding="utf-8")


def print_more(site: Site) -> None:
    """Have the page's program print something else, and have it run again."""
    site.write("../snippets/p.py.txt", "more")
    (site.root / ".cache/samedevice/outputs/page.json").unlink()


WOVEN: dict[str, Callable[[Site], None]] = {
    "its text": lambda site: swap(site, "docs/page.md", "Text", "Words"),
    "a program": lambda site: swap(site, "snippets/p.py", "name", "text"),
    "a diagram": lambda site: swap(site, "docs/assets/diagrams/d.svg", "<g/>", "<g></g>"),
    "a recording": lambda site: swap(site, "tests/recordings/page.json", '"day": "20', '"day": "19'),
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
    monkeypatch.setattr(page_weaver, "weave", lambda page, *rest: woven.append(page.path) or weave(page, *rest))
    for folder in ("snippets", "docs/assets/diagrams"):
        (site.root / folder).mkdir(parents=True)
    site.write("../snippets/p.py", "name = __file__ + '.txt'\nprint(open(name).read())\n")
    site.write("../snippets/p.py.txt", "some")
    site.write("assets/diagrams/d.svg", '<svg xmlns="http://www.w3.org/2000/svg"><g/></svg>')
    site.write("page.md", '# P\n\nText\n\n![D](assets/diagrams/d.svg)\n\n```python file="snippets/p.py"\n```\n')
    site.build()
    kept = next(site.root.glob(".cache/samedevice/outputs/page.json"))
    recorded = site.root / RECORDINGS / "page.json"
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
    said = [site.build("--strict") for _ in range(2)]
    assert [one.exit_code for one in said] == [1, 1]
    assert all("1 blocks from here on are not recorded on cpu as they stand" in one.output for one in said)
