"""downloads: the files that readers take along, written beside the pages of a built site."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from samedevice.weaving.exports import llms


def write_exports(
    site: Path, exports: Mapping[str, Mapping[str, str]], title: str, about: str, pages: list[tuple[str, str, str]]
) -> None:
    """Write each page's notebook, script and Markdown, llms.txt and llms-full.txt. Raises OSError.

    `exports` holds the texts of a page by suffix, below the page's path; `pages` title, path and description of each.
    """
    for uri, found in exports.items():
        for suffix, text in found.items():
            path = site / Path(uri).with_suffix(f".{suffix}")
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
    whole = "\n\n".join(found["md"].strip() for found in exports.values())
    (site / "llms-full.txt").write_text(whole + "\n", encoding="utf-8")
    (site / "llms.txt").write_text(llms(title, about, pages), encoding="utf-8")
