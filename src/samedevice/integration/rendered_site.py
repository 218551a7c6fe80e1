"""rendered_site: what a builder tells the Markdown extension: the site, and the page that it renders."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from markdown import Markdown  # type: ignore[import-untyped]

from samedevice.outputs.recording_files import Recorded
from samedevice.outputs.recordings import Recording
from samedevice.pages.page import Page


@dataclass(frozen=True, eq=False)
class RenderedSite:
    """The site that is built, for extensions that make parts of one page from all pages. One for each build."""

    root: Path
    """The repository root."""
    pages: Sequence[Page]
    """All pages that can be read."""

    recorded: Callable[[Page], Recorded]
    """Reads what is recorded of a page."""

    def recordings(self, page: Page) -> tuple[Recording, ...]:
        """What is recorded of a page, newest PyTorch first; what cannot be read is left out."""
        return self.recorded(page)[0]


class Weaving(Protocol):
    """What a builder gives the extension: it knows which page is rendered."""

    def rendered(self) -> tuple[RenderedSite, Page] | None:
        """The site, and the page that is about to be woven; None if that is none of ours."""

    def woven(self, md: Markdown, text: str) -> str | None:
        """The Markdown to render in the place of `text`; None for text that is no page of ours."""

    def checked(self, html: str) -> str:
        """The HTML of the page that was woven last, or what is wrong with it."""
