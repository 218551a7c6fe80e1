"""The pages that `mkdocs serve` makes when they are asked for."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from made_site import CONFIG, GOOD, ROOT, Site
from mkdocs.commands.build import build
from mkdocs.config import load_config
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.livereload import LiveReloadServer

HOOKS = f"hooks: [{ROOT / 'src/same_device_site/on_demand.py'}]"
Ask = Callable[[str], tuple[str, str]]


@pytest.fixture
def config(site: Site) -> Iterator[MkDocsConfig]:
    """A site of three pages, as `mkdocs serve` reads it."""
    text = CONFIG.replace("hooks: []", HOOKS).replace("plugins: [", "plugins: [search, ").replace("nav: null", "")
    (site.root / "mkdocs.yml").write_text(text + "nav: [index.md, code.md]\n", encoding="utf-8")
    for name, page in {
        "index": "# Home\n\n[code](code.md#good)\n",
        "code": GOOD,
        "other": "# Other\n\nWords\n",
    }.items():
        (site.root / f"docs/{name}.md").write_text(page, encoding="utf-8")
    config = load_config(str(site.root / "mkdocs.yml"))
    config.plugins.on_startup(command="serve", dirty=False)
    yield config
    config.plugins.on_shutdown()
    (module,) = dict(config.hooks).values()  # type: ignore
    module.first, module.serving = None, False


def pages(config: MkDocsConfig) -> set[str]:
    """The pages that are made."""
    made = Path(config.site_dir)
    return {path.relative_to(made).as_posix() for path in made.rglob("index.html")}


@pytest.fixture
def served() -> Iterator[Callable[[MkDocsConfig], Ask]]:
    """Serves a site that was built; ask it for a path, and it gives the status and the text of its answer."""
    with ExitStack() as closing:

        def served(config: MkDocsConfig) -> Ask:
            server = LiveReloadServer(lambda: None, "127.0.0.1", 0, root=config.site_dir)
            closing.callback(server.server_close)
            config.plugins.on_serve(server, config=config, builder=None)
            said: list[str] = []

            def ask(path: str) -> tuple[str, str]:
                body: Any = server.get_app()({"PATH_INFO": path}, lambda status, _: said.append(status))  # type: ignore
                if hasattr(body, "close"):
                    closing.callback(body.close)
                return said.pop(), b"".join(body).decode()

            return ask

        yield served


def test_the_first_build_makes_the_home_page_and_each_other_is_made_when_it_is_asked_for(
    served: Callable[[MkDocsConfig], Ask],
    config: MkDocsConfig,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    """Nothing is made twice, the navigation has the titles, links are known, and a wrong address is none."""
    (module,) = dict(config.hooks).values()  # type: ignore
    monkeypatch.setattr(module.OnDemand, "make_rest", lambda _: None)
    build(config, serve_url="http://127.0.0.1/")
    assert pages(config) == {"index.html"}
    home = Path(config.site_dir, "index.html").read_text(encoding="utf-8")
    assert 'href="code/"' in home
    assert "Good</a>" in home
    assert "excluded" not in caplog.text
    ask = served(config)
    assert "Words" in ask("/other/")[1]
    assert pages(config) == {"index.html", "other/index.html"}
    monkeypatch.undo()
    status, code = ask("/code/")
    assert status == "200 OK"
    assert "by the page" in code
    module.first.make_rest()
    assert pages(config) == {"index.html", "code/index.html", "other/index.html"}
    assert ask("/missing/")[0] == "404 Not Found"


def test_what_is_made_of_all_pages_waits_for_them(served: Callable[[MkDocsConfig], Ask], config: MkDocsConfig) -> None:
    """The index of the search has every page, and there are the downloads."""
    build(config, serve_url="http://127.0.0.1/")
    ask = served(config)
    found = json.loads(ask("/search/search_index.json")[1])
    assert {entry["location"].partition("#")[0] for entry in found["docs"]} == {"", "code/", "other/"}
    assert "print(" in ask("/code.py")[1]


def test_a_page_that_cannot_be_made_keeps_no_other_from_readers(
    served: Callable[[MkDocsConfig], Ask], site: Site, config: MkDocsConfig, caplog: pytest.LogCaptureFixture
) -> None:
    """It is told, and is not there."""
    (site.root / "docs/code.md").write_text("---\ntemplate: missing.html\n---\n# Good\n", encoding="utf-8")
    build(config, serve_url="http://127.0.0.1/")
    ask = served(config)
    assert "other/" in ask("/search/search_index.json")[1]
    assert "code/ cannot be shown" in caplog.text
    assert ask("/code/")[0] == "404 Not Found"
    assert ask("/other/")[0] == "200 OK"


def test_a_later_build_makes_all_pages(served: Callable[[MkDocsConfig], Ask], site: Site, config: MkDocsConfig) -> None:
    """Whoever saves a page while the rest is made sees it, and nothing is made beside MkDocs."""
    build(config, serve_url="http://127.0.0.1/")
    (site.root / "docs/other.md").write_text("# Other\n\nSaved\n", encoding="utf-8")
    again = load_config(str(site.root / "mkdocs.yml"), site_dir=config.site_dir)
    build(again, serve_url="http://127.0.0.1/")
    assert pages(again) == {"index.html", "code/index.html", "other/index.html"}
    ask = served(again)
    assert "Saved" in ask("/other/")[1]
    assert "code/" in ask("/search/search_index.json")[1]


def test_mkdocs_build_makes_all_pages(site: Site, config: MkDocsConfig) -> None:
    """The site that is published does not wait for readers."""
    config.plugins.on_startup(command="build", dirty=False)
    build(config)
    assert pages(config) == {"index.html", "code/index.html", "other/index.html"}
