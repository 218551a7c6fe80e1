"""template_cache: each page as its template makes it, kept until something that it is made from changes.

What a template may read is much: the page, the whole configuration, the navigation with every page's title, address and
front matter, and the templates themselves. All of it is in the hash. A page whose context holds something of another
plugin that cannot be hashed is rendered, as is every page of a theme that writes the time of the build.
"""

from __future__ import annotations

import importlib.metadata
import json
from functools import cached_property
from pathlib import Path
from typing import Any

import jinja2
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import Files
from mkdocs.structure.nav import Navigation
from mkdocs.structure.pages import Page as SitePage

from samedevice import memo
from samedevice.integration.mkdocs.page_cache import plain, token

KNOWN = {
    "nav",
    "pages",
    "base_url",
    "extra_css",
    "extra_javascript",
    "mkdocs_version",
    "build_date_utc",
    "config",
    "page",
}
"""What MkDocs gives a template; everything else in a context is from plugins."""
CLOCKS = ("build_date_utc", "now()")
"""What a template reads the time from."""
PACKAGES = ("mkdocs", "jinja2", "markupsafe")


class Templates:
    """The templates of one build. `folder` is where the pages that they make are kept."""

    def __init__(self, folder: Path, config: MkDocsConfig, files: Files, nav: Navigation) -> None:
        self.folder = folder
        self.config = config
        self.files = files
        self.nav = nav

    def keep_pages(self, env: jinja2.Environment) -> None:
        """Have the templates of an environment take a page from the folder where they can."""
        templates = self

        class KeptTemplate(jinja2.Template):
            """A template that keeps the pages that it makes."""

            def render(self, *args: Any, **named: Any) -> str:
                context = dict(*args, **named)
                page = context.get("page")
                key = templates.key(str(self.name), context) if isinstance(page, SitePage) else None
                if key is None or page is None:
                    return super().render(context)
                path = templates.folder / f"{page.file.src_uri}.json"
                found: str = memo.find_or_make(path, key, lambda: super(KeptTemplate, self).render(context))
                return found

        env.template_class = KeptTemplate

    def key(self, template: str, context: dict[str, Any]) -> str | None:
        """Hash of what a page's template may read; None where that cannot be told."""
        if self.site is None:
            return None
        try:
            rest = json.dumps({name: value for name, value in context.items() if name not in KNOWN})
        except TypeError:
            return None
        page: SitePage = context["page"]
        about = [template, context["base_url"], map(str, context["extra_css"]), map(str, context["extra_javascript"])]
        return memo.key(self.site, json.dumps(about, default=list), rest, _page(page), page.content or "")

    @cached_property
    def site(self) -> str | None:
        """Hash of what every page depends on; None where a template reads the time."""
        texts = [text for folder in self.config.theme.dirs for text in _templates(Path(folder))]
        if any(clock in text for text in texts for clock in CLOCKS):
            return None
        pages = [_page(file.page) for file in self.files.documentation_pages() if file.page is not None]
        plugins = {name: dict(plugin.config) for name, plugin in self.config.plugins.items()}
        theme = {name: self.config.theme[name] for name in self.config.theme}
        versions = [importlib.metadata.version(name) for name in PACKAGES]
        about = [versions, dict(self.config), theme, plugins, pages, str(self.nav)]
        return memo.digest("\0".join([json.dumps(about, default=plain, sort_keys=True), *texts]))


def _templates(folder: Path) -> list[str]:
    """The texts of the templates in a folder."""
    return [path.read_text(encoding="utf-8", errors="replace") for path in sorted(folder.rglob("*.html"))]


def _page(page: SitePage) -> str:
    """What templates read of a page, its content aside, as JSON."""
    neighbours = [(one.title, one.url, one.meta) if one else None for one in (page.previous_page, page.next_page)]
    about = [page.title, page.url, page.abs_url, page.canonical_url, page.edit_url, page.meta, page.is_homepage]
    parents = [one.title for one in page.ancestors]
    toc = [token(item) for item in page.toc]
    return json.dumps([about, neighbours, parents, toc, page.file.src_uri, page.file.inclusion.name], default=str)
