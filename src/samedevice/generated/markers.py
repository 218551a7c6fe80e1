"""Reference: the parts of pages that are made from all pages: the index of errors, the table of names, the status.

A page says where by a line of its own, `<!-- samedevice: errors -->`. Pure: reads nothing, runs nothing.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property

from samedevice.errors import PageError
from samedevice.generated.api_table import Catalogue, api_table
from samedevice.generated.error_index import Entry, entries, error_index
from samedevice.generated.error_sections import error_sections, outline
from samedevice.generated.options import option_table, setting_table
from samedevice.generated.site import Site
from samedevice.generated.status import status
from samedevice.generated.totals import figures
from samedevice.generated.version_changes import version_changes
from samedevice.pages.page import Block, Page
from samedevice.project import MARKDOWN
from samedevice.weaving.prose import title

MARKER = re.compile(r"^<!-- samedevice: (?P<name>\w+) -->$", re.M)


EMPTY = Page("", "", ())


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

    def make(self, page: Page) -> list[str]:
        """What the markers of a page stand for, in their order. Raises PageError for a marker that is not known."""
        return [self._maker(page, marker)(page) for marker in find_markers(page)]

    def _maker(self, page: Page, marker: re.Match[str]) -> Callable[[Page], str]:
        if marker["name"] in self.makers:
            return self.makers[marker["name"]]
        line = page.text.count("\n", 0, marker.start()) + 1
        raise PageError(page.path, line, f'"{marker["name"]}" is unknown; write {", ".join(self.makers)}')


def gist(page: Page) -> str:
    """All that is read of a page for parts of other pages: its title, blocks, headings and sections about errors.

    An edit elsewhere leaves those parts as they are.
    """
    blocks = [(block.digest, block.line) for block in page.blocks]
    sections = [
        (replace(section, page=EMPTY, blocks=()), [block.index for block in section.blocks])
        for section in error_sections(page)
    ]
    return repr((page.path, title(page), blocks, outline(page), sections))


def fill(page: Page, made: Sequence[str]) -> Page:
    """The page with its markers replaced by what was made; its blocks keep the lines that they have in the file."""
    parts, at, grown = [], 0, []
    for marker, text in zip(find_markers(page), made, strict=True):
        parts += [page.text[at : marker.start()], text]
        grown.append((marker.end(), len(text) - len(marker[0])))
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
    return [marker for marker in found if not any(fence.start < marker.start() < fence.end for fence in page.fences)]


def asks(page: Page) -> bool:
    """Whether a page has a marker."""
    return bool(find_markers(page))
