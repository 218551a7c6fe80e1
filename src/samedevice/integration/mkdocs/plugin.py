"""The MkDocs plugin: hooks, and nothing else. What they do is in `book` and `weave`."""

from __future__ import annotations

import logging
import os
from functools import partial
from pathlib import Path
from typing import Any, Literal

from markdown.extensions.toc import nest_toc_tokens  # type: ignore[import-untyped]
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import PluginError
from mkdocs.plugins import BasePlugin
from mkdocs.structure.files import Files
from mkdocs.structure.nav import Navigation
from mkdocs.structure.pages import Page as SitePage
from mkdocs.structure.toc import get_toc
from mkdocs.utils.templates import TemplateContext

from samedevice.book import Book
from samedevice.errors import PageError, SameDeviceError, SessionError
from samedevice.generated.markers import Reference, asks
from samedevice.integration.mkdocs.history import Change, feed, last_changes, read_history
from samedevice.integration.mkdocs.notebook_files import Links, NotebookFile, take_notebooks
from samedevice.integration.mkdocs.notebooks import convert, finished
from samedevice.integration.mkdocs.page_cache import Renderer, lean
from samedevice.integration.mkdocs.publishing import links_out, shrink, write_exports
from samedevice.integration.mkdocs.repository import VARIABLE, Repository, RepositoryError
from samedevice.outputs.orphans import strays
from samedevice.outputs.recordings import place
from samedevice.pages.page import Page
from samedevice.pages.parsing import parse_page
from samedevice.pages.percent import front_matter
from samedevice.project import CACHE, DOCS, PROGRAMS, RECORDINGS
from samedevice.weaving.output_html import Shown
from samedevice.weaving.prose import Address
from samedevice.weaving.weave import error_page, weave

log = logging.getLogger("mkdocs.plugins.samedevice")


class SameDevicePlugin(BasePlugin):  # type: ignore[type-arg,no-untyped-call]
    """Runs the pages' code blocks and puts what each device printed under them."""

    def __init__(self) -> None:
        self.book: Book | None = None
        self.pages: dict[str, Page | PageError] = {}
        self.exports: dict[str, dict[str, str]] = {}
        self.listed: list[tuple[str, str, str]] = []
        self.shown: dict[str, dict[int, list[Shown]]] = {}
        self.reference: Reference | None = None
        self.repository: Repository | None = None
        self.history: tuple[Change, ...] = ()
        self.changes: dict[str, Change] = {}
        self.addresses: dict[str, tuple[str, str]] = {}
        self.serving = False
        self.renderer: Renderer | None = None

    def on_startup(self, *, command: Literal["build", "gh-deploy", "serve"], dirty: bool) -> None:
        """Remember whether the processes are worth keeping between builds."""
        self.serving = command == "serve"

    def on_config(self, config: MkDocsConfig) -> MkDocsConfig:
        """Find the repository, its root and its history; under `mkdocs serve` watch what pages are made of."""
        root = Path(config.config_file_path).parent.resolve()
        self._place(config)
        self.history = read_history(root)
        self.changes = last_changes(self.history)
        config.extra["feed"] = bool(config.site_url and self.history)
        if self.book is None or self.book.root != root:
            self.on_shutdown()
            self.book = Book(root, log.info)
        config.watch += [str(root / folder) for folder in (PROGRAMS, RECORDINGS) if (root / folder).is_dir()]
        return config

    def _place(self, config: MkDocsConfig) -> None:
        """Tell MkDocs where the site will be, and where its pages are edited, if the environment tells that."""
        try:
            self.repository = Repository.named(os.environ.get(VARIABLE, ""))
        except RepositoryError as error:
            raise PluginError(str(error)) from None
        if self.repository:
            config.site_url = config.site_url or self.repository.site
            config.edit_uri_template = self.repository.edit

    def on_files(self, files: Files, *, config: MkDocsConfig) -> Files:
        """Parse all pages and begin to run those that changed."""
        assert self.book is not None
        self.pages, self.exports, self.listed, self.shown, self.reference = {}, {}, [], {}, None
        self.addresses = {}
        take_notebooks(files)
        docs = Path(config.docs_dir).resolve()
        for file in list(links_out(files, docs, self.book.root)):
            log.error(f"{DOCS}/{file.src_uri}: this is a link out of the repository; put the file itself in its place")
            files.remove(file)
        for file in files.documentation_pages():
            if file.abs_src_path is None:
                continue
            try:
                self.pages[file.src_uri] = parse_page(docs / file.src_uri, self.book.root)
            except PageError as error:
                self.pages[file.src_uri] = error
        pages = [page for page in self.pages.values() if isinstance(page, Page)]
        for line in strays(self.book.root, RECORDINGS, pages):
            log.warning(line)
        try:
            self.book.start(pages)
        except SessionError as error:
            raise PluginError(str(error)) from None
        return files

    def on_nav(self, nav: Navigation, *, config: MkDocsConfig, files: Files) -> Navigation:
        """Note what the pages can link to."""
        assert self.book is not None
        self.renderer = Renderer(self.book.root / CACHE / "rendered", config, files)
        return nav

    def on_pre_page(self, page: SitePage, *, config: MkDocsConfig, files: Files) -> SitePage:
        """Have MkDocs render only the pages that changed."""
        assert self.renderer is not None
        page.render = partial(self.renderer.render, page)  # type: ignore[method-assign]
        return page

    def on_page_read_source(self, *, page: SitePage, config: MkDocsConfig) -> str | None:
        """Give MkDocs the page with its outputs in it."""
        found = self.pages.get(page.file.src_uri)
        assert self.book is not None
        if found is None:
            return None
        if isinstance(found, PageError):
            log.error(str(found))
            return error_page(str(found))
        try:
            shown, problems = self.book.read(found)
            found = self._filled(found)
        except SameDeviceError as error:
            log.error(str(error))
            return error_page(str(error))
        for problem in problems:
            log.error(problem.message)
        address = Address(config.site_url or "", config.use_directory_urls)
        self.exports[page.file.src_uri] = self.book.exports(found, shown, address)
        if isinstance(page.file, NotebookFile):
            self.shown[page.file.src_uri] = shown
            return front_matter(found.text)
        return weave(found, shown, self.book.copies(found, shown))

    def _filled(self, page: Page) -> Page:
        """The page with the parts in it that are made from all pages."""
        assert self.book is not None
        if asks(page) and self.reference is None:
            self.reference = self.book.reference(one for one in self.pages.values() if isinstance(one, Page))
        return self.reference.fill(page) if self.reference and asks(page) else page

    def on_page_content(self, html: str, *, page: SitePage, config: MkDocsConfig, files: Files) -> str | None:
        """Give MkDocs the content of a notebook's page, and what it keeps of a page's links and headings."""
        found, shown = self.pages.get(page.file.src_uri), self.shown.get(page.file.src_uri)
        if not isinstance(found, Page) or shown is None:
            return None
        assert self.book is not None
        links = Links(page, files, config)
        notebook = finished(found, shown, self.book.copies(found, shown), links.follow)
        done, converted = convert(notebook, place(self.book.root / CACHE, "notebooks", found))
        if converted:
            log.info(f"converted {found.path}")
        links.check({heading["id"] for heading in done.headings})
        page.toc = get_toc(nest_toc_tokens(done.headings))
        return lean(done.html)

    def on_page_context(
        self, context: TemplateContext, *, page: SitePage, config: MkDocsConfig, nav: Navigation
    ) -> TemplateContext:
        """Tell the template which files of the page there are to take along."""
        if page.file.src_uri in self.exports:
            base = page.file.src_uri.rpartition(".")[0]
            self.listed.append((str(page.title), page.file.src_uri, str(page.meta.get("description", ""))))
            self.addresses[base] = (str(page.title), page.canonical_url or "")
            colab = self.repository.colab(base) if self.repository else ""
            about = {"base": base, "colab": colab, "changed": self.changes.get(base)}
            context["samedevice"] = about  # type: ignore[typeddict-unknown-key]
        return context

    def on_post_build(self, *, config: MkDocsConfig) -> None:
        """Write what readers take along; end the processes, unless the next build will want them."""
        site = Path(config.site_dir)
        write_exports(site, self.exports, config.site_name, config.site_description or "", self.listed)
        if config.site_url and config.extra["feed"]:  # its links need to know where the site is
            text = feed(config.site_name, config.site_url, self.history, self.addresses)
            (site / "feed.xml").write_text(text, encoding="utf-8")
        shrink(site)
        if not self.serving:
            self.on_shutdown()

    def on_build_error(self, *, error: Exception) -> None:
        """End the processes when a build fails."""
        if not self.serving:
            self.on_shutdown()

    def on_shutdown(self, **_: Any) -> None:
        """End the processes."""
        if self.book is not None:
            self.book.close()
