"""Maker: makes of a page what readers get of it, whatever builds the site, and keeps it for later builds."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from samedevice import memo
from samedevice.book import Book
from samedevice.generated.markers import Reference, asks, fill, find_markers
from samedevice.outputs.recording_files import place
from samedevice.pages.page import Page
from samedevice.project import CACHE, NOTEBOOK
from samedevice.weaving.diagrams import read_diagrams
from samedevice.weaving.panes import Shown
from samedevice.weaving.prose import Address
from samedevice.weaving.weave import weave, weave_notebook


@dataclass
class Maker:
    """Makes the pages of one build of a site."""

    book: Book
    """Knows what to show under the blocks."""
    pages: tuple[Page, ...]
    """All pages that can be read: the index of errors and the like are made from them."""
    address: Address
    """Where the site is."""

    def made(self, page: Page) -> dict[str, Any]:
        """What is made of a page: `markdown` with its outputs, `exports` to take along, `problems`. Kept.

        Raises SameDeviceError.
        """
        page = self.filled(page)
        diagrams = read_diagrams(page, self.book.root)
        about = [page.text, repr(diagrams), repr(self.address), *self.book.about(page)]
        woven = weave_notebook if page.path.endswith(NOTEBOOK) else weave

        def make() -> dict[str, Any]:
            return self.make(page, lambda shown: woven(page, shown, self.book.copies(page, shown), diagrams))

        found: dict[str, Any] = memo.find_or_make(place(self.book.root / CACHE, "woven", page), memo.key(*about), make)
        return found

    def make(self, page: Page, markdown: Callable[[dict[int, list[Shown]]], str]) -> dict[str, Any]:
        """The same, made now; `markdown` writes the page, given what to show under each block."""
        shown, problems = self.book.read(page)
        woven = markdown(shown)
        exports = self.book.exports(page, shown, self.address)
        return {"markdown": woven, "exports": exports, "problems": [problem.message for problem in problems]}

    def filled(self, page: Page) -> Page:
        """The page with the parts in it that are made from all pages."""
        if not asks(page):
            return page
        path = place(self.book.root / CACHE, "generated", page)
        key = memo.key(self._all_pages, *(marker["name"] for marker in find_markers(page)))
        return fill(page, memo.find_or_make(path, key, lambda: self._reference.make(page)))

    @cached_property
    def _all_pages(self) -> str:
        """Hash of all that the generated parts are made from."""
        return self.book.about_all(self.pages)

    @cached_property
    def _reference(self) -> Reference:
        return self.book.reference(self.pages)
