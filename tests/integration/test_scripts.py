"""Scripts to take along, of pages that start process groups or show parts of a program: they run whole."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from same_device_site.settings import parse_page
from samedevice.exporting.exports import script

ROOT = Path(__file__).parents[2]
PAGES = (*sorted((ROOT / "docs/parallel").glob("*.md")), ROOT / "docs/training/gpu-and-cuda-example.md")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_a_script_runs_from_its_first_section_to_its_last(page: Path, tmp_path: Path) -> None:
    """On a page each section has a process of its own, so none sees a group that the one above it left."""
    path = tmp_path / "page.py"
    path.write_text(script(parse_page(page, ROOT), {}), encoding="utf-8")
    done = subprocess.run([sys.executable, str(path)], cwd=tmp_path, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr[-2000:]
