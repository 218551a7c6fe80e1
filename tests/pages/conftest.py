"""What the tests of pages share."""

from __future__ import annotations

from pathlib import Path

import pytest


@pytest.fixture
def snippets(root: Path) -> Path:
    """A folder of snippets with one program of two regions."""
    folder = root / "snippets"
    folder.mkdir()
    lines = ["import sys", "", "# region first", "a = 1", "b = 2", "# endregion", "", "# region empty_lines"]
    lines += ["", "c = 3", "", "# endregion", "print(sys.argv)"]
    (folder / "train.py").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return folder
