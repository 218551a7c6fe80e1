"""summary: the line below a page's title: how many of its blocks ran, where and when, and how many still wait."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from samedevice.devices import DEVICES, LABELS
from samedevice.outputs import escaping, labels
from samedevice.pages.page import Page
from samedevice.weaving.output_html import UNSEARCHED, with_link
from samedevice.weaving.panes import ShownOutput, is_simulated

Outputs = Mapping[int, Sequence[ShownOutput]]
"""What is shown under each block, by the block's index."""


def summary_html(page: Page, shown: Outputs, about: str = "") -> str:
    """The line as HTML; empty for a page without blocks. `about` is a link to what explains simulated devices."""
    ran = list(_ran(page, shown, about))
    html = " ".join([*ran, *map(escaping.html, _waiting(page, shown, bool(ran)))])
    return f'<p class="sd-ran" {UNSEARCHED}>{html}</p>' if html else ""


def _ran(page: Page, shown: Outputs, about: str) -> Iterator[str]:
    """A sentence for each device that ran something: `All code blocks ran on CPU (PyTorch 2.13.0, 2026-11-21).`"""
    for device in DEVICES:
        for simulated in (False, True):
            seen = [block.index for block in page.blocks if not block.hidden]
            ran = {index: _by(device, simulated, shown.get(index, ())) for index in seen}
            count = sum(map(bool, ran.values()))
            if count:
                made = [one.environment for found in ran.values() for one in found if one.environment]
                by = labels.span(made)
                preposition = "with" if simulated else "on"  # not every block uses the device that is simulated
                kind = f"{preposition} {labels.of_kind(device, simulated)}"
                where = f"{kind} ({by})" if made[0].torch else f"with {by}"
                html = escaping.html(f"{_blocks(count, len(seen))} ran {where}")
                yield html + (f": {with_link('no GPU ran them', about)}." if simulated else ".")


def _by(device: str, simulated: bool, shown: Sequence[ShownOutput]) -> list[ShownOutput]:
    own = (one for one in shown if one.device == device and one.output is not None)
    return [one for one in own if is_simulated(one) == simulated]


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
