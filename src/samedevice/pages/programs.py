"""programs: which pages run a program, so that naming the program means testing these pages."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

from samedevice.errors import PageError
from samedevice.pages.page import Page
from samedevice.pages.parsing import parse_page
from samedevice.project import DEFAULTS, Settings


def programs_of(page: Page) -> set[str]:
    """The programs that a page's blocks run or take parts of, as paths relative to the repository root."""
    shown = {block.options.file for block in page.blocks if block.options.file}
    mentioned = re.compile(rf"\b{re.escape(page.settings.programs)}/[\w./-]+\.\w+")
    return shown.union(*(mentioned.findall(block.code) for block in page.blocks))


def pages_for(asked: Iterable[Path], root: Path, settings: Settings = DEFAULTS) -> list[str]:
    """Paths, relative to the root, of the pages that run one of these programs, or one in one of these folders.

    A page that cannot be read counts, so that what is wrong with it is told.
    """
    names = [path.relative_to(root).as_posix() for path in asked]
    return [
        path.relative_to(root).as_posix()
        for path in settings.page_paths(root)
        if _runs_one(path, names, root, settings)
    ]


def _runs_one(path: Path, names: list[str], root: Path, settings: Settings) -> bool:
    try:
        page = parse_page(path, root, settings=settings)
    except PageError:
        return True
    return any(program == name or program.startswith(f"{name}/") for program in programs_of(page) for name in names)
