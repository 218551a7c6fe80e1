"""exports: what readers take along of a page, and the list of all pages for programs that read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from samedevice.pages.page import Page
from samedevice.weaving.markdown_export import markdown
from samedevice.weaving.notebook_export import notebook
from samedevice.weaving.panes import ShownOutput
from samedevice.weaving.prose import Address
from samedevice.weaving.script_export import script


def exports(page: Page, shown: Mapping[int, Sequence[ShownOutput]], address: Address | None = None) -> dict[str, str]:
    """The page's files to take along, by suffix. Raises SyntaxError."""
    made = {"md": markdown, "ipynb": notebook, "py": script}
    return {suffix: make(page, shown, address) for suffix, make in made.items()}


def llms(site: str, about: str, pages: Sequence[tuple[str, str, str]]) -> str:
    """The text of llms.txt: `pages` are title, address of the Markdown, description."""
    lines = [f"- [{title}]({address}): {text}" for title, address, text in pages]
    return "\n".join([f"# {site}", "", f"> {about}", "", "## Pages", "", *lines, ""])
