"""output_html: what is shown under a block, as HTML: one pane for each group of devices that printed the same."""

from __future__ import annotations

import difflib
import re
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

from samedevice.devices import LABELS
from samedevice.outputs.environments import Environment
from samedevice.outputs.figures import TAG, figure_fault
from samedevice.outputs.output import Figure, Output
from samedevice.pages.page import Block

TOKEN = re.compile(r"\n|[^\S\n]+|\w+|[^\w\s]")
REFERENCE = re.compile(r'(\bid="|url\(#|href="#)')
"""What comes before an id in a tag of an SVG."""
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
        parts.append(f'<p class="{kind}">{literal(one.note)}</p>')
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


def literal(text: str) -> str:
    """Text as HTML that reads exactly as printed."""
    return escape(text, quote=False)


def _marked(panes: Sequence[Shown]) -> list[str]:
    """The text of each pane as HTML, what differs from the first pane (in the first: from the second) marked."""
    texts = [pane.output.shown if pane.output else "" for pane in panes]
    if len([text for text in texts if text]) < 2:
        return [literal(text) for text in texts]
    others = [texts[1], *[texts[0]] * (len(texts) - 1)]
    return [_mark(text, other) if text and other else literal(text) for text, other in zip(texts, others, strict=True)]


def _mark(text: str, other: str) -> str:
    fine = max(len(text), len(other)) <= MARKED
    own, theirs = (
        (TOKEN.findall(text), TOKEN.findall(other)) if fine else (text.splitlines(True), other.splitlines(True))
    )
    found = []
    for kind, start, end, _, _ in difflib.SequenceMatcher(None, own, theirs, autojunk=False).get_opcodes():
        piece = literal("".join(own[start:end]))
        if kind != "equal" and piece.strip():
            piece = "\n".join(f"<mark>{line}</mark>" if line.strip() else line for line in piece.split("\n"))
        found.append(piece)
    return "".join(found)


def _figure(figure: Figure, prefix: str) -> str:
    """The SVG with ids of its own and its text alternative; a note in place of one that must not be on a page."""
    refused = figure_fault(figure.svg)
    if refused:
        return f'<p class="sd-note sd-wrong">{literal(refused)}</p>'
    svg = TAG.sub(lambda tag: REFERENCE.sub(lambda match: match[1] + prefix, tag[0]), figure.svg)
    svg = re.sub(r'^<svg\b([^>]*?) height="[^"]*"', r"<svg\1", svg)
    svg = svg.replace("<svg ", f'<svg role="img" aria-label="{escape(figure.alt)}" ', 1)
    return f'<figure class="sd-figure">{svg}</figure>'
