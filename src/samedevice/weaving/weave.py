"""weave: page and outputs to Markdown. Pure: knows neither MkDocs nor pytest, runs nothing, reads nothing.

Each block's fence is written back without the options that are ours, with its output after it as a fence of the
language `samedevice`, whose body is the output's HTML in base64, so that no Markdown extension can touch it.
`output_fence` is the formatter that pymdownx.superfences calls for that language.
"""

from __future__ import annotations

import base64
import difflib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

from samedevice.outputs.output import Figure, Output
from samedevice.pages.page import Block, Page
from samedevice.running.sessions import Environment

LABELS = {"cpu": "CPU", "cuda": "CUDA", "mps": "MPS"}
TOKEN = re.compile(r"\n|[^\S\n]+|\w+|[^\w\s]")
MARKED = 6_000
"""Characters of text up to which differences are marked word by word; beyond it, line by line."""
WIDE = 100
"""Characters of a line from which on an output is wrapped: messages are that long, and tensors are not."""


@dataclass(frozen=True)
class Shown:
    """What stands under a block for one device."""

    device: str
    """cpu, cuda or mps."""
    output: Output | None
    """The output; None where none is shown."""
    environment: Environment | None
    """Where the output was made."""
    note: str = ""
    """Why there is no output, or what is wrong with it."""
    wrong: bool = False
    """Whether the note tells of a fault."""

    @property
    def content(self) -> tuple[str, tuple[Figure, ...], str]:
        """What a reader sees of it, by which devices are put together."""
        return (self.output.shown, self.output.figures, self.note) if self.output else ("", (), self.note)


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


def output_fence(source: str, *_: Any, **__: Any) -> str:
    """Formatter for pymdownx.superfences: the HTML that a `samedevice` fence holds."""
    return base64.b64decode(source).decode()


def _output_fence(prefix: str, html: str) -> str:
    body = base64.b64encode(html.encode()).decode()
    return f"\n{prefix.rstrip()}\n{prefix}``` samedevice\n{prefix}{body}\n{prefix}```\n{prefix.rstrip()}"


def _fence(block: Block, needs: Sequence[int] | None) -> str:
    prefix, options = block.fence.prefix, block.options
    longest = max((len(run) for run in re.findall(r"`+", block.code)), default=0)
    mark = "`" * max(3, longest + 1)
    title = options.title or (options.file if options.file else "")
    values = {"title": title, "hl_lines": options.hl_lines}
    if needs is not None:
        values |= {"data-block": str(block.index), "data-needs": " ".join(map(str, needs))}
        values["data-raises"] = ", ".join(dict.fromkeys(name for _, name in options.raises))
    attributes = [f"{key}={_quoted(value)}" for key, value in values.items() if value]
    language = "console" if block.kind == "console" else "python"
    lines = [f"{mark} {{ {' '.join([f'.{language}', *attributes])} }}", *block.code.rstrip("\n").split("\n"), mark]
    return "\n".join(f"{prefix}{line}".rstrip() for line in lines)


def _quoted(value: str) -> str:
    """A value as an option; which quotes it holds decides which stand around it."""
    return f"'{value}'" if '"' in value else f'"{value}"'


def output_html(block: Block, shown: Sequence[Shown]) -> str:
    """The HTML of a block's output; empty where no device has anything to show."""
    groups = _group(shown)
    if not any(one.content != ("", (), "") for one in shown):
        return ""
    devices = " ".join(one.device for group in groups for one in group)
    marked = _marked([group[0] for group in groups])
    panes = [_pane(block, group, text, number) for number, (group, text) in enumerate(zip(groups, marked, strict=True))]
    beside = bool(block.options.compare)
    switch = _switch(groups) if len(groups) > 1 and not beside else ""
    kind = "sd-out sd-beside" if beside else "sd-out"
    return f'<div class="{kind}" data-devices="{devices}">{switch}{"".join(panes)}</div>'


def _group(shown: Sequence[Shown]) -> list[list[Shown]]:
    """Put devices together that show the same."""
    groups: list[list[Shown]] = []
    for one in shown:
        for group in groups:
            if group[0].content == one.content:
                group.append(one)
                break
        else:
            groups.append([one])
    return groups


def _label(group: Sequence[Shown]) -> str:
    return " and ".join(LABELS[one.device] for one in group)


def _switch(groups: Sequence[Sequence[Shown]]) -> str:
    buttons = "".join(
        f'<button type="button" data-sd="{group[0].device}" data-device="{_devices(group)}">{_label(group)}</button>'
        for group in groups
    )
    return f'<div class="sd-switch" role="group" aria-label="Device">{buttons}</div>'


def _devices(group: Sequence[Shown]) -> str:
    return " ".join(one.device for one in group)


def _pane(block: Block, group: Sequence[Shown], text: str, number: int) -> str:
    one = group[0]
    parts = [f'<p class="sd-head"><span class="sd-label">{_label(group)}</span>{_origins(group)}</p>']
    if one.note:
        kind = "sd-note sd-wrong" if one.wrong else "sd-note"
        parts.append(f'<p class="{kind}">{_literal(one.note)}</p>')
    if text:
        first = "\n" if text.startswith("\n") else ""  # HTML leaves out a line feed right after <pre>
        parts.append(f'<pre class="sd-text"{_wrapped(one)} tabindex="0">{first}{text}</pre>')
    elif one.output and not one.output.figures and not one.note:
        parts.append('<p class="sd-note">prints nothing</p>')
    for count, figure in enumerate(one.output.figures if one.output else ()):
        parts.append(_figure(figure, f"b{block.index}-{number}-{count}-"))
    return f'<div class="sd-pane" data-device="{_devices(group)}">{"".join(parts)}</div>'


def _wrapped(one: Shown) -> str:
    """The attribute that has long lines wrapped."""
    lines = one.output.shown.splitlines() if one.output else []
    return " data-wrap" if any(len(line) > WIDE for line in lines) else ""


def _origins(group: Sequence[Shown]) -> str:
    """Device name, PyTorch version and day of each output of a group."""
    found = []
    for one in group:
        if one.environment and one.output:
            about = one.environment
            version = about.torch.partition("+")[0]
            title = f"PyTorch {about.torch}, Python {about.python}" + (f", driver {about.driver}" * bool(about.driver))
            line = f"{about.name}, PyTorch {version}, {about.day}"
            found.append(f'<span class="sd-origin" title="{escape(title)}">{escape(line)}</span>')
    return "".join(found)


def _literal(text: str) -> str:
    """Text as HTML that reads exactly as printed."""
    return escape(text, quote=False)


def _marked(panes: Sequence[Shown]) -> list[str]:
    """The text of each pane as HTML, what differs from the first pane (in the first: from the second) marked."""
    texts = [pane.output.shown if pane.output else "" for pane in panes]
    if len([text for text in texts if text]) < 2:
        return [_literal(text) for text in texts]
    others = [texts[1], *[texts[0]] * (len(texts) - 1)]
    return [_mark(text, other) if text and other else _literal(text) for text, other in zip(texts, others, strict=True)]


def _mark(text: str, other: str) -> str:
    fine = max(len(text), len(other)) <= MARKED
    own, theirs = (
        (TOKEN.findall(text), TOKEN.findall(other)) if fine else (text.splitlines(True), other.splitlines(True))
    )
    found = []
    for kind, start, end, _, _ in difflib.SequenceMatcher(None, own, theirs, autojunk=False).get_opcodes():
        piece = _literal("".join(own[start:end]))
        if kind != "equal" and piece.strip():
            piece = "\n".join(f"<mark>{line}</mark>" if line.strip() else line for line in piece.split("\n"))
        found.append(piece)
    return "".join(found)


def _figure(figure: Figure, prefix: str) -> str:
    """The SVG with ids of its own and its text alternative."""
    svg = re.sub(r'(\bid="|url\(#|href="#)', lambda match: match[1] + prefix, figure.svg)
    svg = re.sub(r'^<svg\b([^>]*?) height="[^"]*"', r"<svg\1", svg)
    svg = svg.replace("<svg ", f'<svg role="img" aria-label="{escape(figure.alt)}" ', 1)
    return f'<figure class="sd-figure">{svg}</figure>'


def error_page(message: str) -> str:
    """The Markdown that stands in for a page that cannot be read."""
    html = f'<div class="sd-out"><p class="sd-note sd-wrong">{_literal(message)}</p></div>'
    return f"# This page has an error\n{_output_fence('', html)}\n"
