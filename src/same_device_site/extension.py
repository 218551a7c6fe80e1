"""extension: the Python-Markdown extension that writes the generated parts of this site's pages, under every builder.

It comes before the engine's extension, which then weaves the page with these parts in it.
"""

from __future__ import annotations

from typing import Any

from markdown import Extension, Markdown  # type: ignore[import-untyped]
from markdown.preprocessors import Preprocessor  # type: ignore[import-untyped]

from same_device_site.api_names import names
from same_device_site.api_table import catalogue
from same_device_site.markers import MARKER, Reference, fill
from same_device_site.site import Site
from samedevice import RenderedSite, rendered_site

BEFORE = 1001
"""The priority of the preprocessor: one more than the engine's."""


class Filler(Preprocessor):  # type: ignore[misc]
    """Writes the parts that a page asks for."""

    def run(self, lines: list[str]) -> list[str]:
        """The lines with these parts."""
        text = "\n".join(lines)
        found = rendered_site(self.md) if MARKER.search(text) else None
        page = found.page if found else None
        if found is None or page is None:
            return lines
        return fill(page, text, reference(found)).split("\n")


def reference(found: RenderedSite) -> Reference:
    """What makes the parts from all pages and their recordings."""
    pages = tuple(found.pages)
    recordings = {page.path: found.recordings(page) for page in pages}
    return Reference(Site(pages, recordings, {page.path: names(page) for page in pages}), catalogue(found.root))


class SiteExtension(Extension):  # type: ignore[misc]
    """Writes the generated parts of pages."""

    def extendMarkdown(self, md: Markdown) -> None:  # noqa: N802
        """Add the preprocessor."""
        md.preprocessors.register(Filler(md), "same_device_site", BEFORE)


def makeExtension(**options: Any) -> SiteExtension:  # noqa: N802
    """What Python-Markdown calls."""
    return SiteExtension(**options)
