"""Reference: the parts of pages that are made from all pages: the index of errors, the table of names, the status.

A page says where by a line of its own, `<!-- samedevice: errors -->`. Pure: reads nothing, runs nothing.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cached_property

from same_device_site.api_table import Catalogue, api_table
from same_device_site.error_index import Entry, entries, error_index
from same_device_site.error_subjects import Lists, by_subject, listed
from same_device_site.options import option_table, setting_table
from same_device_site.site import Site
from same_device_site.status import status
from same_device_site.tested import Claimed, claims_page
from same_device_site.totals import figures, proof
from same_device_site.version_changes import version_changes
from samedevice import Page, PageError

MARKER = re.compile(r"^<!-- samedevice: (?P<name>\w+) -->$", re.M)


class Reference:
    """Makes these parts; each is made when a page asks for it."""

    def __init__(self, site: Site, catalogue: Catalogue, tested: Claimed) -> None:
        self.site = site
        self.catalogue = catalogue
        self.tested = tested

    @cached_property
    def entries(self) -> list[Entry]:
        """The index of errors."""
        return entries(self.site)

    @cached_property
    def listed(self) -> Lists:
        """Which page of a topic lists which pages about messages."""
        return listed(self.site)

    @property
    def makers(self) -> Mapping[str, Callable[[Page], str]]:
        """What makes the Markdown that a marker stands for."""
        return {
            "errors": lambda page: by_subject(error_index(page, self.entries), page, self.site, self.listed),
            "apis": lambda page: api_table(page, self.site, self.catalogue),
            "claims": lambda page: claims_page(page, self.site, self.tested),
            "figures": lambda _: figures(self.site),
            "options": lambda _: option_table(),
            "proof": lambda _: proof(self.site),
            "settings": lambda _: setting_table(),
            "status": lambda page: status(page, self.site, self.entries),
            "versions": lambda page: version_changes(page, self.site),
        }

    def make(self, page: Page, name: str) -> str:
        """What a marker of a page stands for. Raises PageError for one that is not known."""
        if name in self.makers:
            return self.makers[name](page)
        line = page.text[: page.text.find(f"<!-- samedevice: {name} -->")].count("\n") + 1
        raise PageError(page.path, line, f'"{name}" is unknown; write {", ".join(self.makers)}')


def fill(page: Page, text: str, reference: Reference) -> str:
    """The text of a page with its markers replaced by what they stand for. Raises PageError."""
    shown = [range(fence.start, fence.end) for fence in replace(page, text=text).fences]

    def made(marker: re.Match[str]) -> str:
        return marker[0] if any(marker.start() in one for one in shown) else reference.make(page, marker["name"])

    return MARKER.sub(made, text)
