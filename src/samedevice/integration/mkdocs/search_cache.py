"""search_cache: each page's entries of the theme's search index, kept until the page changes.

The theme's search plugin parses the HTML of every page in every build, which takes it half of a build in which nothing
changed. An entry depends on the page's HTML, headings, title and address, on its front matter, and on the plugin.
"""

from __future__ import annotations

import importlib.metadata
import json
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, Protocol

from mkdocs.structure.pages import Page as SitePage

from samedevice import memo
from samedevice.integration.mkdocs.page_cache import token

THEME = "mkdocs-material"


class Index(Protocol):
    """What is used of the search index of Material for MkDocs."""

    entries: list[dict[str, Any]]
    config: dict[str, Any]
    add_entry_from_context: Callable[[SitePage], None]


def keep_entries(plugins: Iterable[object], folder: Path) -> None:
    """Have the search index among the site's plugins, if there is one, take entries from `folder` where it can."""
    for plugin in plugins:
        index = getattr(plugin, "search_index", None)
        if isinstance(getattr(index, "entries", None), list) and hasattr(index, "add_entry_from_context"):
            assert index is not None
            index.add_entry_from_context = _keeping(index, folder)


def _keeping(index: Index, folder: Path) -> Callable[[SitePage], None]:
    add = index.add_entry_from_context
    about = json.dumps([importlib.metadata.version(THEME), index.config], default=str)

    def add_entry_from_context(page: SitePage) -> None:
        path = folder / f"{page.file.src_uri}.json"
        made_of = [page.url, page.title, page.meta, [token(item) for item in page.toc]]
        key = memo.key(about, page.content or "", json.dumps(made_of, default=str))
        found = memo.find(path, key)
        if found is None:
            before = len(index.entries)
            add(page)
            memo.keep(path, key, index.entries[before:])
        else:
            index.entries += found

    return add_entry_from_context
