"""weave: page and outputs to Markdown. Pure: knows neither MkDocs nor pytest, runs nothing, reads nothing.

Each block's fence is written back as a fence of the language `samedevice`, with its output after it as another one.
The body of such a fence is in base64, so that no Markdown extension can touch it: of a block its code and options as
JSON, of an output its HTML. `output_fence` is the formatter that pymdownx.superfences calls for that language.
"""

from __future__ import annotations

import base64
import hashlib
import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from samedevice.outputs import escaping
from samedevice.pages.options import OURS
from samedevice.pages.page import Block, Page
from samedevice.weaving.between import draw, notes_end, write_expected
from samedevice.weaving.copies import Copy, attributes
from samedevice.weaving.output_html import literal, not_run_html, output_html, waiting_html
from samedevice.weaving.panes import ShownOutput, is_simulated, unsaid
from samedevice.weaving.summary import summary_html

FENCE = re.compile(rf"^(?P<prefix>[ \t>]*)``` {OURS}\n(?P=prefix)(?P<body>[\w+/=]*)\n(?P=prefix)```$", re.M | re.A)
"""Finds the fences of a woven text."""
TITLE = re.compile(r"^# .+$", re.M)
HEADING = re.compile(r"^#{1,6} ", re.M)
FAILED = "This page has an error"
"""The title of a page that cannot be shown."""
LENGTH = 8
"""Hexadecimal digits of a hash that an id has."""


def weave(
    page: Page,
    shown: Mapping[int, Sequence[ShownOutput]],
    copies: Mapping[int, Copy],
    diagrams: Mapping[str, str] | None = None,
    about: str = "",
) -> str:
    """The page's Markdown with the outputs in it.

    `shown` maps a block's index to what is shown under it, `copies` to what its copy to run is made of, `diagrams` the
    path of each diagram, as the page has it, to its SVG. `about` is a link to what explains simulated devices.
    Raises PageError for an expected result that belongs to no block.
    """

    def prose(start: int, end: int, above: Block | None) -> str:
        """The text between two blocks, with its expected results and its diagrams."""
        text = write_expected(page.text[start:end], page, start, above, shown.get(above.index, ()) if above else ())
        return draw(text, diagrams or {}, html_fence)

    parts: list[str] = []
    at, above, woven = 0, None, _blocks(page, shown, copies, about)
    ends = [*(block.fence.start for block in page.blocks[1:]), len(page.text)]
    for block, end, (first, last) in zip(page.blocks, ends, woven, strict=False):
        parts.append(prose(at, block.fence.start, above))
        at, above = notes_end(page, block, end), block
        parts += [first, prose(block.fence.end, at, block), last]
    parts.append(prose(at, len(page.text), above))
    return _below_title("".join(parts), counts_html(page, shown, about), page)


def counts_html(page: Page, shown: Mapping[int, Sequence[ShownOutput]], about: str) -> str:
    """The line below the title, if the project wants it."""
    return summary_html(page, shown, about) if "counts" in page.settings.show else ""


def _blocks(
    page: Page, shown: Mapping[int, Sequence[ShownOutput]], copies: Mapping[int, Copy], about: str
) -> Iterator[tuple[str, str]]:
    """What is written in the place of each block, above and below the list that explains marks in its code."""
    quiet = _quiet(page, shown)
    for block, anchor in zip(page.blocks, anchors(page), strict=True):
        rest = unsaid(block, shown.get(block.index, ()))
        html = quiet.get(block.index, output_html(block, rest, f"{anchor}-out", about, page.settings.show))
        html = not_run_html(block.options.reason) if block.kind == "shown" else html
        output = html_fence(block.fence.prefix, html) if html else ""
        code = _fence(block, copies.get(block.index), anchor)
        if block.kind == "transcript" or block.hidden:  # what it prints is in it, or nobody sees it
            code = page.text[block.fence.start : block.fence.end]
        output = "" if block.hidden else output
        yield _folded(block, code) if block.options.fold else code, output


def _folded(block: Block, code: str) -> str:
    """The code in a closed box."""
    prefix = block.fence.prefix
    lines = [f"{prefix}    {line.removeprefix(prefix)}".rstrip() for line in code.split("\n")]
    title = escaping.markdown(block.options.fold)
    return "\n".join([f'\n{prefix}??? code "{title}"', prefix.rstrip(), *lines])


def _quiet(page: Page, shown: Mapping[int, Sequence[ShownOutput]]) -> dict[int, str]:
    """For blocks that have not run yet: one line below the last of several in a row, nothing below the others."""
    found: dict[int, str] = {}
    row: list[Block] = []
    simulated = any(is_simulated(one) for found in shown.values() for one in found)
    for block in page.blocks:
        outputs, needs = shown.get(block.index, ()), _needs(block, simulated)
        waits = block.options.needs and outputs and not any(one.output or one.wrong for one in outputs)
        above = row[-1] if row else block
        heading = HEADING.search(page.text, above.fence.end, block.fence.start)
        if not waits or _needs(above, simulated) != needs or heading:
            row = []
        if waits:
            row.append(block)
            found |= {one.index: "" for one in row[:-1]} | {block.index: waiting_html(len(row), *needs)}
    return found


def _needs(block: Block, simulated: bool) -> tuple[str, int, str]:
    """The device that a block needs, how many, and, where others are simulated, why it is not."""
    reason = block.not_simulated if simulated or block.options.simulated == "no" else ""
    return block.options.needs, block.options.count, reason


def _below_title(text: str, html: str, page: Page) -> str:
    """The page with a line below its title; pages whose title is not in their text go without.

    What looks like one in a fence of a shell is a comment.
    """
    title = TITLE.search(text)
    first = page.fences[0].start if page.fences else len(page.text)
    if not html or title is None or title.start() > first:
        return text
    return f"{text[: title.end()]}\n{html_fence('', html)}{text[title.end() :]}"


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
    about = {"classes": code["classes"], "id_value": code["id"], "attrs": code["data"]}
    html: str = fences.highlight(code["source"], code["language"], code["options"], md, **about)
    style = f' style="{code["data"]["style"]}"'  # with Pygments, superfences writes only what begins with data-
    return html if style in html else html.replace(' data-block="', f'{style} data-block="', 1)


def woven_outputs(markdown: str) -> list[str]:
    """The HTML of the outputs that a woven text holds, in order."""
    held = (base64.b64decode(found["body"]).decode() for found in FENCE.finditer(markdown))
    return [text for text in held if not text.startswith("{")]


def anchors(page: Page) -> tuple[str, ...]:
    """An id for each block, made of its own code; of blocks with the same code the later ones have a number as well."""
    seen: Counter[str] = Counter()
    found = []
    for block in page.blocks:
        own = anchor(f"{block.kind}\n{block.code.strip()}\n{block.options.args}", "b")
        seen[own] += 1
        found.append(own if seen[own] == 1 else f"{own}-{seen[own]}")
    return tuple(found)


def anchor(text: str, kind: str) -> str:
    """An id that follows from a text alone."""
    return f"{kind}-{hashlib.sha256(text.encode()).hexdigest()[:LENGTH]}"


def html_fence(prefix: str, html: str) -> str:
    """HTML as the Markdown of a woven text, indented as the fence that it belongs to."""
    return f"\n{prefix.rstrip()}\n{_encoded(prefix, html)}\n{prefix.rstrip()}"


def _encoded(prefix: str, text: str) -> str:
    """A fence that holds a text."""
    body = base64.b64encode(text.encode()).decode()
    return f"{prefix}``` {OURS}\n{prefix}{body}\n{prefix}```"


def _fence(block: Block, copy: Copy | None, anchor: str) -> str:
    options = block.options
    given = {"title": options.title or options.file, "hl_lines": options.hl_lines}
    foreign = {key: value for key, value in options.foreign if key[0] not in ".#"}
    held = {
        "id": anchor,
        "classes": [key[1:] for key, _ in options.foreign if key.startswith(".")],
        "source": block.code.rstrip("\n"),
        "language": "console" if block.kind == "console" else "python",
        "options": {key: value for key, value in given.items() if value} | foreign,
        "data": attributes(block, copy),
    }
    return _encoded(block.fence.prefix, json.dumps(held))


def error_page(messages: Sequence[str]) -> str:
    """The Markdown that stands in for a page that cannot be shown, with what is wrong with it."""
    return f"# {FAILED}\n{html_fence('', _notes(messages))}\n"


def error_html(messages: Sequence[str]) -> str:
    """The HTML that stands in for a page that cannot be shown, with what is wrong with it."""
    return f"<h1>{FAILED}</h1>\n{_notes(messages)}\n"


def _notes(messages: Sequence[str]) -> str:
    notes = "".join(f'<p class="sd-note sd-wrong">{literal(message)}</p>' for message in messages)
    return f'<div class="sd-out">{notes}</div>'
