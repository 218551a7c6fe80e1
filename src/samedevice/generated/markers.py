"""Reference: the parts of pages that are made from all pages: the index of errors, the table of names, the status.

A page says where by a line of its own, `<!-- samedevice: errors -->`. Pure: reads nothing, runs nothing.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cached_property

from samedevice.errors import PageError
from samedevice.generated.api_table import Catalogue, api_table
from samedevice.generated.error_index import Entry, entries, error_index
from samedevice.generated.site import Shelf
from samedevice.generated.status import status
from samedevice.generated.version_changes import version_changes
from samedevice.pages.page import Page

MARKER = re.compile(r"^<!-- samedevice: (?P<name>\w+) -->$", re.M)


class Reference:
    """Makes these parts; each is made when a page asks for it."""

    def __init__(self, shelf: Shelf, catalogue: Catalogue) -> None:
        self.shelf = shelf
        self.catalogue = catalogue

    @cached_property
    def entries(self) -> list[Entry]:
        """The index of errors."""
        return entries(self.shelf)

    @property
    def makers(self) -> Mapping[str, Callable[[Page], str]]:
        """What makes the Markdown that a marker stands for."""
        return {
            "errors": lambda page: error_index(page, self.entries),
            "apis": lambda page: api_table(page, self.shelf, self.catalogue),
            "status": lambda page: status(page, self.shelf, self.entries),
            "versions": lambda page: version_changes(page, self.shelf),
        }

    def fill(self, page: Page) -> Page:
        """The page with its markers replaced.

        Raises PageError for a marker that is not known, and for one with a block of code after it.
        """
        for marker in MARKER.finditer(page.text):
            line = page.text.count("\n", 0, marker.start()) + 1
            if marker["name"] not in self.makers:
                raise PageError(page.path, line, f'"{marker["name"]}" is unknown; write {", ".join(self.makers)}')
            if any(block.fence.start > marker.start() for block in page.blocks):
                raise PageError(page.path, line, "blocks of code must stand before this line; move them up")
        return replace(page, text=MARKER.sub(lambda marker: self.makers[marker["name"]](page), page.text))


def asks(page: Page) -> bool:
    """Whether a page has a marker."""
    return MARKER.search(page.text) is not None
