"""weave: page and outputs to Markdown. Pure: knows neither MkDocs nor pytest, runs nothing, reads nothing.

Each block's fence is written back without the options that are ours, with its output after it as a fence of the
language `samedevice`, whose body is the output's HTML in base64, so that no Markdown extension can touch it.
`output_fence` is the formatter that pymdownx.superfences calls for that language.
"""

from __future__ import annotations

import base64
from collections.abc import Mapping, Sequence
from typing import Any

from samedevice.pages.fences import fence_mark
from samedevice.pages.page import Block, Page
from samedevice.weaving.copies import Copy
from samedevice.weaving.output_html import Shown, literal, output_html


def weave(page: Page, shown: Mapping[int, Sequence[Shown]], copies: Mapping[int, Copy]) -> str:
    """The page's Markdown with the outputs in it.

    `shown` maps a block's index to what stands under it, `copies` to what its copy to run is made of.
    """
    parts, at = [], 0
    for block in page.blocks:
        parts += [page.text[at : block.fence.start], _fence(block, copies.get(block.index))]
        html = output_html(block, shown.get(block.index, ()))
        if html:
            parts.append(_output_fence(block.fence.prefix, html))
        at = block.fence.end
    return "".join([*parts, page.text[at:]])


def output_fence(source: str, *_: Any, **__: Any) -> str:
    """Formatter for pymdownx.superfences: the HTML that a `samedevice` fence holds."""
    return base64.b64decode(source).decode()


def _output_fence(prefix: str, html: str) -> str:
    body = base64.b64encode(html.encode()).decode()
    return f"\n{prefix.rstrip()}\n{prefix}``` samedevice\n{prefix}{body}\n{prefix}```\n{prefix.rstrip()}"


def _fence(block: Block, copy: Copy | None) -> str:
    prefix, options = block.fence.prefix, block.options
    mark = fence_mark(block.code)
    title = options.title or (options.file if options.file else "")
    values = {"title": title, "hl_lines": options.hl_lines}
    values |= copy.attributes if copy else {}
    attributes = [f"{key}={_quoted(value)}" for key, value in values.items() if value]
    language = "console" if block.kind == "console" else "python"
    lines = [f"{mark} {{ {' '.join([f'.{language}', *attributes])} }}", *block.code.rstrip("\n").split("\n"), mark]
    return "\n".join(f"{prefix}{line}".rstrip() for line in lines)


def _quoted(value: str) -> str:
    """A value as an option; which quotes it holds decides which stand around it."""
    return f"'{value}'" if '"' in value else f'"{value}"'


def error_page(message: str) -> str:
    """The Markdown that stands in for a page that cannot be read."""
    html = f'<div class="sd-out"><p class="sd-note sd-wrong">{literal(message)}</p></div>'
    return f"# This page has an error\n{_output_fence('', html)}\n"
