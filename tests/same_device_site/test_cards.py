"""The pictures of shared links: each page has its tags once, with a card of its own or without, and the right title."""

from __future__ import annotations

import importlib.util
import re
import shutil
from collections.abc import Iterator
from html import unescape
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import matplotlib
import pytest
from click.testing import CliRunner
from mkdocs.__main__ import cli
from mkdocs.config.defaults import MkDocsConfig

from same_device_site.hooks import on_page_markdown

ROOT = Path(__file__).parents[2]
SOCIAL = re.search(r"  - social:.*\n.*\n", (ROOT / "mkdocs.yml").read_text(encoding="utf-8"))
CONFIG = f"""
site_name: Made up
site_url: https://example.org/docs/
site_description: About & about
use_directory_urls: false
markdown_extensions: [attr_list]
theme:
  {{name: material, custom_dir: {ROOT / "docs/overrides"}, font: false, logo: logo.svg}}
hooks: [{ROOT / "src/same_device_site/hooks.py"}]
plugins:
  - search
{SOCIAL and SOCIAL[0]}
"""
MESSAGE = "`'<' not supported between \"a\" and &` and `<class 'b'>`"
TITLE = MESSAGE.replace("`", "")
TAG = re.compile(r'<meta (?:property|name)="((?:og|twitter):[^"]+)" content="([^"]*)"')
OFF, ON = "false", "true"


@pytest.fixture(params=[OFF, ON], ids=["one card", "a card each"])
def tags(request: pytest.FixtureRequest, root: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[str, Any]]:
    """The setting, and the tags of a page of a site that is built with it; cairosvg, which draws, may be missing."""
    monkeypatch.chdir(ROOT)
    monkeypatch.setenv("NO_MKDOCS_2_WARNING", "1")
    monkeypatch.setenv("SAMEDEVICE_CARDS", request.param)
    fonts = root / ".cache/plugin/social/fonts"
    fonts.mkdir(parents=True)
    (fonts / "DejaVu").symlink_to(Path(matplotlib.get_data_path(), "fonts/ttf"))
    (root / "mkdocs.yml").write_text(CONFIG, encoding="utf-8")
    shutil.copy(ROOT / "docs/assets/logo.svg", root / "docs")
    (root / "docs/index.md").write_text(
        "---\ntitle: Home of it\ndescription: Begin here\n---\n# Home\n", encoding="utf-8"
    )
    (root / "docs/b.md").write_text(f"# {MESSAGE} {{ #err-b }}\n", encoding="utf-8")
    done = CliRunner().invoke(cli, ["build", "-f", str(root / "mkdocs.yml")])
    assert done.exit_code == 0, done.output
    yield request.param, lambda page: TAG.findall((root / f"site/{page}.html").read_text(encoding="utf-8"))
    drawn = {path.name for path in (root / "site").rglob("assets/images/social/*.png")}
    assert drawn == ({"index.png", "b.png"} if request.param == ON and importlib.util.find_spec("cairosvg") else set())
    MkDocsConfig.plugins.plugin_cache.clear()  # type: ignore[attr-defined]


def test_a_page_has_each_tag_once(tags: Any) -> None:
    """The plugin writes tags too, unless a layout has none; a title with quotes would end them."""
    setting, of = tags
    cards = setting == ON
    for name in ("index", "b", "404"):
        found = dict(of(name))
        assert len(found) == len(of(name)) == (9 if name == "404" else 10)
        own = f"images/social/{name}" if cards and name != "404" else "card"
        assert found["og:image"] == f"https://example.org/docs/assets/{own}.png"
        assert found["twitter:card"] == "summary_large_image"
    assert unescape(dict(of("b"))["og:title"]) == TITLE
    assert unescape(dict(of("b"))["og:image:alt"]) == (f"{TITLE}. About & about" if cards else "Made up. About & about")


@pytest.mark.parametrize(
    ("meta", "text", "expected"),
    [
        ({}, f"\n# {MESSAGE} {{ #err-b }}\n\n```python\n# no title\n```\n", TITLE),
        ({}, "# A page\n", "A page"),
        ({}, "# ``Expected `str`, got: `int` `` and `b` { #err-b }\n", "Expected `str`, got: `int` and b"),
        ({}, "# `x CUDNN_STATUS_EXECUTION_FAILED`", "x CUDNN_STATUS_EXECUTION_ FAILED"),
        ({"title": "Longer: a page"}, "# A page\n", "Longer: a page"),
        ({}, "No title\n", "its file"),
    ],
)
def test_a_card_has_the_title_of_its_page_without_markup(meta: dict[str, Any], text: str, expected: str) -> None:
    """MkDocs's own title has the markup, or has it no more, by the moment at which the plugin asks."""
    page: Any = SimpleNamespace(meta=meta, title="its file")
    on_page_markdown(text, page=page)
    assert meta["social"]["cards_layout_options"]["title"] == expected
