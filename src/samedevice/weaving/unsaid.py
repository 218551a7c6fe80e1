"""unsaid: what of a block's outputs its page does not say itself, where it says what blocks print."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from samedevice.outputs.output import Output
from samedevice.pages import comments
from samedevice.pages.page import Block
from samedevice.weaving.panes import ShownOutput


def unsaid(block: Block, shown: Sequence[ShownOutput]) -> list[ShownOutput]:
    """What is left to show of a block: all of it, or what the fence below it or its comments do not say."""
    if block.expected is None:
        return [*shown]
    rest = ((one, _rest(block, one.output)) for one in shown if one.output)
    return [replace(one, output=output) for one, output in rest if output.shown or output.figures]


def _rest(block: Block, output: Output) -> Output:
    if block.expected is not block.fence:
        return Output(figures=output.figures)
    printed = Counter(line.rstrip() for line in output.text.rstrip("\n").split("\n"))
    return output if printed - Counter(comments.said(block.code).values()) else replace(output, text="")
