"""notebook_export: a page and the outputs of one device to a notebook, as JSON in nbformat 4.5.

The package nbformat makes the same dictionaries; its import costs each build 0.15 s, so it is left to the tests, which
have it check these.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from samedevice.outputs import labels
from samedevice.outputs.output import Output
from samedevice.pages.page import Block, Page
from samedevice.project import NOTEBOOK, PROGRAMS
from samedevice.weaving.copies import attempt, imported_packages
from samedevice.weaving.panes import ShownOutput, is_simulated
from samedevice.weaving.prose import Address, Unboxer, pieces, portable

Part = dict[str, Any]
"""A cell, or an output."""
KERNEL = {"kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"}}


def document(cells: Iterable[Part]) -> str:
    """A notebook with these cells, as the text of its file."""
    numbered = [{"id": f"cell-{number}"} | cell for number, cell in enumerate(cells)]
    return json.dumps({"cells": numbered, "metadata": KERNEL, "nbformat": 4, "nbformat_minor": 5}, indent=1) + "\n"


def markdown_cell(source: str) -> Part:
    """A cell of text."""
    return {"cell_type": "markdown", "metadata": {}, "source": source}


def code_cell(source: str, outputs: Sequence[Part] = (), metadata: Mapping[str, Any] | None = None) -> Part:
    """A cell of code with its outputs."""
    cell = {"cell_type": "code", "execution_count": None, "metadata": dict(metadata or {})}
    return cell | {"outputs": list(outputs), "source": source.rstrip("\n")}


def display(data: Mapping[str, str]) -> Part:
    """An output that is a picture, or HTML: its forms by their types."""
    return {"output_type": "display_data", "metadata": {}, "data": dict(data)}


Files = Mapping[int, Mapping[str, str]]
"""By the index of a block the texts of the files that it runs or reads, by their paths."""
INSTALL = """\
# Installs what this machine lacks of these.
import importlib.util

packages = {packages}
missing = [name for module, name in packages.items() if importlib.util.find_spec(module) is None]
if missing:
    %pip install --quiet {{" ".join(missing)}}"""


def notebook(
    page: Page, shown: Mapping[int, Sequence[ShownOutput]], address: Address | None = None, files: Files | None = None
) -> str:
    """The page as a notebook with the outputs of one device: the CPU's, else the first there is.

    `files` are the files that its console blocks lead to.

    Cells that announce an exception, or need a device or a version of PyTorch, carry the tag `raises-exception`, so
    that a run goes on.
    """
    return document(_cells(page, shown, address or Address(), files or {}))


def _cells(page: Page, shown: Mapping[int, Sequence[ShownOutput]], address: Address, files: Files) -> Iterator[Part]:
    unboxer = Unboxer()
    for text, block in pieces(page):
        plain = unboxer.feed(portable(text, page, address)).strip()
        if plain:
            yield markdown_cell(plain)
        if block is not None and block.index == 0 and page.path.endswith(NOTEBOOK):
            codes = (one.code for one in page.blocks if one.kind == "python")
            yield code_cell(INSTALL.format(packages=json.dumps(imported_packages(codes))))
        if block is not None:
            yield from _again(page, block)
            unboxer.block(block.fence.prefix)
            yield from _code_cells(block, shown.get(block.index, ()), files.get(block.index, {}))


def _again(page: Page, block: Block) -> Iterator[Part]:
    """A cell that runs again what a section comes after, where others ran since: a kernel has one namespace."""
    for number, section in enumerate(page.sections):
        if section.blocks[0] is block and section.after and section.after is not page.sections[number - 1]:
            codes = [attempt(one) for one in section.before if one.kind == "python"]
            yield code_cell("%%capture\n" + "\n\n".join(codes), [], {"jupyter": {"source_hidden": True}})


def _code_cells(block: Block, shown: Sequence[ShownOutput], files: Mapping[str, str]) -> Iterator[Part]:
    first = next((one for one in shown if one.output is not None), None)
    source = block.code
    if block.kind == "shown":
        yield markdown_cell(f"```python\n{block.code}```\n\nNot run: {block.options.reason}")
        return
    if block.kind == "program":
        name = block.path.rpartition("/")[2]
        yield code_cell(f"%%writefile {name}\n{block.code}")
        source = f"!python {name} {block.options.args}".rstrip()
    elif block.kind == "console":
        programs = {path: text for path, text in files.items() if path.startswith(f"{PROGRAMS}/")}
        yield from (code_cell(f"%%writefile {path.rpartition('/')[2]}\n{text}") for path, text in programs.items())
        source = re.sub(r"^\$ ", "!", block.code, flags=re.M).replace(f"{PROGRAMS}/", "")
    yield code_cell(source, [*_outputs(block, first)] if first else [], _metadata(block))


def _metadata(block: Block) -> dict[str, Any]:
    """What Jupyter is told of a block: that it may fail, that its code is folded."""
    tags = {"tags": ["raises-exception"]} if block.options.raises or block.options.needed else {}
    return tags | ({"jupyter": {"source_hidden": True}} if block.options.fold else {})


def _outputs(block: Block, shown: ShownOutput) -> Iterator[Part]:
    output = shown.output or Output()
    if shown.environment and is_simulated(shown):
        note = f"{labels.kind(shown.environment)}. {labels.NO_DEVICE}"
        yield display({"text/markdown": f"*{note}*", "text/plain": note})
    if output.text:
        yield {"output_type": "stream", "name": "stdout", "text": output.text}
    for figure in output.figures:
        picture = figure.svg.replace("currentColor", "#808080")
        yield display({"image/svg+xml": picture, "text/plain": block.options.alt})
    if output.value:
        found = {"text/plain": output.value}
        yield {"output_type": "execute_result", "execution_count": None, "metadata": {}, "data": found}
    if output.raised:
        name, message = output.raised.type, output.raised.message
        yield {"output_type": "error", "ename": name, "evalue": message, "traceback": [f"{name}: {message}"]}
