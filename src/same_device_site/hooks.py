"""hooks: what this site has beside the engine under MkDocs and ProperDocs, which take it as a plugin.

mkdocs.yml names this file below `hooks`, since an entry point would be one of the engine's package.
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.plugins import event_priority
from mkdocs.structure.nav import Navigation
from mkdocs.structure.pages import Page
from mkdocs.utils.templates import TemplateContext

from same_device_site.course import lessons
from same_device_site.history import feed, last_changes, read_history
from same_device_site.listings import lean, with_breaks
from same_device_site.page_head import with_head
from same_device_site.repository import VARIABLE, Repository
from same_device_site.search_index import write
from same_device_site.settings import page_paths

EXTENSION = "same_device_site.extension"
HEADING = re.compile(r"^# (.+?)(?: \{ #\S+ \})?$", re.MULTILINE)
"""The title of a page, without its id."""
CODE = re.compile(r"(`+) ?(.+?) ?(?<!`)\1(?!`)")
"""Code in a title, which may hold backticks of its own between two of them."""
WIDE = re.compile(r"(?=\S{33}|[A-Z_]{28})\S{1,26}[._/(]")
"""Where a name that is wider than a card, in which lines break at spaces alone, can break."""
EARLY = 100
"""The priority of a hook that comes before those of plugins, which want to know the site's address."""
LATE = -50
"""The priority of a hook that comes after the engine's, which gives a notebook its content."""


@event_priority(EARLY)
def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """List the extension that writes the generated parts of pages, unless it is listed; read the history.

    Where the build is told of the repository, the site and its pages' files have addresses.
    """
    repository = Repository.named(os.environ.get(VARIABLE, ""))
    if repository:
        config.site_url = config.site_url or repository.site
        config.edit_uri_template = repository.edit
    config.extra["repository"] = repository
    if EXTENSION not in config.markdown_extensions:
        config.markdown_extensions.append(EXTENSION)
    history = read_history(Path(config.config_file_path).parent)
    config.extra["history"] = history
    config.extra["changes"] = last_changes(history)
    config.extra["addresses"] = {}
    config.extra["feed"] = bool(config.site_url and history)
    return config


def on_page_markdown(markdown: str, *, page: Page, **_: Any) -> None:
    """Say which title the page's card has. The plugin draws it while the page is rendered; MkDocs's changes then."""
    heading = HEADING.search(markdown)
    title = page.meta.get("title") or (CODE.sub(r"\2", heading[1]) if heading else page.title)
    page.meta["social"] = {"cards_layout_options": {"title": WIDE.sub(r"\g<0> ", title)}}


@event_priority(LATE)
def on_page_content(html: str, **_: Any) -> str:
    """Put a notebook's head and its code in order.

    In pages of Markdown the extension has done so, and nothing is left to do.
    """
    return with_breaks(with_head(lean(html)))


def on_page_context(context: TemplateContext, *, page: Page, config: MkDocsConfig, nav: Navigation) -> TemplateContext:
    """Tell the template when the page changed last, and which lessons there are."""
    base = page.file.src_uri.rpartition(".")[0]
    config.extra["addresses"][base] = (str(page.title), page.canonical_url or "")
    context["changed"] = config.extra["changes"].get(base)  # type: ignore[typeddict-unknown-key]
    context["lessons"] = lessons(nav.items)  # type: ignore[typeddict-unknown-key]
    repository = config.extra["repository"]
    context["colab"] = repository.colab(base) if repository else ""  # type: ignore[typeddict-unknown-key]
    return context


@event_priority(LATE)
def on_post_build(*, config: MkDocsConfig) -> None:
    """Write the search's index, and the feed of changes, whose links need to know where the site is.

    Where pages are made on demand, the index waits for the last of them: questions are of sections that it must know.
    """
    if not config.extra.get("on_demand"):
        write_index(config)
    if config.site_url and config.extra["feed"]:
        text = feed(config.site_name, config.site_url, config.extra["history"], config.extra["addresses"])
        Path(config.site_dir, "feed.xml").write_text(text, encoding="utf-8")


def write_index(config: MkDocsConfig) -> None:
    """Make the search's index of what its plugin wrote, before the plugin `offline` copies it."""
    root = Path(config.config_file_path).parent
    write(Path(config.site_dir), root, page_paths(root))
