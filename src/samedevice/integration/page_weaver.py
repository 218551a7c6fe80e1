"""page_weaver: makes of a page what readers get of it, whatever builds the site, and checks its HTML."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass

from samedevice import file_cache
from samedevice.errors import PageErrors, SameDeviceError
from samedevice.outputs.recording_files import place
from samedevice.pages.page import Page
from samedevice.project import CACHE, NOTEBOOK
from samedevice.site_outputs import SiteOutputs
from samedevice.weaving.completeness import check_shown
from samedevice.weaving.diagrams import read_diagrams
from samedevice.weaving.panes import ShownOutput
from samedevice.weaving.prose import Address
from samedevice.weaving.weave import weave, weave_notebook, woven_outputs


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

    site_outputs: SiteOutputs
    """Knows what to show under the blocks."""
    address: Address
    """Where the site is."""

    def woven(self, page: Page) -> Woven:
        """What is made of a page. Raises SameDeviceError.

        Kept under the hash of the page's text, its diagrams, the site's address, and the outputs of its blocks.
        """
        diagrams = read_diagrams(page, self.site_outputs.root)
        write = weave_notebook if page.path.endswith(NOTEBOOK) else weave
        key = file_cache.key(page.text, repr(diagrams), repr(self.address), *self.site_outputs.about(page))

        def make() -> dict[str, object]:
            def written(shown: dict[int, list[ShownOutput]]) -> str:
                return write(page, shown, self.site_outputs.copies(page, shown), diagrams, self.about(page))

            return asdict(self.made(page, written))

        return Woven(**file_cache.find_or_make(place(self.site_outputs.root / CACHE / "woven", page), key, make))

    def about(self, page: Page) -> str:
        """A page's link to what explains simulated devices; empty if the project has no such page."""
        return self.address.between(page, page.settings.simulated) if page.settings.simulated else ""

    def made(self, page: Page, write: Callable[[dict[int, list[ShownOutput]]], str]) -> Woven:
        """The same, made now; `write` writes the page, given what to show under each block."""
        shown, problems = self.site_outputs.read(page)
        woven = write(shown)
        exports = self.site_outputs.exports(page, shown, self.address) if page.settings.exports else {}
        return Woven(woven, exports, problems)


def messages(error: SameDeviceError) -> Iterable[str]:
    """What is wrong with a page, one message for each error."""
    return map(str, error.errors) if isinstance(error, PageErrors) else [str(error)]
