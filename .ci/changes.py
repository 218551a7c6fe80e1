"""Prints the changes from each recorded PyTorch to the next as Markdown: the text of the pull request that records one.

Usage: python .ci/changes.py
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

from samedevice.generated.site import Shelf
from samedevice.generated.version_changes import version_changes

from samedevice.outputs.recording_files import load_all
from samedevice.pages.page import Page
from samedevice.pages.parsing import parse_page
from samedevice.project import RECORDINGS, page_paths

ROOT = Path(__file__).parents[1]
LIMIT = 60_000
"""Characters that a pull request's text may have, and some room."""


def text() -> str:
    """The newest changes first; without the ids of headings, which GitHub would show."""
    pages = tuple(parse_page(path, ROOT) for path in page_paths(ROOT))
    recordings = {page.path: load_all(ROOT, RECORDINGS, page)[0] for page in pages}
    found = version_changes(Page("docs/x.md", "", ()), Shelf(pages, recordings, {}))
    found = re.sub(r" \{ #[^}]*\}$", "", found, flags=re.M).replace("](", "](docs/")
    return "Read the outputs as you would read a page. To start CI, close this and open it again.\n\n" + found[:LIMIT]


def main() -> None:
    """Print them."""
    sys.stdout.reconfigure(encoding="utf-8")  # type: ignore[union-attr]
    print(text())


if __name__ == "__main__":
    main()
