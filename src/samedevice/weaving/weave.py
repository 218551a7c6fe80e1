"""weave: page and outputs to Markdown. Pure: knows neither MkDocs nor pytest, runs nothing, reads nothing.

Each block's fence is written back as a fence of the language `samedevice`, with its output after it as another one.
The body of such a fence is in base64, so that no Markdown extension can touch it: of a block its code and options as
JSON, of an output its HTML. `output_fence` is the formatter that pymdownx.superfences calls for that language.
"""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from samedevice.pages.options import OURS
from samedevice.pages.page import Block, Page
from samedevice.weaving.output_html import Shown, literal, output_html

FENCE = re.compile(rf"^(?P<prefix>[ \t>]*)``` {OURS}\n(?P=prefix)(?P<body>[\w+/=]*)\n(?P=prefix)```$", re.M | re.A)
"""Finds the fences of a woven text."""


def weave(page: Page, shown: Mapping[int, Sequence[Shown]], needs: Mapping[int, Sequence[int]]) -> str:
    """The page's Markdown with the outputs in it.

    `shown` maps a block's index to what stands under it, `needs` to the indices of the earlier blocks that it needs to
    run by itself (see `closure`).
    """
    parts, at = [], 0
    for block in page.blocks:
        parts += [page.text[at : block.fence.start], _fence(block, needs.get(block.index))]
        html = output_html(block, shown.get(block.index, ()))
        if html:
            parts.append(_output_fence(block.fence.prefix, html))
        at = block.fence.end
    return "".join([*parts, page.text[at:]])


def output_fence(source: str, _language: str, _class: str, _options: object, md: Any, **_: object) -> str:
    """Formatter for pymdownx.superfences: the HTML that a `samedevice` fence stands for; `md` is the Markdown object.

    superfences highlights the code itself, with the site's settings, as if the fence held the code as it is.
    """
    held = base64.b64decode(source).decode()
    if not held.startswith("{"):
        return held
    code = json.loads(held)
    fences = md.preprocessors["fenced_code_block"]
    fences.line_count = code["source"].count("\n") + 1  # superfences drops highlighted lines that come after the last
    about = {"classes": [], "id_value": "", "attrs": code["data"]}
    html: str = fences.highlight(code["source"], code["language"], code["options"], md, **about)
    return html


def held_outputs(markdown: str) -> list[str]:
    """The HTML of the outputs that a woven text holds, in order."""
    held = (base64.b64decode(found["body"]).decode() for found in FENCE.finditer(markdown))
    return [text for text in held if not text.startswith("{")]


def _output_fence(prefix: str, html: str) -> str:
    return f"\n{prefix.rstrip()}\n{_encoded(prefix, html)}\n{prefix.rstrip()}"


def _encoded(prefix: str, text: str) -> str:
    """A fence that holds a text."""
    body = base64.b64encode(text.encode()).decode()
    return f"{prefix}``` {OURS}\n{prefix}{body}\n{prefix}```"


def _fence(block: Block, needs: Sequence[int] | None) -> str:
    options = block.options
    given = {"title": options.title or options.file, "hl_lines": options.hl_lines}
    data = {"data-block": str(block.index)}
    if needs is not None:
        data["data-needs"] = " ".join(map(str, needs))
        data["data-raises"] = ", ".join(dict.fromkeys(name for _, name in options.raises))
    held = {
        "source": block.code.rstrip("\n"),
        "language": "console" if block.kind == "console" else "python",
        "options": {key: value for key, value in given.items() if value},
        "data": {key: value for key, value in data.items() if value},
    }
    return _encoded(block.fence.prefix, json.dumps(held))


def error_page(messages: Sequence[str]) -> str:
    """The Markdown that stands in for a page that cannot be shown, with what is wrong with it."""
    notes = "".join(f'<p class="sd-note sd-wrong">{literal(message)}</p>' for message in messages)
    fence = _output_fence("", f'<div class="sd-out">{notes}</div>')
    return f"# This page has an error\n{fence}\n"
