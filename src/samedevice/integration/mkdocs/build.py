"""build: the files of a site to its pages and downloads, in one build. The plugin makes a fresh one each time."""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cached_property, wraps
from pathlib import Path
from typing import Any, ParamSpec, TypeVar

from markdown import Markdown  # type: ignore[import-untyped]
from markdown.extensions.toc import nest_toc_tokens  # type: ignore[import-untyped]
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import PluginError
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page as SitePage
from mkdocs.structure.toc import get_toc

from samedevice.errors import MissingExtra, PageError, PageErrors, SameDeviceError, SessionError
from samedevice.exporting.exports import llms
from samedevice.integration.mkdocs.notebooks import Links, convert, with_outputs
from samedevice.integration.page_weaver import (
    PageWeaver,
    RenderedSite,
    Woven,
    with_text,
    without_front_matter,
)
from samedevice.integration.project_file import EXTENSION
from samedevice.outputs.recording_files import orphans, place
from samedevice.page_runs import PageRuns
from samedevice.pages.page import Page
from samedevice.pages.parsing import inside, parse_page
from samedevice.pages.percent import front_matter, has_cells
from samedevice.project import CACHE, NOTEBOOK, Settings
from samedevice.weaving.between import read_diagrams
from samedevice.weaving.copies import copies
from samedevice.weaving.panes import Shown
from samedevice.weaving.prose import Address
from samedevice.weaving.weave import error_html, error_page

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
        except (MissingExtra, SessionError) as error:
            raise PluginError(str(error)) from None

    return guarded


class SiteBuild:
    """What one build of a site has read, and what it will write. `runs` runs the pages, and outlives the build.

    It is the `Weaving` of the Markdown extension.
    """

    @edge
    def __init__(self, config: MkDocsConfig, runs: PageRuns, settings: Settings) -> None:
        self.config = config
        self.runs = runs
        self.settings = settings
        self.docs = Path(config.docs_dir).resolve()
        self.pages: dict[str, Page | SameDeviceError] = {}
        self.shown: dict[str, Shown] = {}
        self.exports: dict[str, dict[str, str]] = {}
        self.listed: list[tuple[str, str, str]] = []
        self.failed: list[str] = []
        self.uri = ""
        """The page that MkDocs is about to render."""
        self.checks: tuple[Page, Woven] | None = None
        """The page that was woven last, whose HTML is still to be checked."""

    @edge
    def read(self, files: Files) -> None:
        """Parse all pages and begin to run those that changed."""
        take_notebooks(files, self.settings)
        for file in list(links_out(files, self.docs, self.runs.root)):
            name = f"{self.settings.docs}/{file.src_uri}"
            log.error(f"{name}: this is a link out of the repository; put the file itself in its place")
            files.remove(file)
        for file in files.documentation_pages():
            made = file.abs_src_path is None or not os.path.lexists(self.docs / file.src_uri)  # by another plugin
            if not made and not self.settings.leaves(f"{self.settings.docs}/{file.src_uri}"):
                path = self.docs / file.src_uri
                try:
                    self.pages[file.src_uri] = parse_page(path, self.runs.root, settings=self.settings)
                except PageError as error:
                    self.pages[file.src_uri] = error
        pages = [page for page in self.pages.values() if isinstance(page, Page)]
        names = self.config.markdown_extensions
        name = next((name for name in EXTENSION if name in names), EXTENSION[1])
        names += [name] * (name not in names)
        self.config.mdx_configs[name] = {"weaving": self}
        for line in orphans(self.runs.root, self.settings):
            log.warning(line)
        self.runs.build(pages)

    @property
    def _weaver(self) -> PageWeaver:
        return PageWeaver(self.runs, Address(self.config.site_url or "", self.config.use_directory_urls))

    @cached_property
    def _site(self) -> RenderedSite:
        pages = [page for page in self.pages.values() if isinstance(page, Page)]
        return RenderedSite(self.runs.root, pages, self.runs.recorded)

    def rendered(self) -> tuple[RenderedSite, Page] | None:
        """The site, and the page that MkDocs is about to render."""
        page = self.pages.get(self.uri)
        return (self._site, page) if isinstance(page, Page) else None

    def begin(self, uri: str) -> None:
        """Note that MkDocs is about to render a page."""
        self.uri = "" if uri in self.shown else uri

    @edge
    def woven(self, md: Markdown, text: str) -> str | None:
        """The page with its outputs; None for what others render meanwhile, such as docstrings."""
        uri, self.uri, self.checks = self.uri, "", None
        found = self.pages.get(uri)
        if found is None:
            return None
        if not isinstance(found, Page):
            return error_page(self._failed(uri, found))
        try:
            made = self._weaver.woven(with_text(found, text))
        except SameDeviceError as error:
            return error_page(self._failed(uri, error))
        self._take(uri, made)
        self.checks = found, made
        return without_front_matter(made.markdown)

    def checked(self, html: str) -> str:
        """The HTML, or what is wrong with it if that does not show what ran."""
        if self.checks is None:
            return html
        page, made = self.checks
        try:
            made.check(page, html)
        except PageError as error:
            uri = page.path.removeprefix(f"{self.settings.docs}/")
            self.exports.pop(uri, None)
            return error_html(self._failed(uri, error))
        return html

    def _failed(self, uri: str, error: SameDeviceError) -> list[str]:
        """Log what is wrong with a page that cannot be shown; return the messages."""
        said = [str(one) for one in (error.errors if isinstance(error, PageErrors) else [error])]
        for message in said:
            log.error(message)
        self.failed.append(uri)
        return said

    def _take(self, uri: str, made: Woven) -> None:
        for problem in made.problems:
            log.error(problem)
        if made.exports:
            self.exports[uri] = dict(made.exports)

    @edge
    def source(self, uri: str) -> str | None:
        """The front matter of a notebook, which is all that MkDocs renders of it; None where MkDocs reads the page.

        It does not read one that we could not read: what is wrong with it is shown in its place.
        """
        found = self.pages.get(uri)
        if isinstance(found, SameDeviceError):
            return error_page([str(found)])
        if found is None or not uri.endswith(NOTEBOOK):
            return None

        def front(shown: Shown) -> str:
            self.shown[uri] = shown
            return front_matter(found.text)

        try:
            made = self._weaver.made(self.runs.known(found), front)
        except SameDeviceError as error:
            self.pages[uri] = error
            return None
        self._take(uri, made)
        return made.markdown

    @edge
    def content(self, page: SitePage, files: Files) -> str | None:
        """The HTML of a notebook's page; None for other pages. MkDocs is given its links and headings."""
        found, shown = self.pages.get(page.file.src_uri), self.shown.get(page.file.src_uri)
        if not isinstance(found, Page) or shown is None:
            return None
        links = Links(page, files, self.config)
        diagrams = read_diagrams(found, self.runs.root)
        about = self._weaver.about(found)
        notebook = with_outputs(found, shown, copies(found, shown), links.follow, diagrams, about)
        done, converted = convert(notebook, place(self.runs.root / CACHE / "notebooks", found))
        if converted:
            log.info(f"converted {found.path}")
        links.check({heading["id"] for heading in done.headings})
        page.toc = get_toc(nest_toc_tokens(done.headings))
        return done.html

    def context(self, page: SitePage) -> dict[str, Any] | None:
        """What the template is told of a page's downloads; None if it has none."""
        uri = page.file.src_uri
        if uri not in self.exports:
            return None
        base = uri.rpartition(".")[0]
        self.listed.append((str(page.title), uri, str(page.meta.get("description", ""))))
        return {"base": base}

    @edge
    def write(self) -> None:
        """Write what readers take along, beside the pages."""
        config = self.config
        if self.settings.exports:
            about = config.site_description or ""
            write_exports(Path(config.site_dir), self.exports, config.site_name, about, self.listed)

    def finish(self) -> None:
        """Raise PluginError if a page could not be shown: a site that lacks pages must not be published."""
        if self.failed:
            raise PluginError(f"{len(self.failed)} pages cannot be shown, as told above: {', '.join(self.failed)}")


def links_out(files: Iterable[File], docs: Path, root: Path) -> Iterator[File]:
    """The files, but for pages, that a link of the documentation folder leads to outside of the repository."""
    for file in files:
        if file.is_documentation_page() or not file.src_dir or Path(file.src_dir).resolve() != docs:
            continue
        if not inside(docs / file.src_uri, root):
            yield file


def write_exports(
    site: Path, exports: Mapping[str, Mapping[str, str]], title: str, about: str, pages: list[tuple[str, str, str]]
) -> None:
    """Write each page's notebook, script and Markdown, llms.txt and llms-full.txt. Raises OSError.

    `exports` holds the texts of a page by suffix, below the page's path; `pages` title, path and description of each.
    """
    for uri, found in exports.items():
        for suffix, text in found.items():
            path = site / Path(uri).with_suffix(f".{suffix}")
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
    whole = "\n\n".join(found["md"].strip() for found in exports.values())
    (site / "llms-full.txt").write_text(whole + "\n", encoding="utf-8")
    (site / "llms.txt").write_text(llms(title, about, pages), encoding="utf-8")


class NotebookFile(File):
    """A notebook of the documentation folder: a page, although it is no Markdown file."""

    def is_documentation_page(self) -> bool:
        """A notebook is a page, whatever its suffix."""
        return True


def take_notebooks(files: Files, settings: Settings) -> None:
    """Make pages of the notebooks among `files`; other files of Python stay files."""
    for file in [file for file in files if file.src_uri.endswith(NOTEBOOK) and file.src_dir]:
        text = file.content_bytes.decode(errors="replace")
        if settings.leaves(f"{settings.docs}/{file.src_uri}") or not has_cells(text):
            continue
        place = (file.src_uri, file.src_dir, file.dest_dir, file.use_directory_urls)
        files.remove(file)
        files.append(NotebookFile(*place, inclusion=file.inclusion))
