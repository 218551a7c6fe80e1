"""notebooks: a notebook with its outputs to the HTML of its page, by mkdocs-jupyter, kept until the notebook changes.

MkDocs has to know where its links lead.

mkdocs-jupyter's converter is imported only where there is something to convert: its import alone takes longer than a
warm build may take for all notebooks, and as a plugin of its own it would be imported in every build.
"""

from __future__ import annotations

import importlib.metadata
import logging
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from html import unescape
from pathlib import Path
from typing import Any

from markdown.extensions.toc import slugify, unique  # type: ignore[import-untyped]
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import Files
from mkdocs.structure.pages import Page as SitePage
from mkdocs.structure.pages import _RelativePathTreeprocessor

from samedevice.errors import need
from samedevice.exporting.notebook_export import Part, code_cell, display, document, markdown_cell
from samedevice.files import Folder, find, keep, key
from samedevice.pages.page import Block, Page
from samedevice.weaving.between import draw
from samedevice.weaving.copies import Copy, attributes
from samedevice.weaving.output_html import output_html
from samedevice.weaving.panes import ShownOutput
from samedevice.weaving.prose import cells, relink
from samedevice.weaving.weave import TITLE, anchors, counts_html

TEMPLATES = Path(__file__).with_name("templates")
CONVERTERS = ("mkdocs-jupyter", "nbconvert", "Pygments")
HEADING = re.compile(r"<h([1-6])[^>]*>(.*?)(?:<a class=\"anchor-link\"[^>]*>.*?</a>)?</h\1>", re.S)
PLAIN = re.compile(r'(<div class="highlight"><pre>)(<span></span>.*?)(</pre></div>)', re.S)
"""A fence without highlighting: the converter leaves out the `code` element, which the theme's style needs."""


@dataclass(frozen=True)
class Converted:
    """A notebook as the content of a page."""

    html: str
    """The content; headings have ids and links to themselves, as on every page."""
    headings: list[dict[str, Any]]
    """Level, id and name of each heading, in order: what MkDocs calls toc tokens."""


def with_outputs(
    page: Page,
    shown: Mapping[int, Sequence[ShownOutput]],
    copies: Mapping[int, Copy],
    link: Callable[[str], str],
    diagrams: Mapping[str, str] | None = None,
    about: str = "",
) -> str:
    """The notebook that mkdocs-jupyter is given, as JSON: its outputs are the HTML that a page has. Pure.

    `shown`, `copies`, `diagrams` and `about` are those of `weave`; `link` gives the address to write for a link of the
    source.
    """
    found: list[Part] = []
    ids = anchors(page)
    for cell in cells(page):
        if isinstance(cell, str):
            text = draw(cell, diagrams or {})
            if not found:
                text = TITLE.sub(lambda title: f"{title[0]}\n\n{counts_html(page, shown, about)}", text, count=1)
            found.append(markdown_cell(relink(text, link)))
        else:
            anchor = ids[cell.index]
            html = output_html(cell, shown.get(cell.index, ()), f"{anchor}-out", about, page.settings.show)
            found.append(_code_cell(cell, html, copies.get(cell.index), anchor))
    return document(found)


def _code_cell(block: Block, html: str, copy: Copy | None, anchor: str) -> Part:
    """A cell with what the template writes at its block: title, lines to highlight, data that the copy button reads."""
    options = block.options
    ranges = [part.partition("-") for part in options.hl_lines.split()]
    lines = [line for first, _, last in ranges for line in range(int(first), int(last or first) + 1)]
    about = {
        "id": anchor,
        "data": attributes(block, copy),
        "title": options.title,
        "lines": lines,
        "fold": options.fold,
    }
    return code_cell(block.code, [display({"text/html": html})] if html else [], {"samedevice": about})


def convert(notebook: str, path: Path) -> tuple[Converted, bool]:
    """The page of a finished notebook, and whether it was converted now. Raises MissingExtra.

    Kept in `path` under the hash of the notebook and the versions of the packages that convert it.
    """
    need("notebooks", f"the notebook {path.stem}")
    made_of = key(notebook, *map(importlib.metadata.version, CONVERTERS))
    found = find(path, made_of)
    if found is not None:
        return Converted(**found), False
    html = _by_mkdocs_jupyter(notebook, path.with_suffix(".ipynb").name)
    done = _with_headings(PLAIN.sub(r"\1<code>\2</code>\3", html))
    keep(path, made_of, asdict(done))
    return done, True


def _by_mkdocs_jupyter(notebook: str, name: str) -> str:
    """The HTML of a notebook by our template: mkdocs-jupyter's adds 590 kB of styles, and scripts of other hosts."""
    from mkdocs_jupyter.config import settings  # type: ignore[import-untyped]
    from mkdocs_jupyter.convert import nb2html  # type: ignore[import-untyped]

    folder, log, theirs = Folder(), logging.getLogger("mkdocs.mkdocs-jupyter"), settings.templates_dir
    level = log.level
    try:
        (folder.path / name).write_text(notebook, encoding="utf-8")
        settings.templates_dir = str(TEMPLATES)
        log.setLevel(logging.WARNING)
        html: str = nb2html(str(folder.path / name), execute=False)
    finally:
        settings.templates_dir = theirs
        log.setLevel(level)
        folder.remove()
    return html.rpartition("<style>")[0].strip()


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


class Links:
    """Follows the links of a notebook's page as MkDocs follows those of the others, warnings included."""

    def __init__(self, page: SitePage, files: Files, config: MkDocsConfig) -> None:
        self.page = page
        self.processor = _RelativePathTreeprocessor(page.file, files, config)

    def follow(self, url: str) -> str:
        """The address to write on the page for a link of the source."""
        return self.processor.path_to_url(url)

    def check(self, anchors: set[str]) -> None:
        """Have MkDocs check the anchors that were linked to; this page has `anchors`."""
        self.page.links_to_anchors = self.processor.links_to_anchors
        self.page.present_anchor_ids = anchors
