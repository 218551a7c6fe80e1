"""exports: a page and its outputs to the files that readers take along, as plain Markdown first; and llms.txt."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from samedevice.devices import LABELS
from samedevice.outputs import labels
from samedevice.outputs.escaping import markdown as escaped
from samedevice.pages.fences import fence_mark
from samedevice.pages.page import Block, Page
from samedevice.weaving.notebook_export import Files, notebook
from samedevice.weaving.panes import ShownOutput
from samedevice.weaving.prose import Address, Unboxer, pieces, portable, without_attributes
from samedevice.weaving.script_export import script


def markdown(page: Page, shown: Mapping[int, Sequence[ShownOutput]], address: Address | None = None) -> str:
    """The page's Markdown, without front matter and fence options, each output as text after its block.

    It is where its page is, among the others: where the site's address is not known, its links stay relative.
    """
    parts = []
    for text, block in pieces(page):
        parts.append(portable(text, page, address) if address and address.root else without_attributes(text))
        if block is not None and not block.hidden:
            parts.append(_block(block, shown.get(block.index, ())))
    return Unboxer().feed("".join(parts))


def _block(block: Block, shown: Sequence[ShownOutput]) -> str:
    """A block with its outputs, after what its fence begins with on the page."""
    prefix = block.fence.prefix
    code = _fenced(block.code, "console" if block.kind == "console" else "python")
    title = f"{escaped(block.options.fold)}:" if block.options.fold else ""
    text = "\n\n".join(filter(None, [title, code, *(_output(block, one) for one in shown)]))
    return "\n".join(f"{prefix}{line}".rstrip() for line in text.split("\n"))


def _output(block: Block, one: ShownOutput) -> str:
    if one.output is None or not (one.output.shown or one.output.figures):
        return f"{LABELS[one.device]}: {escaped(one.note)}" if one.note else ""
    about = one.environment
    where = f" ({escaped(str(about))})" if about else ""
    found = [f"Output on {labels.kind(about) if about else LABELS[one.device]}{where}:"]
    if one.output.shown:
        found.append(_fenced(one.output.shown, "text"))
    return "\n\n".join([*found, *(f"Figure: {escaped(block.options.alt)}" for _ in one.output.figures)])


def _fenced(text: str, language: str) -> str:
    mark = fence_mark(text)
    return f"{mark}{language}\n{text.rstrip()}\n{mark}"


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
