"""The pages that `mkdocs serve` makes when they are asked for."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from jinja2 import TemplateNotFound
from made_site import CONFIG, GOOD, ROOT, Site
from mkdocs.commands.build import build
from mkdocs.config import load_config
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.livereload import LiveReloadServer

from same_device_site import hooks

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
    module.pages, module.serving = None, False


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
            config.plugins.on_serve(server, config=config, builder=lambda: None)
            said: list[str] = []

            def ask(path: str) -> tuple[str, str]:
                body: Any = server.get_app()({"PATH_INFO": path}, lambda status, _: said.append(status))  # type: ignore
                if hasattr(body, "close"):
                    closing.callback(body.close)
                return said.pop(), b"".join(body).decode()

            return ask

        yield served


def test_a_build_makes_the_home_page_and_each_other_is_made_when_it_is_asked_for(
    served: Callable[[MkDocsConfig], Ask],
    config: MkDocsConfig,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    """Nothing is made twice, the navigation has the titles, links are known, and a wrong address is none."""
    (module,) = dict(config.hooks).values()  # type: ignore
    make_rest = module.OnDemand.make_rest
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
    make_rest(module.pages)
    assert pages(config) == {"index.html", "code/index.html", "other/index.html"}
    assert ask("/missing/")[0] == "404 Not Found"


def test_what_is_made_of_all_pages_waits_for_them(served: Callable[[MkDocsConfig], Ask], config: MkDocsConfig) -> None:
    """The index of the search has every page, and there are the downloads."""
    build(config, serve_url="http://127.0.0.1/")
    ask = served(config)
    found = json.loads(ask("/search/search_index.json")[1])
    locations = set(found["docs"]["columns"][0])
    assert {location for location in locations if not location.startswith("#")} == {"", "code/", "other/"}
    assert "print(" in ask("/code.py")[1]


def test_the_index_of_this_site_waits_for_the_pages_with_questions(
    served: Callable[[MkDocsConfig], Ask], config: MkDocsConfig
) -> None:
    """At the end of the build the home page alone is made, and a question would be of no section."""
    page = Path(config.docs_dir, "other.md")
    page.write_text("---\nasked:\n  words: |\n    Which?\n---\n# Other\n\n## Words\n\nHere.\n", encoding="utf-8")
    build(config, serve_url="http://127.0.0.1/")
    hooks.on_post_build(config=config)
    assert "Which?" in served(config)("/search/search_index.json")[1]


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


def test_a_saved_page_is_made_anew_when_it_is_asked_for(
    served: Callable[[MkDocsConfig], Ask], site: Site, config: MkDocsConfig, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And nothing of the build before comes back: what waits for that one waits for the next."""
    (module,) = dict(config.hooks).values()  # type: ignore
    make_rest = module.OnDemand.make_rest
    monkeypatch.setattr(module.OnDemand, "make_rest", lambda _: None)
    build(config, serve_url="http://127.0.0.1/")
    ask, before = served(config), module.pages
    assert "Words" in ask("/other/")[1]
    with ThreadPoolExecutor(1) as pool:
        asked = pool.submit(ask, "/search/search_index.json")
        (site.root / "docs/other.md").write_text("# Other\n\nSaved\n", encoding="utf-8")
        build(load_config(str(site.root / "mkdocs.yml"), site_dir=config.site_dir), serve_url="http://127.0.0.1/")
        assert before.stopped
        make_rest(before)
        assert pages(config) == {"index.html"}
        assert "Saved" in ask("/other/")[1]
        assert not asked.done()
        make_rest(module.pages)
        assert "Saved" in asked.result(60)[1]


def test_after_a_build_that_fails_the_next_one_is_shown(
    served: Callable[[MkDocsConfig], Ask], site: Site, config: MkDocsConfig
) -> None:
    """The author mends what was wrong, and reads on."""
    build(config, serve_url="http://127.0.0.1/")
    ask = served(config)
    again = load_config(str(site.root / "mkdocs.yml"), site_dir=config.site_dir)
    (site.root / "docs/index.md").write_text("---\ntemplate: missing.html\n---\n# Home\n", encoding="utf-8")
    with pytest.raises(TemplateNotFound):
        build(again, serve_url="http://127.0.0.1/")
    (module,) = dict(config.hooks).values()  # type: ignore
    assert module.built.is_set()
    assert module.pages is None
    (site.root / "docs/index.md").write_text("# Home\n", encoding="utf-8")
    build(load_config(str(site.root / "mkdocs.yml"), site_dir=config.site_dir), serve_url="http://127.0.0.1/")
    assert "Words" in ask("/other/")[1]


def test_mkdocs_build_makes_all_pages(site: Site, config: MkDocsConfig) -> None:
    """The site that is published does not wait for readers."""
    config.plugins.on_startup(command="build", dirty=False)
    build(config)
    assert pages(config) == {"index.html", "code/index.html", "other/index.html"}


def test_who_asks_while_a_build_begins_gets_the_new_page(
    served: Callable[[MkDocsConfig], Ask], site: Site, config: MkDocsConfig, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The server waits for that build, after we have seen that the page of the build before is there."""
    (module,) = dict(config.hooks).values()  # type: ignore
    monkeypatch.setattr(module.OnDemand, "make_rest", lambda _: None)
    build(config, serve_url="http://127.0.0.1/")
    answered, application = list[str](), LiveReloadServer.serve_request

    def late(server: Any, environ: Any, start_response: Any) -> Any:
        answered.append("x")
        if len(answered) == 1:
            (site.root / "docs/other.md").write_text("# Other\n\nSaved\n", encoding="utf-8")
            build(load_config(str(site.root / "mkdocs.yml"), site_dir=config.site_dir), serve_url="http://127.0.0.1/")
        return application(server, environ, start_response)

    monkeypatch.setattr(LiveReloadServer, "serve_request", late)
    status, page = served(config)("/other/")
    assert (status, len(answered)) == ("200 OK", 2)
    assert "Saved" in page
