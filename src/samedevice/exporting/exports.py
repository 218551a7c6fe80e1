"""exports: a page and its outputs to the files that readers take along: Markdown, script, notebook, and llms.txt."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

from samedevice.devices import KINDS, LABELS
from samedevice.exporting.notebook_export import Files, notebook
from samedevice.outputs import labels
from samedevice.outputs.escaping import markdown as escaped
from samedevice.outputs.escaping import python_comment
from samedevice.pages.fences import fence_mark
from samedevice.pages.page import Block, Page
from samedevice.pages.sections import Section
from samedevice.weaving.copies import (
    QUIET,
    attempt,
    caught,
    does_something,
    imported_packages,
    indent,
    listed,
    printed,
    value_is_shown,
)
from samedevice.weaving.panes import ShownOutput
from samedevice.weaving.prose import Address, Unboxer, headings, pieces, plain_title, portable, without_attributes

PYTHON = ">=3.10"
"""The versions of Python that scripts run on."""
METADATA = """\
# /// script
# requires-python = {python}
# dependencies = {packages}
# ///"""
NEEDS_TORCH = "import torch"
RELEASE = 'tuple(map(int, torch.__version__.split(".")[:2]))'
"""An expression for the release of PyTorch: (2, 15) for 2.15.1+cpu."""
NEW_SECTION = """\
def new_section():
    for name in globals().keys() - SETUP.keys():  # each section has names of its own, beside the setup's
        del globals()[name]
    globals().update(SETUP)


SETUP = {}
SETUP.update(globals())"""
PRINT_ERROR = 'print(type(error).__name__ + (f": {error}" if str(error) else ""))'


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


def script(page: Page, shown: Mapping[int, Sequence[ShownOutput]], address: Address | None = None) -> str:
    """The page as a program: headings as comments, each block in order, announced exceptions caught and printed.

    A block that needs a device, or a version of PyTorch, runs only where that is there; a value that the page shows is
    printed.
    """
    guarded = any(_checks(block) for block in page.blocks if block.kind == "python")
    codes = [block.code for block in page.blocks if block.kind == "python"] + [NEEDS_TORCH] * guarded
    packages = sorted(imported_packages(codes).values())
    parts = [METADATA.format(python=json.dumps(PYTHON), packages=json.dumps(packages))]
    parts[0] += "\n" + _about(page, shown, address or Address())
    parts += [NEEDS_TORCH] if guarded else []
    begins = {section.blocks[0].index: section for section in page.sections}
    first = page.sections[0] if len(page.sections) > 1 else None
    setup = [block for block in page.blocks if block.options.setup]  # runs before the first section, wherever it is
    for text, block in pieces(page):
        parts += map(python_comment, headings(text))
        if block is not None:
            parts += [_code(one, shown.get(one.index, ())) for one in setup]
            setup = []
        if block is not None and not block.options.setup:
            section = begins.get(block.index)
            if first and section is not None:
                parts += [NEW_SECTION] if section is first else _beginning(section)
            parts.append(_code(block, shown.get(block.index, ())))
    return "\n\n".join(parts) + "\n"


def _beginning(section: Section) -> list[str]:
    """The code that gives a section names of its own: the setup's, and those of the sections that it comes after."""
    before = (block for block in section.before if block.kind == "python" and not block.options.setup)
    silent = [indent(_guarded(block, attempt(block))) for block in before if does_something(block.code)]
    return ["new_section()", *([QUIET + "\n\n".join(silent)] if silent else [])]


def _about(page: Page, shown: Mapping[int, Sequence[ShownOutput]], address: Address) -> str:
    """Comments on what the program is."""
    file = f"{page.name.rpartition('/')[2]}.py"
    where = address.of(page) or page.name
    of = f" of {page.settings.name}" if page.settings.name else ""
    lines = [f"{plain_title(page)}: the code of a page{of}, {where}"]
    outputs = (one for some in shown.values() for one in some if one.output)
    made = listed([*dict.fromkeys(labels.version_on(one.environment) for one in outputs if one.environment)])
    lines += [f"The outputs on that page were recorded with {made}."] if made else []
    lines += [f"It runs on the device that is there. Run it with: uv run {file}"]
    return "\n".join(map(python_comment, lines))


def _code(block: Block, shown: Sequence[ShownOutput]) -> str:
    title = f"{python_comment(block.options.fold)}\n" if block.options.fold else ""
    if block.kind != "python":
        command = f"python {block.path} {block.options.args}".rstrip() if block.kind == "program" else block.code
        return title + "\n".join(python_comment(line.removeprefix("$ ")) for line in command.strip().split("\n"))
    code = block.code.strip("\n")
    if not does_something(code):
        return title + code
    code = printed(code, value_is_shown(shown))
    if block.options.raises:
        names = ", ".join(dict.fromkeys(name for _, name in block.options.raises))
        code = f"try:\n{indent(code)}\nexcept {caught(block)} as error:  # {names}\n    {PRINT_ERROR}"
    return title + _guarded(block, code)


def _guarded(block: Block, code: str) -> str:
    """The code of a block, to run only where there is what the block needs."""
    return f"if {' and '.join(_checks(block))}:\n{indent(code)}" if _checks(block) else code


def _checks(block: Block) -> list[str]:
    """Expressions that are true where there is what the block needs."""
    options = block.options
    device = [KINDS[options.needs].check.format(count=options.count)] if options.needs else []
    return device + [f"{RELEASE} {sign} {release}" for sign, release in options.bounds]
