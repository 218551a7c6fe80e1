"""The conftest.py of repositories that tests make: that of this repository."""

from pathlib import Path

CONFTEST = (Path(__file__).parents[1] / "conftest.py").read_text(encoding="utf-8")
