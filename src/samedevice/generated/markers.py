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
from samedevice.generated.options import option_table, setting_table
from samedevice.generated.site import Site
from samedevice.generated.status import status
from samedevice.generated.totals import figures
from samedevice.generated.version_changes import version_changes
from samedevice.pages.fences import find_fences
from samedevice.pages.page import Block, Page
from samedevice.project import MARKDOWN

MARKER = re.compile(r"^<!-- samedevice: (?P<name>\w+) -->$", re.M)


class Reference:
    """Makes these parts; each is made when a page asks for it."""

    def __init__(self, site: Site, catalogue: Catalogue) -> None:
        self.site = site
        self.catalogue = catalogue

    @cached_property
    def entries(self) -> list[Entry]:
        """The index of errors."""
        return entries(self.site)

    @property
    def makers(self) -> Mapping[str, Callable[[Page], str]]:
        """What makes the Markdown that a marker stands for."""
        return {
            "errors": lambda page: error_index(page, self.entries),
            "apis": lambda page: api_table(page, self.site, self.catalogue),
            "figures": lambda _: figures(self.site),
            "options": lambda _: option_table(),
            "settings": lambda _: setting_table(),
            "status": lambda page: status(page, self.site, self.entries),
            "versions": lambda page: version_changes(page, self.site),
        }

    def fill(self, page: Page) -> Page:
        """The page with its markers replaced; its blocks keep the lines that they have in the file.

        Raises PageError for a marker that is not known.
        """
        parts, at, grown = [], 0, []
        for marker in find_markers(page):
            line = page.text.count("\n", 0, marker.start()) + 1
            if marker["name"] not in self.makers:
                raise PageError(page.path, line, f'"{marker["name"]}" is unknown; write {", ".join(self.makers)}')
            made = self.makers[marker["name"]](page)
            parts += [page.text[at : marker.start()], made]
            grown.append((marker.end(), len(made) - len(marker[0])))
            at = marker.end()
        return replace(page, text="".join([*parts, page.text[at:]]), blocks=_moved(page, grown))


def _moved(page: Page, grown: list[tuple[int, int]]) -> tuple[Block, ...]:
    """The page's blocks where they are once the text has grown: at each offset by so many characters."""
    found = []
    for block in page.blocks:
        shift = sum(by for offset, by in grown if offset <= block.fence.start)
        fence = replace(block.fence, start=block.fence.start + shift, end=block.fence.end + shift)
        found.append(replace(block, fence=fence))
    return tuple(found)


def find_markers(page: Page) -> list[re.Match[str]]:
    """The markers of a page; one that a fence shows is text."""
    found = list(MARKER.finditer(page.text))
    if not found or not page.path.endswith(MARKDOWN):
        return []
    fences = list(find_fences(page.text, page.path))
    return [marker for marker in found if not any(fence.start < marker.start() < fence.end for fence in fences)]


def asks(page: Page) -> bool:
    """Whether a page has a marker."""
    return bool(find_markers(page))
