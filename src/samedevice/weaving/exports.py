"""exports: what readers take along of a page, and the list of all pages for programs that read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from samedevice.pages.page import Page
from samedevice.weaving.markdown_export import markdown
from samedevice.weaving.notebook_export import Files, notebook
from samedevice.weaving.panes import ShownOutput
from samedevice.weaving.prose import Address
from samedevice.weaving.script_export import script


def exports(
    page: Page, shown: Mapping[int, Sequence[ShownOutput]], address: Address | None = None, files: Files | None = None
) -> dict[str, str]:
    """The page's files to take along, by suffix; `files` are those that its blocks lead to. Raises SyntaxError."""
    made = {"md": markdown(page, shown, address), "py": script(page, shown, address)}
    return made | {"ipynb": notebook(page, shown, address, files)}


def llms(site: str, about: str, pages: Sequence[tuple[str, str, str]]) -> str:
    """The text of llms.txt: `pages` are title, address of the Markdown, description."""
    lines = [f"- [{title}]({address}): {text}" for title, address, text in pages]
    return "\n".join([f"# {site}", "", f"> {about}", "", "## Pages", "", *lines, ""])
