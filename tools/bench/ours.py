"""ours: what is measured of this engine, on a site in a folder of its own that has both configurations."""

from __future__ import annotations

import itertools
import re
import shutil
from collections.abc import Callable
from pathlib import Path

from measure import Command, Cost, run

PYTEST = ["-m", "pytest", "-q", "-p", "no:cacheprovider"]
CACHE = Path(".cache")


def record(folder: Path) -> None:
    """Record all pages of a site, as whoever measures its tests has done before."""
    run([*PYTEST, "docs", "--record"], folder)


def commands(folder: Path, page: str) -> dict[str, Command]:
    """What is measured, by name, in the order of a round; `page` is edited and tested alone.

    plain: the site without our plugin, which runs nothing. bare: one Python process runs the blocks. cold: a build with
    no cache. warm: nothing has changed. edited: the first block of one page has. tests, test: of all pages, of one.
    """
    numbers = itertools.count(1)

    def build(config: str) -> Cost:
        return run(["-m", "mkdocs", "build", "-f", config], folder)

    def cold() -> Cost:
        shutil.rmtree(folder / CACHE, ignore_errors=True)
        return build("ours.yml")

    def edited() -> Cost:
        return _changed(folder / page, next(numbers), lambda: build("ours.yml"))

    return {
        "plain": lambda: build("plain.yml"),
        "bare": lambda: run(["bare.py"], folder),
        "cold": cold,
        "warm": lambda: build("ours.yml"),
        "edited": edited,
        "tests": lambda: run([*PYTEST, "docs"], folder),
        "test": lambda: run([*PYTEST, page], folder),
    }


def _changed(page: Path, number: int, call: Command) -> Cost:
    """What a command costs while the first block of a page has another line."""
    text = page.read_text(encoding="utf-8")
    first: Callable[[re.Match[str]], str] = lambda match: f"{match[0]}changed = {number}\n"  # noqa: E731
    page.write_text(re.sub(r"^```python$\n", first, text, count=1, flags=re.M), encoding="utf-8")
    try:
        return call()
    finally:
        page.write_text(text, encoding="utf-8")
