"""pages: the Markdown that Zensical renders for a page: woven from its file and its recordings; nothing is run.

Zensical keeps what it rendered, and asks again for pages that changed. So nothing is held between two pages here, and
each page is read as it is now.
"""

from __future__ import annotations

import posixpath
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from samedevice.book import Book
from samedevice.errors import PageError, SameDeviceError
from samedevice.generated.markers import asks
from samedevice.integration.maker import Maker
from samedevice.integration.page_assets import within
from samedevice.pages.fences import FRONT_MATTER
from samedevice.pages.links import relink
from samedevice.pages.page import Page
from samedevice.pages.parsing import parse_page
from samedevice.pages.percent import is_program
from samedevice.project import CACHE, MARKDOWN, NOTEBOOK, Settings
from samedevice.weaving.prose import Address
from samedevice.weaving.weave import error_page, held, holds

COPY = CACHE / "zensical"
"""Where `samedevice build` puts the copy of a project that Zensical builds, in which notebooks are pages."""


@dataclass(frozen=True)
class Project:
    """What a page is woven with."""

    root: Path
    """The folder of the project's mkdocs.yml."""
    settings: Settings
    """What that says of the engine."""
    address: Address
    """Where the site is."""
    copied: bool
    """Whether Zensical builds a copy that `samedevice build` made."""


def project_root(built: Path) -> tuple[Path, bool]:
    """The project that Zensical builds in the folder `built`, and whether that is a copy of it."""
    copied = built.parts[-len(COPY.parts) :] == COPY.parts
    return (built.parents[len(COPY.parts) - 1] if copied else built), copied


def woven(project: Project, uri: str) -> str | None:
    """The Markdown of the page at `uri`, without front matter; None for a page that is not ours.

    A page that cannot be shown has what is wrong in its place. That and problems are told, in a copy by its build.
    """
    path = source(project.root / project.settings.docs, uri)
    if path is None or project.settings.leaves(path.relative_to(project.root).as_posix()):
        return None
    try:
        text = _made(project, parse_page(path, project.root, settings=project.settings))
    except SameDeviceError as error:
        lines = str(error).splitlines()
        _tell(project, lines)
        return error_page(lines)
    text = FRONT_MATTER.sub("", text, count=1)
    if project.copied:
        return relink(text, lambda url: _of_copy(project, uri, url))
    return text + held(within()) if holds(text) else text


def source(docs: Path, uri: str) -> Path | None:
    """The file of a page: in a copy, the Markdown of a notebook has the notebook for its source."""
    page, notebook = docs / uri, (docs / uri).with_suffix(NOTEBOOK)
    if page.is_file():
        return page
    return notebook if notebook.is_file() else None


def _made(project: Project, page: Page) -> str:
    book = Book(project.root, lambda line: None, devices=())
    pages = tuple(readable(project.root, project.settings)) if asks(page) else ()
    made = Maker(book, pages, project.address).made(page)
    _tell(project, made["problems"])
    return str(made["markdown"])


def _tell(project: Project, problems: Iterable[str]) -> None:
    for problem in () if project.copied else problems:
        print(f"samedevice: {problem}", file=sys.stderr)


def readable(root: Path, settings: Settings) -> Iterable[Page]:
    """All pages that can be read; what is wrong with the others is told where they are rendered."""
    for path in page_files(root, settings):
        try:
            yield parse_page(path, root, settings=settings)
        except PageError:
            continue


def page_files(root: Path, settings: Settings) -> list[Path]:
    """The files of all pages; a file of Python is one if it has cells."""
    return [path for path in settings.page_paths(root) if not is_program(path)]


def _of_copy(project: Project, uri: str, url: str) -> str:
    """A link of a page as its copy has it: to the Markdown that was made of a notebook."""
    target, mark, anchor = url.partition("#")
    path = project.root / project.settings.docs / posixpath.normpath(posixpath.join(posixpath.dirname(uri), target))
    copy = project.root / COPY / path.relative_to(project.root).with_suffix(MARKDOWN)
    notebook = target.endswith(NOTEBOOK) and path.is_file() and copy.is_file()
    return f"{target.removesuffix(NOTEBOOK)}{MARKDOWN}{mark}{anchor}" if notebook else url
