"""simulation: which outputs of a simulated device may stand for those of a real one, and why others may not."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from samedevice.devices import Simulator
from samedevice.outputs.environments import Run
from samedevice.outputs.output import Output
from samedevice.pages.page import Block


def taken(run: Run, blocks: Sequence[Block], simulator: Simulator) -> Run:
    """A run without the outputs that a real device may give differently; `blocks` are those of one process, in order.

    What the simulator is unsure of may be in every value after it, so nothing below it is taken either.
    """
    doubt, unsure = "", dict[int, str]()
    for block in blocks:
        output = run.outputs[block.index]
        if output is None:
            continue
        own = "" if doubt else _doubt(output, simulator)
        why = doubt or own or block.not_simulated
        if why:
            unsure[block.index] = why
        if not doubt and (own or (block.not_simulated and output.died)):
            doubt = f"it comes after {block}" + (f": {own}" if own else f", which {output.died}")
    outputs = (None if index in unsure else output for index, output in enumerate(run.outputs))
    return replace(run, outputs=tuple(outputs), unsure=unsure)


def _doubt(output: Output, simulator: Simulator) -> str:
    """What a real device may do differently in a block; empty if nothing."""
    if output.unsure:
        return f"the simulator does not vouch for {output.unsure}"
    raised = output.raised
    said = "\n".join([output.shown, raised.trace if raised else ""])
    refused = next((line.strip() for line in said.split("\n") if simulator.refusal in line), "")
    return f"the simulator refused it: {refused}" if refused else ""
