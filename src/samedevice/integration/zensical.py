"""zensical: the page that Zensical renders to the woven one, from its text and its recordings; nothing is run.

Zensical keeps what it rendered, and asks again for pages that changed. So nothing is held between two pages here, and
each page is read as it is now.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from markdown import Markdown  # type: ignore[import-untyped]

from samedevice.errors import PageError, SameDeviceError
from samedevice.integration.page_weaver import PageWeaver, RenderedSite, Woven, with_text, within, without_front_matter
from samedevice.integration.project_file import NAME, read, settings_of
from samedevice.page_runs import PageRuns
from samedevice.pages.page import Page
from samedevice.pages.parsing import parse_page, readable
from samedevice.project import Settings
from samedevice.weaving.prose import Address
from samedevice.weaving.weave import FENCE, error_html, error_page, html_fence

PAGE = "rendering_context"
"""The name of the preprocessor in which Zensical keeps the page and the configuration."""
SERVE = "serve"
"""Zensical's command that shows the site while somebody writes. Nothing else says which command is running."""


class ZensicalPage:
    """The page that Zensical renders: the `Weaving` of the Markdown extension. `context` is Zensical's preprocessor.

    Raises ProjectError for a project that cannot be read.
    """

    def __init__(self, context: Any) -> None:
        self.uri: str = context.page.path
        config = context.config
        self.root = Path(config["root_dir"]).resolve()
        """The folder of the project's mkdocs.yml."""
        listed = (self.root / NAME).is_file()
        self.settings = settings_of(read(self.root), self.root) if listed else Settings(docs=config["docs_dir"])
        self.address = Address(config["site_url"] or "", config["use_directory_urls"])
        self.page: Page | None = None
        self.made: Woven | None = None

    def woven(self, md: Markdown, text: str) -> str | None:
        """The page with its outputs; None for a page that is not ours.

        A page that cannot be shown ends `zensical build`; `zensical serve` shows and tells what is wrong in its place.
        Raises SameDeviceError.
        """
        path = self.root / self.settings.docs / self.uri
        if not path.is_file() or self.settings.leaves(path.relative_to(self.root).as_posix()):
            return None
        try:
            self.page = parse_page(path, self.root, settings=self.settings)
            self.made = PageWeaver(PageRuns(self.root), self.address).woven(with_text(self.page, text))
        except SameDeviceError as error:
            return error_page(self._refused(error))
        self._tell(self.made.problems)
        found = without_front_matter(self.made.markdown)
        return found + html_fence("", within()) if FENCE.search(found) else found

    def rendered(self) -> tuple[RenderedSite, Page] | None:
        """The site with this page."""
        pages = list(readable(self.root, self.settings))  # what is wrong with others is told where they are rendered
        site = RenderedSite(self.root, pages, PageRuns(self.root).recorded)
        return next(((site, page) for page in pages if page.path == f"{self.settings.docs}/{self.uri}"), None)

    def checked(self, html: str) -> str:
        """The HTML, or what is wrong with it if that does not show what ran."""
        if self.made is None or self.page is None:
            return html
        try:
            self.made.check(self.page, html)
        except PageError as error:
            return error_html(self._refused(error))
        return html

    def _refused(self, error: SameDeviceError) -> list[str]:
        """What is wrong with the page, told. An exception ends `zensical serve`, too, so there it is not raised."""
        if SERVE not in sys.argv:
            raise error
        return self._tell(str(error).splitlines())

    def _tell(self, problems: Iterable[str]) -> list[str]:
        told = list(problems)
        for problem in told:
            print(f"samedevice: {problem}", file=sys.stderr)
        return told
