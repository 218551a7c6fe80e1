"""settings: what this site says about itself, for pytest and tools; mkdocs.yml says the same, and a test compares them.

pytest must work from a plain checkout, where nothing can read mkdocs.yml.
"""

from __future__ import annotations

from pathlib import Path

import samedevice
from samedevice import Page, Settings

SETTINGS = Settings(
    console=True,
    namespace="section",
    exports=True,
    simulated="about/how-it-works.md#simulated",
    flags="--",
    name="Same Device",
)


def parse_page(path: Path, root: Path, text: str | None = None, settings: Settings = SETTINGS) -> Page:
    """A page of this site, as `samedevice.parse_page` gives it."""
    return samedevice.parse_page(path, root, text, settings)


def page_paths(root: Path) -> list[Path]:
    """All pages of this site."""
    return SETTINGS.page_paths(root)
