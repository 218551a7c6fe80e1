"""Build: one build of the site, from its files to its pages and downloads. The plugin makes a fresh one each time."""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Iterable, Iterator
from functools import cached_property, partial, wraps
from pathlib import Path
from typing import Any, ParamSpec, TypeVar

import jinja2
from markdown.extensions.toc import nest_toc_tokens  # type: ignore[import-untyped]
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import PluginError
from mkdocs.structure.files import Files
from mkdocs.structure.nav import Navigation
from mkdocs.structure.pages import Page as SitePage
from mkdocs.structure.toc import get_toc

from samedevice.book import Book
from samedevice.errors import PageError, PageErrors, SameDeviceError, SessionError
from samedevice.extras import MissingExtra
from samedevice.integration.downloads import write_exports
from samedevice.integration.maker import Maker
from samedevice.integration.mkdocs.extensions import name_languages, take_fences
from samedevice.integration.mkdocs.history import feed, last_changes, read_history
from samedevice.integration.mkdocs.notebook_files import Links, NotebookFile, take_notebooks
from samedevice.integration.mkdocs.notebooks import convert, finished
from samedevice.integration.mkdocs.page_cache import Renderer, lean
from samedevice.integration.mkdocs.publishing import links_out, shrink
from samedevice.integration.mkdocs.repository import VARIABLE, Repository, RepositoryError
from samedevice.integration.mkdocs.search_cache import keep_entries
from samedevice.integration.mkdocs.template_cache import Templates
from samedevice.outputs.orphans import orphans
from samedevice.outputs.recording_files import place
from samedevice.pages.page import Page
from samedevice.pages.parsing import parse_page
from samedevice.pages.percent import front_matter
from samedevice.project import CACHE, HOME, NOTEBOOK, Settings
from samedevice.weaving.completeness import check_shown
from samedevice.weaving.diagrams import read_diagrams
from samedevice.weaving.panes import Shown
from samedevice.weaving.prose import Address
from samedevice.weaving.weave import error_page, held_outputs

log = logging.getLogger("mkdocs.plugins.samedevice")
P = ParamSpec("P")
T = TypeVar("T")


def edge(step: Callable[P, T]) -> Callable[P, T]:
    """Wrap a step of a build so that MkDocs ends the build with a message where the disk or the machinery fails."""

    @wraps(step)
    def guarded(*given: P.args, **named: P.kwargs) -> T:
        try:
            return step(*given, **named)
        except OSError as error:
            reason = f"{error.strerror or error}: {error.filename or 'no file is named'}"
            raise PluginError(f"{reason}; make room on the disk, or make the file readable and writable") from error
        except (MissingExtra, RepositoryError, SessionError) as error:
            raise PluginError(str(error)) from None

    return guarded


class Build:
    """What one build of a site has read, and what it will write.

    `book` runs the pages, and outlives the build. `smaller` is whether styles and scripts are made smaller at its end.
    """

    @edge
    def __init__(self, config: MkDocsConfig, book: Book, settings: Settings = HOME, smaller: bool = False) -> None:
        self.config = config
        self.book = book
        self.settings = settings
        self.smaller = smaller
        self.docs = Path(config.docs_dir).resolve()
        self.pages: dict[str, Page | PageError] = {}
        self.shown: dict[str, dict[int, list[Shown]]] = {}
        self.exports: dict[str, dict[str, str]] = {}
        self.listed: list[tuple[str, str, str]] = []
        self.addresses: dict[str, tuple[str, str]] = {}
        self.renderer: Renderer | None = None
        self.nav: Navigation | None = None
        self.repository = Repository.named(os.environ.get(VARIABLE, ""))
        if self.repository:
            config.site_url = config.site_url or self.repository.site
            config.edit_uri_template = self.repository.edit
        self.history = read_history(book.root, settings)
        self.changes = last_changes(self.history)
        self.languages_named = name_languages(config)
        config.extra["feed"] = bool(config.site_url and self.history)

    @edge
    def read(self, files: Files) -> None:
        """Parse all pages and begin to run those that changed."""
        take_notebooks(files, self.settings)
        for file in list(links_out(files, self.docs, self.book.root)):
            name = f"{self.settings.docs}/{file.src_uri}"
            log.error(f"{name}: this is a link out of the repository; put the file itself in its place")
            files.remove(file)
        for file in files.documentation_pages():
            if file.abs_src_path is not None and not self.settings.leaves(f"{self.settings.docs}/{file.src_uri}"):
                self.pages[file.src_uri] = self._parsed(file.src_uri)
        pages = list(self._readable())
        take_fences(self.config, (page for page in pages if not page.path.endswith(NOTEBOOK)))
        for line in orphans(self.book.root, pages, self.settings):
            log.warning(line)
        self.book.start(pages)

    def _parsed(self, uri: str) -> Page | PageError:
        try:
            return parse_page(self.docs / uri, self.book.root, settings=self.settings)
        except PageError as error:
            return error

    def _readable(self) -> Iterator[Page]:
        return (page for page in self.pages.values() if isinstance(page, Page))

    @edge
    def keep_rendered(self, files: Files, nav: Navigation) -> None:
        """Note what the pages can link to, which their HTML depends on."""
        self.nav = nav
        folder = self.book.root / CACHE / "rendered"
        self.renderer = Renderer(folder, self.config, files, self.languages_named)

    @edge
    def keep_made(self, env: jinja2.Environment, files: Files) -> None:
        """Have the theme make anew only those pages, and entries of its search index, whose sources changed.

        Its templates' tags leave no blank lines: they are a kilobyte of each page.
        """
        assert self.nav is not None
        env.trim_blocks = env.lstrip_blocks = True
        compiled = self.book.root / CACHE / "compiled"
        if self.book.runs.cache.writable:
            compiled.mkdir(parents=True, exist_ok=True)
            env.bytecode_cache = jinja2.FileSystemBytecodeCache(str(compiled))
        Templates(self.book.root / CACHE / "templates", self.config, files, self.nav).keep_pages(env)
        keep_entries(self.config.plugins.values(), self.book.root / CACHE / "search")

    @edge
    def prepare(self, page: SitePage) -> None:
        """Have MkDocs render the page only if it changed."""
        assert self.renderer is not None
        render = partial(self.renderer.render, page, partial(self._verdict, page))
        page.render = render  # type: ignore[method-assign]

    def _verdict(self, page: SitePage) -> str | None:
        """What stands in for a page that is rendered if that does not show what was run; None if it does."""
        found = self.pages.get(page.file.src_uri)
        if not isinstance(found, Page) or isinstance(page.file, NotebookFile):
            return None
        try:
            check_shown(found, held_outputs(page.markdown or ""), page.content or "")
        except PageError as error:
            self.exports.pop(page.file.src_uri, None)
            return told(error)
        return None

    @edge
    def source(self, uri: str) -> str | None:
        """The Markdown of a page with its outputs in it; None for a file that is no page of ours."""
        found = self.pages.get(uri)
        if found is None or isinstance(found, PageError):
            return told(found) if found else None
        try:
            made = self._made(uri, found)
        except SameDeviceError as error:
            return told(error)
        for problem in made["problems"]:
            log.error(problem)
        if made["exports"]:
            self.exports[uri] = made["exports"]
        return str(made["markdown"])

    def _made(self, uri: str, page: Page) -> dict[str, Any]:
        """What is made of a page. Of a notebook, MkDocs renders the front matter alone, and `content` has the rest."""
        if not page.path.endswith(NOTEBOOK):
            return self._maker.made(page)

        def front(shown: dict[int, list[Shown]]) -> str:
            self.shown[uri] = shown
            return front_matter(page.text)

        return self._maker.make(page, front)

    @cached_property
    def _maker(self) -> Maker:
        return Maker(self.book, tuple(self._readable()), self.address)

    @property
    def address(self) -> Address:
        """Where the site is."""
        return Address(self.config.site_url or "", self.config.use_directory_urls)

    @edge
    def content(self, page: SitePage, files: Files) -> str | None:
        """The HTML of a notebook's page; None for other pages. MkDocs is given its links and headings."""
        found, shown = self.pages.get(page.file.src_uri), self.shown.get(page.file.src_uri)
        if not isinstance(found, Page) or shown is None:
            return None
        links = Links(page, files, self.config)
        diagrams = read_diagrams(found, self.book.root)
        notebook = finished(found, shown, self.book.copies(found, shown), links.follow, diagrams)
        done, converted = convert(notebook, place(self.book.root / CACHE, "notebooks", found))
        if converted:
            log.info(f"converted {found.path}")
        links.check({heading["id"] for heading in done.headings})
        page.toc = get_toc(nest_toc_tokens(done.headings))
        return lean(done.html)

    def context(self, page: SitePage) -> dict[str, Any] | None:
        """What the template is told of a page's downloads and last change; None if it has none."""
        uri = page.file.src_uri
        if uri not in self.exports:
            return None
        base = uri.rpartition(".")[0]
        self.listed.append((str(page.title), uri, str(page.meta.get("description", ""))))
        self.addresses[base] = (str(page.title), page.canonical_url or "")
        colab = self.repository.colab(base) if self.repository else ""
        change = self.changes.get(base)
        changed = {"when": change.when, "subject": change.subject} if change else None
        return {"base": base, "colab": colab, "changed": changed}

    @edge
    def write(self) -> None:
        """Write what readers take along, beside the pages."""
        config, site = self.config, Path(self.config.site_dir)
        write_exports(site, self.exports, config.site_name, config.site_description or "", self.listed)
        if config.site_url and config.extra["feed"]:  # its links need to know where the site is
            text = feed(config.site_name, config.site_url, self.history, self.addresses)
            (site / "feed.xml").write_text(text, encoding="utf-8")
        if self.smaller:
            shrink(site, self.docs, self.book.root / CACHE / "styles.json")


def told(error: SameDeviceError) -> str:
    """Log what is wrong with a page, one line for each error; return the Markdown that stands in for it."""
    messages = list(_messages(error))
    for message in messages:
        log.error(message)
    return error_page(messages)


def _messages(error: SameDeviceError) -> Iterable[str]:
    return map(str, error.errors) if isinstance(error, PageErrors) else [str(error)]
