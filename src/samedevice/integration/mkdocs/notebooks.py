"""convert: a notebook with its outputs to the HTML of its page, by mkdocs-jupyter, kept until the notebook changes.

mkdocs-jupyter's converter is imported only where there is something to convert: its import alone takes longer than a
warm build may take for all notebooks, and as a plugin of its own it would be imported in every build.
"""

from __future__ import annotations

import contextlib
import importlib.metadata
import json
import logging
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from html import unescape
from pathlib import Path
from typing import Any

from markdown.extensions.toc import slugify, unique  # type: ignore[import-untyped]

from samedevice import memo
from samedevice.pages.page import Block, Page
from samedevice.pages.percent import read_cells, relink
from samedevice.temporary import Folder
from samedevice.weaving.output_html import output_html
from samedevice.weaving.panes import Shown

TEMPLATES = Path(__file__).with_name("templates")
CONVERTERS = ("mkdocs-jupyter", "nbconvert", "Pygments")
HEADING = re.compile(r"<h([1-6])[^>]*>(.*?)(?:<a class=\"anchor-link\"[^>]*>.*?</a>)?</h\1>", re.S)


@dataclass(frozen=True)
class Converted:
    """A notebook as the content of a page."""

    html: str
    """The content; headings have ids and links to themselves, as on every page."""
    headings: list[dict[str, Any]]
    """Level, id and name of each heading, in order: what MkDocs calls toc tokens."""


def finished(
    page: Page,
    shown: Mapping[int, Sequence[Shown]],
    needs: Mapping[int, Sequence[int]],
    link: Callable[[str], str],
) -> str:
    """The notebook that mkdocs-jupyter is given, as JSON: its outputs are the HTML that a page has. Pure.

    `shown` and `needs` are those of `weave`; `link` gives the address to write for a link of the source.
    """
    cells: list[dict[str, Any]] = []
    blocks = iter(page.blocks)
    for number, cell in enumerate(read_cells(page.text, page.path)):
        about = {"id": f"cell-{number}", "metadata": {}}
        if cell.markdown is not None:
            cells.append(about | {"cell_type": "markdown", "source": relink(cell.markdown, link)})
        else:
            block = next(blocks)
            html = output_html(block, shown.get(block.index, ()))
            cells.append(about | _code_cell(block, html, needs.get(block.index)))
    about = {"kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"}}
    return json.dumps({"cells": cells, "metadata": about, "nbformat": 4, "nbformat_minor": 5}, indent=1)


def _code_cell(block: Block, html: str, needs: Sequence[int] | None) -> dict[str, Any]:
    """A cell with what the template writes at its block: title, lines to highlight, data that the copy button reads."""
    options, data = block.options, {}
    if needs is not None:
        data = {"data-block": str(block.index), "data-needs": " ".join(map(str, needs))}
        data["data-raises"] = ", ".join(dict.fromkeys(name for _, name in options.raises))
    ranges = [part.partition("-") for part in options.hl_lines.split()]
    lines = [line for first, _, last in ranges for line in range(int(first), int(last or first) + 1)]
    about = {"data": {key: value for key, value in data.items() if value}, "title": options.title, "lines": lines}
    output = {"output_type": "display_data", "metadata": {}, "data": {"text/html": html}}
    cell = {"cell_type": "code", "execution_count": None, "source": block.code.rstrip("\n")}
    return cell | {"metadata": {"samedevice": about}, "outputs": [output] if html else []}


def convert(notebook: str, path: Path) -> tuple[Converted, bool]:
    """The page of a finished notebook, and whether it was converted now; `path` is the file that keeps it."""
    key = memo.key(notebook, *map(importlib.metadata.version, CONVERTERS))
    found = memo.find(path, key)
    if found is not None:
        return Converted(**found), False
    done = _with_headings(_by_mkdocs_jupyter(notebook, path.with_suffix(".ipynb").name))
    memo.keep(path, key, asdict(done))
    return done, True


def _by_mkdocs_jupyter(notebook: str, name: str) -> str:
    from mkdocs_jupyter.convert import nb2html  # type: ignore[import-untyped]

    folder = Folder()
    try:
        (folder.path / name).write_text(notebook, encoding="utf-8")
        with _our_template():
            html: str = nb2html(str(folder.path / name), execute=False)
    finally:
        folder.remove()
    return html.rpartition("<style>")[0].strip()


@contextlib.contextmanager
def _our_template() -> Iterator[None]:
    """Has mkdocs-jupyter write the cells alone: its own template adds 590 kB of styles, and scripts of other hosts."""
    from mkdocs_jupyter.config import settings  # type: ignore[import-untyped]

    log, theirs = logging.getLogger("mkdocs.mkdocs-jupyter"), settings.templates_dir
    level = log.level
    settings.templates_dir = str(TEMPLATES)
    log.setLevel(logging.WARNING)
    try:
        yield
    finally:
        settings.templates_dir = theirs
        log.setLevel(level)


def _with_headings(html: str) -> Converted:
    """Give headings the ids and links that they have on the site's other pages."""
    ids: set[str] = set()
    found: list[dict[str, Any]] = []

    def heading(match: re.Match[str]) -> str:
        level, inner = match[1], match[2]
        text = unescape(re.sub(r"<[^>]*>", "", inner)).strip()
        id = unique(slugify(text, "-"), ids)
        found.append({"level": int(level), "id": id, "name": text})
        link = f'<a class="headerlink" href="#{id}" title="Link to this section">&para;</a>'
        return f'<h{level} id="{id}">{inner}{link}</h{level}>'

    return Converted(HEADING.sub(heading, html), found)
