"""summary: the outputs of a page to the row below its title: a badge for each device, which opens to say more."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from samedevice.devices import DEVICES, LABELS
from samedevice.outputs import escaping, labels
from samedevice.outputs.environments import Environment
from samedevice.pages.page import Block, Page
from samedevice.weaving.output_html import UNSEARCHED, with_link
from samedevice.weaving.panes import ShownOutput, is_simulated

Outputs = Mapping[int, Sequence[ShownOutput]]
"""What is shown under each block, by the block's index."""


@dataclass(frozen=True)
class Ran:
    """What one kind of device, real or simulated, ran of a page."""

    device: str
    """cpu, cuda or mps."""
    simulated: bool
    """Whether the devices were simulated ones."""
    blocks: int
    """How many of the page's blocks it ran."""
    whole: int
    """How many blocks there are for it to run: on the CPU all that can run there; else those that some device of the
    kind ran, real or simulated, and those that wait for one."""
    environments: tuple[Environment, ...]
    """Where it ran them, each once."""

    @property
    def names(self) -> str:
        """The devices in short: `CPU`, `H100`, `simulated`; without PyTorch `Python`."""
        if self.simulated:
            return labels.SIMULATED
        if self.device == DEVICES[0]:
            return LABELS[self.device] if self.environments[0].torch else self.environments[0].maker
        return ", ".join(dict.fromkeys(one.short_name.upper() for one in self.environments))

    @property
    def count(self) -> str:
        """What follows the names: `2.9, 2.15` for a CPU that ran all, `27 of 29`, or `2` for simulated devices."""
        if self.simulated:
            return f"{self.blocks}"
        if self.device == DEVICES[0] and self.blocks == self.whole:
            return ", ".join(dict.fromkeys(one.release for one in sorted(self.environments, key=lambda one: one.order)))
        return f"{self.blocks} of {self.whole}"

    @property
    def sentence(self) -> str:
        """What it says in words: `27 of 29 code blocks ran on CUDA (NVIDIA H100), with PyTorch 2.11.0, last on ...`."""
        made = labels.all_versions(self.environments)
        if not self.environments[0].torch:
            return f"{_blocks(self.blocks, self.whole)} ran with {made}"
        named = dict.fromkeys(one.name for one in self.environments if one.device != DEVICES[0] and not one.simulated)
        on = labels.of_kind(self.device, self.simulated) + (f" ({', '.join(named)})" if named else "")
        return f"{_blocks(self.blocks, self.whole)} ran on {on}, with {made}"


def counted(page: Page, shown: Outputs) -> list[Ran]:
    """What each device ran of a page: the only place that counts it for the row."""
    found = []
    seen = [block for block in page.blocks if not block.hidden]
    for device in DEVICES:
        own = {
            block.index: [one for one in shown.get(block.index, ()) if one.device == device and one.output is not None]
            for block in seen
        }
        waiting = sum(block.options.needs == device and not _ran(block, shown) for block in seen)
        could = [block for block in seen if block.runs_on(device)] if device == DEVICES[0] else []
        whole = len(could) or sum(map(bool, own.values())) + waiting
        for simulated in (False, True):
            ran = [[one for one in outputs if is_simulated(one) == simulated] for outputs in own.values()]
            made = dict.fromkeys(one.environment for outputs in ran for one in outputs if one.environment)
            if made:
                found.append(Ran(device, simulated, sum(map(bool, ran)), whole, tuple(made)))
    return found


def summary_html(page: Page, shown: Outputs, about: str = "") -> str:
    """The row as HTML; empty for a page without blocks. `about` is a link to what explains simulated devices.

    Its attributes name the real accelerators, so that a switch can say what it switches to: `data-cuda="H100"`.
    """
    found = counted(page, shown)
    idle = [block for block in page.blocks if not _ran(block, shown)]
    waiting = Counter(block.options.needs for block in idle if block.options.needs)
    badges = "".join(_badge(one, about, waiting.get(one.device, 0)) for one in found)
    ran = {one.device for one in found}
    badges += "".join(
        f'<span class="sd-badge sd-idle">{_wait(count, device)}</span>'
        for device, count in waiting.items()
        if device not in ran
    )
    real = [one for one in found if not one.simulated and one.device != DEVICES[0]]
    names = "".join(f' data-{one.device}="{escaping.html(one.names)}"' for one in real)
    return f'<div class="sd-ran"{names} {UNSEARCHED}>{badges}</div>' if badges else ""


def _badge(one: Ran, about: str, waiting: int) -> str:
    """The badge of what ran; opened, it also says how many blocks still wait for such a device."""
    kind = "sd-badge sd-imitated" if one.simulated else "sd-badge"
    more = f": {with_link('no GPU ran them', about)}." if one.simulated else "."
    more += f" {_wait(waiting, one.device)}." if waiting else ""
    head = f"<b>{escaping.html(one.names)}</b> {escaping.html(one.count)}"
    said = escaping.html(one.sentence)
    return f'<details class="{kind}" name="sd-badge"><summary>{head}</summary><p>{said}{more}</p></details>'


def _blocks(count: int, whole: int) -> str:
    if count < whole:
        return f"{count} of {whole} code blocks"
    return f"All {count} code blocks" if whole > 1 else "The code block"


def _ran(block: Block, shown: Outputs) -> bool:
    """Whether any device ran a block."""
    return any(one.output for one in shown.get(block.index, ()))


def _wait(count: int, device: str) -> str:
    return f"{count} {'waits' if count == 1 else 'wait'} for {LABELS[device]}"
