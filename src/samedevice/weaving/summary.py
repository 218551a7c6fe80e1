"""summary: the line below a page's title: how many of its blocks ran, where and when, and how many still wait."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from samedevice.devices import DEVICES, LABELS
from samedevice.outputs import escaping, labels
from samedevice.pages.page import Page
from samedevice.weaving.output_html import UNSEARCHED
from samedevice.weaving.panes import ShownOutput

Outputs = Mapping[int, Sequence[ShownOutput]]
"""What is shown under each block, by the block's index."""


def summary_html(page: Page, shown: Outputs) -> str:
    """The line as HTML; empty for a page without blocks."""
    ran = list(_ran(page, shown))
    text = " ".join([*ran, *_waiting(page, shown, bool(ran))])
    return f'<p class="sd-ran" {UNSEARCHED}>{escaping.html(text)}</p>' if text else ""


def _ran(page: Page, shown: Outputs) -> Iterator[str]:
    """A sentence for each device that ran something: `All code blocks ran on CPU (PyTorch 2.13.0, 2026-11-21).`"""
    for device in DEVICES:
        ran = {block.index: _by(device, shown.get(block.index, ())) for block in page.blocks}
        count = sum(map(bool, ran.values()))
        if count:
            made = [one.environment for found in ran.values() for one in found if one.environment]
            where = f"on {LABELS[device]} ({labels.span(made)})" if made[0].torch else f"with {labels.span(made)}"
            yield f"{_blocks(count, len(page.blocks))} ran {where}."


def _by(device: str, shown: Sequence[ShownOutput]) -> list[ShownOutput]:
    return [one for one in shown if one.device == device and one.output is not None]


def _blocks(count: int, whole: int) -> str:
    if count < whole:
        return f"{count} of {whole} code blocks"
    return "All code blocks" if whole > 1 else "The code block"


def _waiting(page: Page, shown: Outputs, after: bool) -> Iterator[str]:
    """A sentence for each device that blocks wait for; `after` is whether another sentence named the blocks before."""
    idle = [block for block in page.blocks if not any(one.output for one in shown.get(block.index, ()))]
    for device, count in Counter(block.options.needs for block in idle if block.options.needs).items():
        one, several = (
            ("One waits", f"{count} wait") if after else ("One code block waits", f"{count} code blocks wait")
        )
        yield f"{one if count == 1 else several} for a machine with {LABELS[device]}."
