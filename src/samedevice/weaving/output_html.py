"""output_html: the outputs of a block to HTML: a pane for each, and switches where there are several."""

from __future__ import annotations

import difflib
import re
from collections import Counter
from collections.abc import Collection, Sequence
from contextlib import suppress
from functools import partial
from itertools import accumulate, groupby
from operator import itemgetter

from samedevice.devices import LABELS
from samedevice.outputs import escaping, labels
from samedevice.outputs.figures import TAG, figure_fault
from samedevice.outputs.output import Output
from samedevice.pages.page import Block
from samedevice.project import DEFAULTS
from samedevice.weaving.panes import Pane, ShownOutput, differ_by_version, panes_of

TOKEN = re.compile(r"\n|[^\S\n]+|\w+|[^\w\s]")
REFERENCE = re.compile(r'(\bid="|url\(#|href="#)')
"""What comes before an id in a tag of an SVG."""
MARKED = 1_000_000
"""Pairs of equal words that are looked at to mark what differs; beyond it, of lines; beyond it, nothing is marked."""
MESSAGE = re.compile(r"\w*Warning: ")
"""Begins a line that holds a warning."""
UNSEARCHED = 'data-search-exclude=""'
"""The attribute that keeps a label out of the search index of Material for MkDocs: thousands of them say the same."""
FIGURE_LINES = 15
"""Lines of text that are about as high as a figure."""
WIDE = 100
"""Characters of a line from which on an output is wrapped: messages are that long, and tensors are not."""


def output_html(
    block: Block,
    shown: Sequence[ShownOutput],
    anchor: str = "",
    about: str = "",
    show: Collection[str] = DEFAULTS.show,
) -> str:
    """The HTML of a block's output, with `anchor` as its id; empty where no device has anything to show.

    `about` is a link to what explains simulated devices; empty if there is none. `show` is the project's setting.
    """
    if not any(one.content != ("", (), "") for one in shown) or _prints_nothing(shown):
        return ""
    panes = panes_of(block, shown)
    devices = " ".join(device for pane in panes for device in pane.first)
    at = _at(panes) if any(not pane.first for pane in panes) else ""
    marked = _marked([pane.shown[0] for pane in panes])
    numbered = enumerate(zip(panes, marked, strict=True))
    told = len(panes) > 1 or "origin" in show  # of several outputs each needs its name
    heads = [_head(block, pane, about, "details" in show) if told else "" for pane in panes]
    html = "".join(_pane(block, pane, text, number, bool(at), heads[number]) for number, (pane, text) in numbered)
    beside = bool(block.options.compare)
    kind = "sd-out sd-beside" if beside else "sd-out"
    id = f' id="{anchor}"' if anchor else ""
    command = _command(block)
    seen = panes[0].shown[0].output  # by its lines the style knows the height of outputs that are out of sight
    lines = len(seen.shown.split("\n")) + FIGURE_LINES * len(seen.figures) if seen else 0
    style = f' style="--sd-lines:{lines + bool(command)}"'
    parts = f"{command}{_switches(panes, beside)}{html}"
    return f'<div class="{kind}" data-devices="{devices}"{at}{id}{style}>{parts}</div>'


def waiting_html(blocks: int, device: str, count: int, reason: str = "") -> str:
    """The quiet line below a row of blocks that need a device, and have not run yet; `reason`: why not simulated."""
    what = f"{count} devices with {LABELS[device]}" if count > 1 else LABELS[device]
    told = f"This block needs {what}" if blocks == 1 else f"The last {blocks} blocks need {what}"
    verb = "has" if blocks == 1 else "have"
    note = f"{told} and {verb} not run yet." + (f" Not simulated: {literal(reason)}." if reason else "")
    return f'<div class="sd-out sd-waiting"><p class="sd-note" {UNSEARCHED}>{note}</p></div>'


def not_run_html(reason: str) -> str:
    """The note below a block that is never run."""
    return f'<div class="sd-out sd-waiting"><p class="sd-note" {UNSEARCHED}>Not run: {literal(reason)}</p></div>'


def _prints_nothing(shown: Sequence[ShownOutput]) -> bool:
    """Whether all that ran the block printed nothing: that another device must run it again is then of no use."""
    ran = [one for one in shown if one.output]
    empty = all(one.output == Output() and not one.note for one in ran)
    return bool(ran) and empty and not any(one.wrong for one in shown)


def _command(block: Block) -> str:
    """The command that ran a program with arguments; empty for a block whose output depends on its code alone."""
    if not block.options.args:
        return ""
    line = literal(f"$ python {block.options.file} {block.options.args}")
    return f'<p class="sd-command" {UNSEARCHED}><code>{line}</code></p>'


def _at(panes: Sequence[Pane]) -> str:
    """The attribute with the environments whose output some panes show."""
    tokens = " ".join(token for pane in panes for token in pane.tokens)
    return f' data-at="{escaping.html(tokens)}"' if tokens else ""


def _switches(panes: Sequence[Pane], beside: bool) -> str:
    """The switches above the panes: of the device, and of PyTorch's version for each device that has several."""
    found = []
    first = [pane for pane in panes if pane.first]
    if len(first) > 1 and not beside:
        buttons = (
            f'<button type="button" data-sd="{pane.first[0]}" data-device="{" ".join(pane.first)}">'
            f"{escaping.html(' and '.join(_choice(device, pane) for device in pane.first))}</button>"
            for pane in first
        )
        by = " data-by-version" if differ_by_version(panes) else ""
        group = f'role="group" aria-label="Device"{by} {UNSEARCHED}'
        found.append(f'<div class="sd-switch" {group}>{"".join(buttons)}</div>')
    for device in dict.fromkeys(one.device for pane in panes for one in pane.shown):
        own = [pane for pane in panes if pane.marks(device)]
        if len(own) > 1:
            found.append(_version_switch(device, own))
    return "".join(found)


def _choice(device: str, pane: Pane) -> str:
    """What a button chooses: `CPU`, `CUDA (H100)`, or `CUDA, simulated`."""
    model = pane.gpus(device)
    return labels.of_kind(device, pane.simulated) + (f" ({model})" if model else "")


def _version_switch(device: str, panes: Sequence[Pane]) -> str:
    """The switch of PyTorch's version for one device; the newest is what a reader has who chose none."""
    buttons = []
    for number, pane in enumerate(panes):
        marks = pane.marks(device)
        about = f'data-torch="{escaping.html(marks[0]) if number else ""}" data-at="{escaping.html(" ".join(marks))}"'
        buttons.append(f'<button type="button" {about}>{escaping.html(pane.versions(device))}</button>')
    return (
        f'<div class="sd-switch sd-versions" data-for="{device}" role="group" aria-label="Outputs of {panes[0].maker}"'
        f" {UNSEARCHED}><span>Outputs of {panes[0].maker}</span>{''.join(buttons)}</div>"
    )


def _pane(block: Block, pane: Pane, text: str, number: int, several: bool, head: str) -> str:
    one = pane.shown[0]
    parts = [head]
    if one.note:
        kind = "sd-note sd-wrong" if one.wrong else "sd-note"
        parts.append(f'<p class="{kind}" {UNSEARCHED}>{literal(one.note)}</p>')
    if text:
        first = "\n" if text.startswith("\n") else ""  # HTML leaves out a line feed right after <pre>
        wrap = " data-wrap" if one.output and any(len(line) > WIDE for line in one.output.shown.splitlines()) else ""
        parts.append(f'<pre class="sd-text"{wrap} tabindex="0">{first}{_with_messages(one, text)}</pre>')
    elif one.output and not one.output.figures and not one.note:
        parts.append(f'<p class="sd-note" {UNSEARCHED}>prints nothing</p>')
    for count, figure in enumerate(one.output.figures if one.output else ()):
        parts.append(_figure(figure.svg, block.options.alt, f"b{block.index}-{number}-{count}-"))
    at = _at([pane]) if several else ""
    kind = "sd-pane sd-simulated" if pane.simulated else "sd-pane"
    return f'<div class="{kind}" data-device="{" ".join(pane.first)}"{at}>{"".join(parts)}</div>'


def _head(block: Block, pane: Pane, about: str, details: bool) -> str:
    """The label of a pane. With `details` it opens: it lists where the output was made, and what a simulated device is.

    Where numbers vary it also shows what the other environments printed, each below its name.
    """
    label = f'<span class="sd-label">{escaping.html(pane.label)}</span>'
    label += f" and {escaping.html(pane.also)}" if pane.also else ""
    if block.options.versions:
        label += f" needs {escaping.html(block.options.needed)}"
    if not (pane.environments and details):
        return f'<p class="sd-head" {UNSEARCHED}>{label}</p>'
    lines = literal("\n".join(labels.full(one.environment) for one in pane.printed_this if one.environment))
    if pane.simulated:
        lines = f"{with_link(labels.NO_DEVICE, about)}\n{lines}"
    others = "".join(map(_other, pane.printed_other_numbers))
    others = f"<p>Other numbers:</p>{others}" if others else ""
    return f'<details class="sd-head" {UNSEARCHED}><summary>{label}</summary><p>{lines}</p>{others}</details>'


def _other(one: ShownOutput) -> str:
    """What an environment printed with other numbers than those that are shown."""
    name = f"<p>{literal(labels.full(one.environment))}</p>" if one.environment else ""
    return name + (f"<pre>{literal(one.output.shown)}</pre>" if one.output and one.output.shown else "")


def with_link(text: str, address: str) -> str:
    """A text as HTML, as a link if there is an address."""
    return f'<a href="{escaping.html(address)}">{literal(text)}</a>' if address else literal(text)


def _with_messages(one: ShownOutput, html: str) -> str:
    """The text of an output with elements around its warnings and its exception: they are marked, and wrapped."""
    lines, plain = html.split("\n"), one.output.shown.split("\n") if one.output else []
    raised = one.output.raised if one.output else None
    if len(lines) != len(plain):
        return html
    last = len(lines) - (1 + (raised.message.count("\n") if raised.message else 0) if raised else 0)
    for at in range(last):
        if MESSAGE.match(plain[at]):
            lines[at] = f'<span class="sd-warning">{lines[at]}</span>'
    error = "\n".join(lines[last:])
    return "\n".join([*lines[:last], *[f'<span class="sd-error">{error}</span>'] * bool(raised)])


def literal(text: str) -> str:
    """Text as HTML that reads exactly as printed."""
    return escaping.html(text, quotes=False)


def _marked(panes: Sequence[ShownOutput]) -> list[str]:
    """The text of each pane as HTML, what differs from the first pane (in the first: from the second) marked."""
    texts = [pane.output.shown if pane.output else "" for pane in panes]
    if len([text for text in texts if text]) < 2:
        return [literal(text) for text in texts]
    others = [texts[1], *[texts[0]] * (len(texts) - 1)]
    return [_mark(text, other) if text and other else literal(text) for text, other in zip(texts, others, strict=True)]


class _TooManyError(Exception):
    """Two texts have more pairs of equal words than are looked at."""


class _Matcher(difflib.SequenceMatcher[str]):
    """Aligns two lists of words; raises _TooManyError where that looks at more than MARKED pairs of equal words.

    It looks at some of them again and again: words that repeat took minutes, however few they were.
    """

    def __init__(self, own: list[str], theirs: list[str]) -> None:
        super().__init__(None, own, theirs, autojunk=False)
        there = Counter(theirs)
        self.until = [0, *accumulate(1 + there[word] for word in own)]
        """For each place among the own words, the pairs that the words before it have."""
        self.left = MARKED

    def find_longest_match(
        self, alo: int = 0, ahi: int | None = None, blo: int = 0, bhi: int | None = None
    ) -> difflib.Match:
        """The longest part that both have there."""
        self.left -= self.until[len(self.until) - 1 if ahi is None else ahi] - self.until[alo]
        if self.left < 0:
            raise _TooManyError
        return super().find_longest_match(alo, ahi, blo, bhi)


def _mark(text: str, other: str) -> str:
    for split in (TOKEN.findall, partial(str.splitlines, keepends=True)):
        with suppress(_TooManyError):
            own: list[str] = split(text)
            return _with_marks(own, _differing(own, split(other)))
    return literal(text)


def _with_marks(own: list[str], marked: list[bool]) -> str:
    found = []
    for differs, pieces in groupby(zip(marked, own, strict=True), itemgetter(0)):
        piece = literal("".join(text for _, text in pieces))
        if differs and piece.strip():
            piece = "\n".join(f"<mark>{line}</mark>" if line.strip() else line for line in piece.split("\n"))
        found.append(piece)
    return "".join(found)


def _differing(own: list[str], theirs: list[str]) -> list[bool]:
    """For each piece whether to mark it: compared place by place if that marks no more than aligning the two does."""
    found = [True] * len(own)
    for start, _, size in _Matcher(own, theirs).get_matching_blocks():
        found[start : start + size] = [False] * size
    if len(own) == len(theirs):
        placed = [one != other for one, other in zip(own, theirs, strict=True)]
        return min(placed, found, key=sum)
    return found


def _figure(svg: str, alt: str, prefix: str) -> str:
    """The SVG with ids of its own and its text alternative; a note in place of one that must not be on a page."""
    refused = figure_fault(svg)
    if refused:
        return f'<p class="sd-note sd-wrong">{literal(refused)}</p>'
    svg = TAG.sub(lambda tag: REFERENCE.sub(lambda match: match[1] + prefix, tag[0]), svg)
    svg = re.sub(r'^<svg\b([^>]*?) height="[^"]*"', r"<svg\1", svg)
    svg = svg.replace("<svg ", f'<svg role="img" aria-label="{escaping.html(alt)}" ', 1)
    return f'<figure class="sd-figure">{svg}</figure>'
