"""Shelf: all pages of a site with what is recorded of them, as the pages that are made from other pages need it."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from samedevice.devices import DEVICES
from samedevice.outputs.recordings import Recording
from samedevice.pages.page import Page
from samedevice.pages.percent import prose
from samedevice.project import NOTEBOOK

TITLE = re.compile(r"^# +(?:# +)?(?!%%)(.+?)(?: +\{[^}]*\})? *$", re.M)
TARGET = re.compile(r"(?<=\]\()(?!\w+:)([^)#\s]*)(#[^)\s]*)?(?=\))")


@dataclass(frozen=True)
class Shelf:
    """All pages of a site with what is recorded of them."""

    pages: tuple[Page, ...]
    """The pages, in the order in which they are listed."""
    recordings: Mapping[str, Sequence[Recording]]
    """For each page, by its path, what is recorded of it in all environments, newest PyTorch first."""
    names: Mapping[str, Mapping[str, Sequence[int]]]
    """For each page, by its path, the names of PyTorch with the indices of the blocks that use them (see `apis`)."""

    def recorded(self, page: Page) -> tuple[Recording, ...]:
        """The recordings of a page: device by device, newest PyTorch first."""
        found = self.recordings.get(page.path, ())
        return tuple(sorted(found, key=lambda one: DEVICES.index(one.environment.device)))


def title(page: Page) -> str:
    """The page's heading, as Markdown."""
    found = TITLE.search(prose(page.text, page.path) if page.path.endswith(NOTEBOOK) else page.text)
    return found[1] if found else page.name


def link(page: Page, target: Page, anchor: str = "", text: str = "") -> str:
    """A Markdown link from a page to another one, with its title as the text unless another is given."""
    return f"[{text or title(target)}]({_relative(target.path, page)}{anchor and '#' + anchor})"


def moved(prose: str, source: Page, page: Page) -> str:
    """Prose of one page as it must read on another, with its links pointing to where they pointed."""

    def move(match: re.Match[str]) -> str:
        path = posixpath.join(posixpath.dirname(source.path), match[1]) if match[1] else source.path
        return _relative(posixpath.normpath(path), page) + (match[2] or "")

    return TARGET.sub(move, prose)


def _relative(path: str, page: Page) -> str:
    """A path of the documentation as a page links to it."""
    return "../" * (page.path.count("/") - 1) + path.partition("/")[2]
