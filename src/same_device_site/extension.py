"""extension: the Python-Markdown extension that writes the generated parts of this site's pages, under every builder.

It comes before the engine's extension, which then weaves the page with these parts in it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache, partial
from pathlib import Path
from typing import Any
from xml.etree.ElementTree import Element

from markdown import Extension, Markdown  # type: ignore[import-untyped]
from markdown.postprocessors import Postprocessor  # type: ignore[import-untyped]
from markdown.preprocessors import Preprocessor  # type: ignore[import-untyped]
from markdown.treeprocessors import Treeprocessor  # type: ignore[import-untyped]

from same_device_site.api_names import names
from same_device_site.api_table import catalogue
from same_device_site.claims import Claim
from same_device_site.error_subjects import ERRORS, related
from same_device_site.fixes import with_fixes
from same_device_site.lesson_links import Taught, taught, with_lessons
from same_device_site.listings import lean, with_breaks
from same_device_site.markers import MARKER, Reference, fill
from same_device_site.marks import with_marks
from same_device_site.page_head import with_head
from same_device_site.site import Site
from same_device_site.tested import Claimed
from samedevice import Block, Page, Recording, RenderedSite, rendered_page

NAME = "same_device_site"
BEFORE = 1001
"""The priority of the preprocessor: one more than the engine's."""
MARKING = 0.5
"""The priority of the treeprocessor: the tree is whole, and builders have not yet resolved the links of the page."""
AFTER = -999
"""The priority of the postprocessor: before the engine checks the page."""


class Filler(Preprocessor):  # type: ignore[misc]
    """Writes the parts that a page asks for, and the end of a page about a message."""

    page = ""
    """The path of the page that is rendered; empty if that is none of ours."""
    claims: Sequence[Claim] = ()
    """What that page says and a test checks."""

    def run(self, lines: list[str]) -> list[str]:
        """The lines with these parts."""
        text = "\n".join(lines)
        found = rendered_page(self.md)
        self.page = found[1].path if found else ""
        self.claims = [one for one in claimed(found[0]).claims if f"docs/{one.page}" == self.page] if found else ()
        if found is None:
            return lines
        site, page = found
        text = with_lessons(page, text, lessons(site))
        if not (self.page.startswith(ERRORS) or MARKER.search(text)):
            return text.split("\n")
        made = reference(site)
        text = fill(page, text, made)
        if self.page.startswith(ERRORS):
            text = "\n\n".join(filter(None, [text.rstrip("\n"), related(page, made.site, made.listed)]))
        return text.split("\n")


class Marker(Treeprocessor):  # type: ignore[misc]
    """Puts a mark behind each statement that is a test."""

    def __init__(self, md: Markdown, filler: Filler) -> None:
        super().__init__(md)
        self.filler = filler

    def run(self, root: Element) -> None:
        """Put them into the tree."""
        if self.filler.claims:
            with_marks(root, self.filler.claims, "../" * (self.filler.page.count("/") - 1))


class Finisher(Postprocessor):  # type: ignore[misc]
    """Puts a page's head and its code in order. Pages about messages get the heading of their fix."""

    def __init__(self, md: Markdown, filler: Filler) -> None:
        super().__init__(md)
        self.filler = filler

    def run(self, text: str) -> str:
        """The HTML so."""
        html = with_breaks(with_head(lean(text)))
        return with_fixes(html) if self.filler.page.startswith(ERRORS) else html


@lru_cache(maxsize=1)
def reference(found: RenderedSite) -> Reference:
    """What makes the parts from all pages and their recordings."""
    pages = tuple(found.pages)
    recordings = {page.path: found.recordings(page) for page in pages}
    used = {page.path: names(page, partial(_code_read, found.root, page, recordings[page.path])) for page in pages}
    return Reference(Site(pages, recordings, used), catalogue(found.root), claimed(found))


@lru_cache(maxsize=1)
def claimed(found: RenderedSite) -> Claimed:
    """The statements of the site that are tests."""
    return Claimed.read(found.root)


@lru_cache(maxsize=1)
def lessons(found: RenderedSite) -> Taught:
    """The lessons about each page."""
    return taught(tuple(found.pages))


def _code_read(root: Path, page: Page, recordings: Sequence[Recording], block: Block) -> Iterator[str]:
    """The texts of the files of Python code that a block read."""
    entries = (one.find(page, block.index).entry for one in recordings)
    for path in sorted({path for entry in entries if entry for path, _ in entry.read if path.endswith(".py")}):
        if (root / path).is_file():
            yield (root / path).read_text(encoding="utf-8")


class SiteExtension(Extension):  # type: ignore[misc]
    """Writes the generated parts of pages."""

    def extendMarkdown(self, md: Markdown) -> None:  # noqa: N802
        """Add the processors."""
        filler = Filler(md)
        md.preprocessors.register(filler, NAME, BEFORE)
        md.treeprocessors.register(Marker(md, filler), NAME, MARKING)
        md.postprocessors.register(Finisher(md, filler), NAME, AFTER)


def makeExtension(**options: Any) -> SiteExtension:  # noqa: N802
    """What Python-Markdown calls."""
    return SiteExtension(**options)
