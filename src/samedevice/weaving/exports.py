"""export: page and outputs as notebook, Python script and plain Markdown, for readers who take a page along. Pure."""

from __future__ import annotations

import ast
import io
import json
import re
import sys
import tokenize
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from samedevice.devices import KINDS, LABELS
from samedevice.outputs.output import Output
from samedevice.pages.fences import FRONT_MATTER, fence_mark
from samedevice.pages.page import Block, Page
from samedevice.pages.percent import read_cells
from samedevice.project import NOTEBOOK, PROGRAMS
from samedevice.weaving.panes import Shown

Cell = dict[str, Any]
ATTRIBUTES = re.compile(r"[ \t]*\{[ \t]*[#.:][^}\n]*\}")
ADMONITION = re.compile(
    r'^(?:!!!|\?\?\?\+?) +(?P<kind>\w+)(?: +"(?P<title>[^"]*)")?[ \t]*\n(?P<body>(?:(?: {4}.*)?\n)*)', re.M
)
INSTALL = """\
# Installs what this machine lacks of these.
import importlib.util

packages = {packages}
missing = [name for module, name in packages.items() if importlib.util.find_spec(module) is None]
if missing:
    %pip install --quiet {{" ".join(missing)}}"""
LINK = re.compile(r"\]\((?!\w+:|#)([^)#\s]+)\.(?:md|py)(#[^)\s]*)?\)")


def markdown(page: Page, shown: Mapping[int, Sequence[Shown]]) -> str:
    """The page's Markdown, without front matter and fence options, each output as text after its block."""
    parts = []
    for prose, block in _pieces(page):
        parts.append(ATTRIBUTES.sub("", prose))
        if block is not None:
            prefix = block.fence.prefix
            language = "console" if block.kind == "console" else "python"
            lines = [_fenced(block.code, language), *(_output_text(one) for one in shown.get(block.index, ()))]
            parts.append("\n".join(f"{prefix}{line}".rstrip() for line in "\n\n".join(filter(None, lines)).split("\n")))
    return "".join(parts)


def _output_text(one: Shown) -> str:
    if one.output is None or not (one.output.shown or one.output.figures):
        return f"{LABELS[one.device]}: {one.note}" if one.note else ""
    where = (
        f" ({one.environment.name}, PyTorch {one.environment.torch}, {one.environment.day})" if one.environment else ""
    )
    found = [f"Output on {LABELS[one.device]}{where}:"]
    if one.output.shown:
        found.append(_fenced(one.output.shown, "text"))
    return "\n\n".join([*found, *(f"Figure: {figure.alt}" for figure in one.output.figures)])


def _fenced(text: str, language: str) -> str:
    mark = fence_mark(text)
    return f"{mark}{language}\n{text.rstrip()}\n{mark}"


def notebook(page: Page, shown: Mapping[int, Sequence[Shown]]) -> str:
    """The page as a notebook (nbformat 4.5) with the outputs of one device: the CPU's, else the first there is.

    Cells that announce an exception, or need a device, carry the tag `raises-exception`, so that a run goes on.
    """
    cells: list[Cell] = []
    for prose, block in _pieces(page):
        text = _notebook_prose(prose)
        if text:
            cells.append({"cell_type": "markdown", "metadata": {}, "source": text})
        if block is not None and block.index == 0 and page.path.endswith(NOTEBOOK):
            cells.append(_code_cell(INSTALL.format(packages=json.dumps(_packages(page))), {}, []))
        if block is not None:
            cells += _code_cells(block, shown.get(block.index, ()))
    for number, cell in enumerate(cells):
        cell["id"] = f"cell-{number}"
    about = {"kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"}}
    return json.dumps({"cells": cells, "metadata": about, "nbformat": 4, "nbformat_minor": 5}, indent=1) + "\n"


def _packages(page: Page) -> dict[str, str]:
    """The modules outside Python's own that a page imports, each with the package to install."""
    nodes = [node for block in page.blocks if block.kind == "python" for node in ast.walk(ast.parse(block.code))]
    names = {alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names}
    names |= {node.module for node in nodes if isinstance(node, ast.ImportFrom) and node.module}
    modules = {name.partition(".")[0] for name in names} - sys.stdlib_module_names
    return {name: {"sklearn": "scikit-learn"}.get(name, name) for name in sorted(modules)}


def _code_cells(block: Block, shown: Sequence[Shown]) -> Iterator[Cell]:
    first = next((one for one in shown if one.output is not None), None)
    outputs = _notebook_outputs(first.output) if first and first.output else []
    metadata: dict[str, Any] = {"tags": ["raises-exception"]} if block.options.raises or block.options.needs else {}
    source = block.code
    if block.kind == "program":
        name = block.path.rpartition("/")[2]
        yield _code_cell(f"%%writefile {name}\n{block.code}", {}, [])
        source = f"!python {name} {block.options.args}".rstrip()
    elif block.kind == "console":
        yield from (_code_cell(f"%%writefile {name}\n{text}", {}, []) for name, text in _files(block))
        source = re.sub(r"^\$ ", "!", block.code, flags=re.M).replace(f"{PROGRAMS}/", "")
    yield _code_cell(source, metadata, outputs)


def _files(block: Block) -> Iterator[tuple[str, str]]:
    """Names and texts of the programs that a console block runs."""
    for part in filter(None, block.included.split("\0")):
        name, _, text = part.partition("\n")
        yield name, text


def _code_cell(source: str, metadata: dict[str, Any], outputs: list[dict[str, Any]]) -> Cell:
    about = {"cell_type": "code", "execution_count": None, "metadata": metadata}
    return about | {"outputs": outputs, "source": source.rstrip("\n")}


def _notebook_outputs(output: Output) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    if output.text:
        found.append({"output_type": "stream", "name": "stdout", "text": output.text})
    for figure in output.figures:
        data = {"image/svg+xml": figure.svg.replace("currentColor", "#808080"), "text/plain": figure.alt}
        found.append({"output_type": "display_data", "metadata": {}, "data": data})
    if output.value:
        result: dict[str, Any] = {"output_type": "execute_result", "execution_count": None, "metadata": {}}
        found.append(result | {"data": {"text/plain": output.value}})
    if output.raised:
        name, message = output.raised.type, output.raised.message
        found.append({"output_type": "error", "ename": name, "evalue": message, "traceback": [f"{name}: {message}"]})
    return found


def _notebook_prose(text: str) -> str:
    """Prose as Jupyter's Markdown knows it: no attributes, admonitions as quotes, links to the other notebooks."""
    text = LINK.sub(r"](\1.ipynb\2)", ATTRIBUTES.sub("", text))

    def quote(match: re.Match[str]) -> str:
        title = match["title"] or match["kind"].capitalize()
        lines = [line[4:] for line in match["body"].rstrip("\n").split("\n")]
        return "\n".join([f"> **{title}**", ">", *(f"> {line}".rstrip() for line in lines), "", ""])

    return ADMONITION.sub(quote, text).strip()


def script(page: Page, shown: Mapping[int, Sequence[Shown]]) -> str:
    """The page as a program: headings as comments, each block in order, announced exceptions caught and printed.

    A block that needs a device runs only where there is one; a value that the page shows is printed.
    """
    parts = [f'"""{page.name}, from Same Device."""']
    for prose, block in _pieces(page):
        headings = [line for line in prose.split("\n") if re.match(r"#{1,6} ", line)]
        parts += [f"# {ATTRIBUTES.sub('', line).lstrip('#').strip()}" for line in headings]
        if block is not None:
            parts.append(_script_block(block, shown.get(block.index, ())))
    return "\n\n".join(parts) + "\n"


def _script_block(block: Block, shown: Sequence[Shown]) -> str:
    if block.kind != "python":
        command = f"python {block.path} {block.options.args}".rstrip() if block.kind == "program" else block.code
        return "\n".join(f"# {line.removeprefix('$ ')}" for line in command.strip().split("\n"))
    code = block.code.rstrip("\n")
    if any(one.output and one.output.value for one in shown) or (
        block.options.needs and not any(one.output for one in shown)
    ):
        code = _printing(code)
    if block.options.raises:
        names = ", ".join(dict.fromkeys(name for _, name in block.options.raises))
        caught = f'except Exception as error:  # {names}\n    print(f"{{type(error).__name__}}: {{error}}")'
        code = f"try:\n{indent(code)}\n{caught}"
    if block.options.needs:
        code = f"if {KINDS[block.options.needs].check.format(count=block.options.count)}:\n{indent(code)}"
    return code


def _printing(code: str) -> str:
    """The code with its last expression printed."""
    last = ast.parse(code).body[-1]
    if not isinstance(last, ast.Expr):
        return code
    lines = code.split("\n")
    value = ast.get_source_segment(code, last.value) or ""
    if isinstance(last.value, ast.Tuple) and not value.startswith("("):
        value = f"({value})"
    return "\n".join([*lines[: last.lineno - 1], f"print(repr({value}))"])


def indent(code: str) -> str:
    """The code four columns to the right, without touching the insides of its multi-line strings."""
    inside: set[int] = set()
    for token in tokenize.generate_tokens(io.StringIO(code + "\n").readline):
        if token.start[0] != token.end[0]:
            inside.update(range(token.start[0] + 1, token.end[0] + 1))
    lines = code.split("\n")
    return "\n".join(
        f"    {line}" if line and number not in inside else line for number, line in enumerate(lines, start=1)
    )


def _pieces(page: Page) -> Iterator[tuple[str, Block | None]]:
    """The page's prose and blocks in turn: each block with the prose before it, the last prose with None."""
    if page.path.endswith(NOTEBOOK):
        yield from _cells(page)
        return
    front = FRONT_MATTER.match(page.text)
    at = front.end() if front else 0
    for block in page.blocks:
        yield page.text[at : block.fence.start], block
        at = block.fence.end
    yield page.text[at:], None


def _cells(page: Page) -> Iterator[tuple[str, Block | None]]:
    """What `_pieces` yields, of a notebook."""
    blocks, prose = iter(page.blocks), ""
    for cell in read_cells(page.text, page.path):
        if cell.markdown is not None:
            prose += f"\n\n{cell.markdown}\n"
        else:
            yield prose or "\n\n", next(blocks)
            prose = ""
    yield f"{prose}\n", None


def exports(page: Page, shown: Mapping[int, Sequence[Shown]]) -> dict[str, str]:
    """The page's files to take along, by suffix."""
    return {"md": markdown(page, shown), "ipynb": notebook(page, shown), "py": script(page, shown)}


def llms(site: str, about: str, pages: Sequence[tuple[str, str, str]]) -> str:
    """The text of llms.txt: `pages` are title, address of the Markdown, description."""
    lines = [f"- [{title}]({address}): {text}" for title, address, text in pages]
    return "\n".join([f"# {site}", "", f"> {about}", "", "## Pages", "", *lines, ""])
