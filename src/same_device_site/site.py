"""site: all pages with what is recorded of them, which the generated parts of pages are made from."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from samedevice import DEVICES, Page, Recording, title


@dataclass(frozen=True)
class Site:
    """All pages with what is recorded of them."""

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


def link(page: Page, target: Page, anchor: str = "", text: str = "") -> str:
    """A Markdown link from a page to another one, with its title as the text unless another is given."""
    return f"[{text or title(target)}]({_relative(target.path, page)}{anchor and '#' + anchor})"


def _relative(path: str, page: Page) -> str:
    """A path of the documentation as a page links to it."""
    return "../" * (page.path.count("/") - 1) + path.partition("/")[2]


def box(name: str, parts: Iterable[str]) -> str:
    """A closed box, as Markdown: its title, then its parts, indented."""
    lines = "\n\n".join(parts).split("\n")
    quoted = re.sub(r"[\"\\]", "", name)
    return "\n".join([f'??? sd-subject "{quoted}"', "", *(f"    {line}".rstrip() for line in lines)])
