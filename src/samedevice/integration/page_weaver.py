"""page_weaver: a page with the text that a builder renders to what readers get of it; what builders have in common.

Other plugins and extensions may change a page before it is rendered: they expand macros, or include other files. Their
text is shown, and the blocks of the page are found in it again.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Protocol

from markdown import Markdown  # type: ignore[import-untyped]

from samedevice.devices import DEVICES
from samedevice.errors import PageError
from samedevice.exporting.check_export import SUFFIX, check_export
from samedevice.exporting.exports import exports
from samedevice.files import find_or_make, key
from samedevice.outputs.recording_files import Recorded, place
from samedevice.outputs.recordings import Recording
from samedevice.page_runs import PageRuns
from samedevice.pages.fences import FRONT_MATTER, Fence, find_fences
from samedevice.pages.page import Block, Page
from samedevice.pages.parsing import is_own
from samedevice.project import CACHE, PACKAGE
from samedevice.weaving.between import read_diagrams
from samedevice.weaving.completeness import check_shown
from samedevice.weaving.copies import copies
from samedevice.weaving.panes import Shown
from samedevice.weaving.prose import Address, plain_title
from samedevice.weaving.shown import Known, newest, outputs_of
from samedevice.weaving.weave import weave, woven_outputs

FOLDER = PACKAGE / "assets"
"""Where they are in this package."""
STYLE = "assets/samedevice/outputs.css"
SCRIPT = "assets/samedevice/outputs.js"
"""Where they are on the site."""
LOADS = re.compile(rf"(?:\n[ \t]*)?(?:<link\b[^>]*{STYLE}[^>]*>|<script\b[^>]*{SCRIPT}[^>]*></script>)")
"""What loads them, with the white space before it."""
ARTICLE = re.compile(r"<article\b[^>]*>(?P<content>.*)</article>", re.S)
"""The content of a page in a theme that has an element for it."""
USES = re.compile(r'class="sd-|\bdata-block="(?![^>]*\bdata-part=)')
"""What a page has that uses them: an output, or a block with a button that copies a program."""
CHOICE = "choice.js"
"""The script of a page's head: it runs before the outputs are seen, so that none of them moves."""
ADVICE = "the page would not show what ran; keep them from changing it, or list the page below leave"
HIDDEN = re.compile(r"(?:^|/)\.")
"""A file or a folder that is hidden."""


def text_of(name: str) -> str:
    """The text of one of them. Raises OSError."""
    return (FOLDER / Path(name).name).read_text(encoding="utf-8")


def where_used(html: str, instant: bool) -> str:
    """A page's HTML with that script if it shows blocks or outputs; without style and scripts if it does not.

    A theme that takes readers from page to page without loading one (`instant`) runs the scripts of a page's content
    when it shows the page, and no others. So they are in the content there. Raises OSError.
    """
    if not USES.search(html):
        return LOADS.sub("", html)
    article = ARTICLE.search(html) if instant else None
    if article is None:
        head, end, body = html.partition("</head>")
        return f"{head}<script>{_choice()}</script>{end}{body}" if end else html
    style, script = ("".join(tag.strip() for tag in LOADS.findall(html) if tag.strip()[1] == kind) for kind in "ls")
    begin, content, end = html[: article.start("content")], article["content"], html[article.end("content") :]
    begin, end = (LOADS.sub("", part) for part in (begin, end))
    return f"{begin}{style}<script>{_choice()}</script>{content}{script}{end}"


def within() -> str:
    """Style and scripts as HTML for a page's content, where a site takes no files from this package. Raises OSError."""
    return f"<style>{text_of(STYLE)}</style><script>{_choice()}</script><script>{text_of(SCRIPT)}</script>"


def _choice() -> str:
    """Its text with the kinds of device, without lines and spaces; no string of it has any."""
    text = text_of(CHOICE).partition("*/\n")[2].replace("DEVICES", json.dumps(DEVICES))
    return re.sub(r"\n *| (?=[=}])|(?<=[={>]) ", "", text)


def with_text(page: Page, text: str) -> Page:
    """The page with this text, which has no front matter. Raises PageError where a block is not in it as it was."""
    front = FRONT_MATTER.match(page.text)
    head = front[0] if front else ""
    if _lines(page.text[len(head) :]) == _lines(text):
        return page
    whole = f"{head}{text}"
    fences = find_fences(whole, page.path, hidden=not page.settings.console)
    blocks = []
    for block in page.blocks:
        if block.of_project:
            blocks.append(block)
            continue
        like = (_language(block.fence), block.fence.body)
        fence = next((fence for fence in fences if (_language(fence), fence.body) == like), None)
        if fence is None:
            raise PageError(page.path, block.line, f"another plugin or extension changed this block; {ADVICE}")
        blocks.append(replace(block, fence=replace(fence, line=block.fence.line)))
    return replace(page, text=whole, blocks=tuple(blocks))


def without_front_matter(text: str) -> str:
    """A text as builders render it."""
    return FRONT_MATTER.sub("", text, count=1)


def _language(fence: Fence) -> str:
    """The first word of a fence's first line: others may take options out that they alone know."""
    found = re.search(r"[\w#+-]+", fence.info)
    return found[0] if found else ""


def _lines(text: str) -> list[str]:
    """The lines of a text without blank ones at its ends, which builders drop."""
    return text.strip("\n\ufeff").splitlines()


@dataclass(frozen=True)
class Woven:
    """What readers get of a page."""

    markdown: str
    """The page with its outputs in it."""
    exports: Mapping[str, str]
    """The files to take along, by suffix; empty if the project wants none."""
    problems: Sequence[str]
    """What a strict build fails on, one message each."""

    def check(self, page: Page, html: str) -> None:
        """Raise PageError or PageErrors if the page's HTML does not show its blocks and outputs as they ran."""
        check_shown(page, woven_outputs(self.markdown), html)


@dataclass
class PageWeaver:
    """Weaves the pages of one build of a site."""

    runs: PageRuns
    """What runs the pages, and knows their outputs."""
    address: Address
    """Where the site is."""

    def woven(self, page: Page) -> Woven:
        """What is made of a page. Raises SameDeviceError.

        Kept under the hash of the page's text, its diagrams, the site's address, and the outputs of its blocks.
        """
        diagrams, known = read_diagrams(page, self.runs.root), self.runs.known(page)
        made_of = key(page.text, repr(diagrams), repr(self.address), *known.key)

        def written(shown: Shown) -> str:
            return weave(page, shown, copies(page, shown), diagrams, self.about(page))

        path = place(self.runs.root / CACHE / "woven", page)
        return Woven(**find_or_make(path, made_of, lambda: asdict(self.made(known, written))))

    def about(self, page: Page) -> str:
        """A page's link to what explains simulated devices; empty if the project has no such page."""
        return self.address.between(page, page.settings.simulated) if page.settings.simulated else ""

    def made(self, known: Known, write: Callable[[Shown], str]) -> Woven:
        """What is made of a page, made now; `write` writes the page, given what to show under each block."""
        shown, problems = outputs_of(known)
        return Woven(write(shown), self._exports(known, shown) if known.page.settings.exports else {}, problems)

    def _exports(self, known: Known, shown: Shown) -> dict[str, str]:
        """The page's files to take along, by suffix.

        A page with code that is no Python has none: what is wrong with it is shown below the block.
        """
        page, recordings = known.page, [*known.recorded, *filter(None, known.here.values())]
        files = {block.index: dict(self._files(block, recordings, page)) for block in page.blocks}
        try:
            found = exports(page, newest(shown), self.address, files)
        except SyntaxError:
            return {}
        whole = {path: text for own in files.values() for path, text in own.items()}
        return found | {SUFFIX: check_export(page, plain_title(page), whole, known.recorded)}

    def _files(self, block: Block, recordings: Sequence[Recording], page: Page) -> Iterator[tuple[str, str]]:
        """The files that a block runs or read, paths and texts, as they are published with the page.

        They are regular files below the folders of programs and pages, by their own names: neither hidden nor links.
        """
        entries = (one.find(page, block.index).entry for one in recordings)
        paths = {path for entry in entries if entry for path, _ in entry.read} | {block.path} - {page.path}
        folders = tuple(f"{folder}/" for folder in (page.settings.programs, page.settings.docs))
        for path in (path for path in sorted(paths) if path.startswith(folders) and not HIDDEN.search(path)):
            if is_own(self.runs.root / path, self.runs.root):
                yield path, (self.runs.root / path).read_bytes().decode(errors="replace")


@dataclass(frozen=True, eq=False)
class RenderedSite:
    """The site that is built, for extensions that make parts of one page from all pages. One for each build."""

    root: Path
    """The repository root."""
    pages: Sequence[Page]
    """All pages that can be read."""

    recorded: Callable[[Page], Recorded]
    """Reads what is recorded of a page."""

    def recordings(self, page: Page) -> tuple[Recording, ...]:
        """What is recorded of a page, newest PyTorch first; what cannot be read is left out."""
        return self.recorded(page)[0]


class Weaving(Protocol):
    """What a builder gives the extension: it knows which page is rendered."""

    def rendered(self) -> tuple[RenderedSite, Page] | None:
        """The site, and the page that is about to be woven; None if that is none of ours."""

    def woven(self, md: Markdown, text: str) -> str | None:
        """The Markdown to render in the place of `text`; None for text that is no page of ours."""

    def checked(self, html: str) -> str:
        """The HTML of the page that was woven last, or what is wrong with it."""
