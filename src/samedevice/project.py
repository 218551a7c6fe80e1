"""project: the folders and file names of a project that uses this engine. No other module spells them out."""

from __future__ import annotations

import re
from pathlib import Path

DOCS = "docs"
"""The folder of pages, below the project's root."""
PROGRAMS = "snippets"
"""The folder of whole programs that pages run."""
RECORDINGS = Path("tests/recordings")
"""The folder of recordings."""
CACHE = Path(".cache/samedevice")
"""The folder of what can be made again."""
API_DATA = Path(DOCS) / "reference/apis.json"
"""What is known of PyTorch's names: where they are documented, and since when they exist."""

MARKDOWN = ".md"
"""The suffix of a page in Markdown."""
NOTEBOOK = ".py"
"""The suffix of a page that is a notebook in percent format."""
PAGES = (MARKDOWN, NOTEBOOK)
"""The suffixes of pages."""
PACKAGE = Path(__file__).parent
"""Where the engine's own files are."""

MENTIONED = re.compile(rf"\b{PROGRAMS}/[\w./-]+\.\w+")
"""Finds the programs that a piece of code names."""
EDIT = f"https://github.com/{{owner}}/{{name}}/edit/main/{DOCS}/{{{{path}}}}"
"""Address where a page's file is edited on GitHub; MkDocs fills in the path."""


def page_name(path: str) -> str:
    """The name of the page with this path: `docs/tensors/creating.md` is `tensors/creating`."""
    return Path(*Path(path).parts[1:]).with_suffix("").as_posix()


def is_page(path: str) -> bool:
    """Whether a path, relative to the project's root, is that of a page."""
    return Path(path).parts[:1] == (DOCS,) and path.endswith(PAGES)


def page_paths(root: Path) -> list[Path]:
    """All pages below the project's root."""
    return sorted(path for path in (root / DOCS).rglob("*") if path.suffix in PAGES)
