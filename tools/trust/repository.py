"""Repository: a copy of what the pages are run from, so that whoever edits them meanwhile does no harm."""

from __future__ import annotations

import shutil
from pathlib import Path

ROOT = Path(__file__).parents[2]
PARTS = ("docs", "snippets", "src", "tests/recordings", "conftest.py", "pyproject.toml")


def copy_repository(folder: Path) -> Path:
    """Copy into a new folder what pytest needs to run the pages; return it."""
    for part in PARTS:
        target = folder / part
        target.parent.mkdir(parents=True, exist_ok=True)
        if (ROOT / part).is_dir():
            shutil.copytree(ROOT / part, target, ignore=shutil.ignore_patterns("__pycache__", "*.egg-info"))
        else:
            shutil.copyfile(ROOT / part, target)
    return folder
