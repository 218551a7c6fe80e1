"""pages: the page that Zensical renders, woven from its text and its recordings; nothing is run.

Zensical keeps what it rendered, and asks again for pages that changed. So nothing is held between two pages here, and
each page is read as it is now.
"""

from __future__ import annotations

import posixpath
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from markdown import Markdown  # type: ignore[import-untyped]

from samedevice.errors import PageError, SameDeviceError
from samedevice.integration.page_assets import within
from samedevice.integration.page_weaver import PageWeaver, Woven
from samedevice.integration.project_file import NAME, read, settings_of
from samedevice.integration.rendered_site import RenderedSite
from samedevice.integration.rendered_text import with_text, without_front_matter
from samedevice.page_runs import PageRuns
from samedevice.pages.links import relink
from samedevice.pages.page import Page
from samedevice.pages.parsing import parse_page, readable
from samedevice.project import CACHE, MARKDOWN, NOTEBOOK, Settings
from samedevice.weaving.prose import Address
from samedevice.weaving.weave import error_html, error_page, html_fence, is_woven

PAGE = "rendering_context"
"""The name of the preprocessor in which Zensical keeps the page and the configuration."""
SERVE = "serve"
"""Zensical's command that shows the site while somebody writes. Nothing else says which command is running."""
COPY = CACHE / "zensical"
"""Where `samedevice build` puts the copy of a project that Zensical builds, in which notebooks are pages."""


@dataclass(frozen=True)
class Project:
    """What a page is woven with."""

    root: Path
    """The folder of the project's mkdocs.yml."""
    settings: Settings
    """What that says of the engine."""
    address: Address
    """Where the site is."""
    copied: bool
    """Whether Zensical builds a copy that `samedevice build` made."""


def project_root(built: Path) -> tuple[Path, bool]:
    """The project that Zensical builds in the folder `built`, and whether that is a copy of it."""
    copied = built.parts[-len(COPY.parts) :] == COPY.parts
    return (built.parents[len(COPY.parts) - 1] if copied else built), copied


def project_of(config: dict[str, Any]) -> Project:
    """The project that Zensical's configuration is of. Raises ProjectError."""
    root, copied = project_root(Path(config["root_dir"]).resolve())
    settings = settings_of(read(root), root) if (root / NAME).is_file() else Settings(docs=config["docs_dir"])
    return Project(root, settings, address_of(config), copied)


def address_of(config: Mapping[str, Any]) -> Address:
    """Where the site is that Zensical's configuration is of."""
    return Address(config["site_url"] or "", config["use_directory_urls"])


class ZensicalPage:
    """The page that Zensical renders: the `Weaving` of the Markdown extension. `context` is Zensical's preprocessor."""

    def __init__(self, context: Any) -> None:
        self.uri: str = context.page.path
        self.project = project_of(context.config)
        self.page: Page | None = None
        self.made: Woven | None = None

    def woven(self, md: Markdown, text: str) -> str | None:
        """The page with its outputs; None for a page that is not ours.

        A page that cannot be shown ends `zensical build`. Elsewhere it has what is wrong in its place; that and all
        problems are told, in a copy by its build. Raises SameDeviceError.
        """
        project = self.project
        path = source(project.root / project.settings.docs, self.uri)
        if path is None or project.settings.leaves(path.relative_to(project.root).as_posix()):
            return None
        try:
            self.page = parse_page(path, project.root, settings=project.settings)
            self.made = self._made(self.page, text)
        except SameDeviceError as error:
            return error_page(self._refused(error))
        self._tell(self.made.problems)
        found = without_front_matter(self.made.markdown)
        if project.copied:
            return relink(found, lambda url: _of_copy(project, self.uri, url))
        return found + html_fence("", within()) if is_woven(found) else found

    def rendered(self) -> tuple[RenderedSite, Page] | None:
        """The site with this page."""
        root, settings = self.project.root, self.project.settings
        pages = list(readable(root, settings))  # what is wrong with others is told where they are rendered
        path = source(root / settings.docs, self.uri)
        name = path.relative_to(root).as_posix() if path else ""
        site = RenderedSite(root, pages, PageRuns(root).recorded)
        return next(((site, page) for page in pages if page.path == name), None)

    def _made(self, page: Page, text: str) -> Woven:
        rendered = page if page.path.endswith(NOTEBOOK) else with_text(page, text)
        return PageWeaver(PageRuns(self.project.root), self.project.address).woven(rendered)

    def checked(self, html: str) -> str:
        """The HTML, or what is wrong with it if that does not show what ran. That of a copy is checked by its build."""
        if self.made is None or self.page is None or self.project.copied:
            return html
        try:
            self.made.check(self.page, html)
        except PageError as error:
            return error_html(self._refused(error))
        return html

    @property
    def names_languages(self) -> bool:
        """Whether the check comes later, and needs the names of languages."""
        return self.project.copied

    def _refused(self, error: SameDeviceError) -> list[str]:
        """What is wrong with the page, told. An exception ends `zensical serve`, too, so there it is not raised."""
        if not self.project.copied and SERVE not in sys.argv:
            raise error
        return self._tell(str(error).splitlines())

    def _tell(self, problems: Iterable[str]) -> list[str]:
        told = list(problems)
        for problem in () if self.project.copied else told:
            print(f"samedevice: {problem}", file=sys.stderr)
        return told


def source(docs: Path, uri: str) -> Path | None:
    """The file of a page: in a copy, the Markdown of a notebook has the notebook for its source."""
    page, notebook = docs / uri, (docs / uri).with_suffix(NOTEBOOK)
    if page.is_file():
        return page
    return notebook if notebook.is_file() else None


def _of_copy(project: Project, uri: str, url: str) -> str:
    """A link of a page as its copy has it: to the Markdown that was made of a notebook."""
    target, mark, anchor = url.partition("#")
    path = project.root / project.settings.docs / posixpath.normpath(posixpath.join(posixpath.dirname(uri), target))
    copy = project.root / COPY / path.relative_to(project.root).with_suffix(MARKDOWN)
    notebook = target.endswith(NOTEBOOK) and path.is_file() and copy.is_file()
    return f"{target.removesuffix(NOTEBOOK)}{MARKDOWN}{mark}{anchor}" if notebook else url
