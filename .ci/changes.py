"""Prints the changes from each recorded PyTorch to the next as Markdown: the text of the pull request that records one.

Usage: python .ci/changes.py [FOLDER], where FOLDER is the repository, this one if none is named.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

from same_device_site.settings import SETTINGS, parse_page
from same_device_site.site import Site
from same_device_site.version_changes import version_changes
from samedevice import Page, load_all

ROOT = Path(__file__).parents[1]
LIMIT = 60_000
"""Characters that a pull request's text may have, and some room."""


def text(root: Path) -> str:
    """The newest changes first; without the ids of headings, which GitHub would show."""
    pages = tuple(parse_page(path, root) for path in SETTINGS.page_paths(root))
    recordings = {page.path: load_all(root, Path(SETTINGS.recordings), page)[0] for page in pages}
    found = version_changes(Page(f"{SETTINGS.docs}/x.md", "", ()), Site(pages, recordings, {}))
    found = re.sub(r'^\?\?\? \w+ "(.*)"$', r"### \1", found, flags=re.M)  # GitHub has no boxes of MkDocs
    found = re.sub(r"^    ", "", found, flags=re.M)
    found = re.sub(r" \{ #[^}]*\}$", "", found, flags=re.M).replace("](", f"]({SETTINGS.docs}/")
    return "Read the outputs as you would read a page. To start CI, close this and open it again.\n\n" + found[:LIMIT]


def main() -> None:
    """Print them."""
    sys.stdout.reconfigure(encoding="utf-8")  # type: ignore[union-attr]
    print(text(Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT))


if __name__ == "__main__":
    main()
