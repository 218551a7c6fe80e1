"""verdict: what is wrong with an output: against what its block announces, and against what is recorded."""

from __future__ import annotations

from samedevice.outputs.comparison import difference
from samedevice.outputs.output import Output
from samedevice.outputs.recordings import Recording, State
from samedevice.pages.page import Block, Page
from samedevice.project import RECORDINGS


def fault(block: Block, device: str, output: Output) -> str:
    """What is wrong with a block's output by itself; empty if nothing is."""
    if output.died:
        return f"{block} on {device} {output.died}{_printed(output)}"
    expected, raised = block.options.raises_on(device), output.raised
    if raised and raised.type != expected:
        announced = f" instead of {expected}" if expected else ""
        found = f"{block} on {device} raised {raised.type}{announced}: {raised.message}\n\n{raised.trace}"
        return found.rstrip() + _printed(output)
    if expected and not raised:
        return f"{block} on {device} did not raise {expected}, although it says so; mend the block or its raises="
    if output.figures and not block.options.alt:
        return f'{block} draws a figure; add alt="..." to its fence, a sentence that says what it shows'
    return ""


def _printed(output: Output) -> str:
    """What a block printed before it failed. Where a program ends with status 1, nothing else names the cause."""
    return f"\n\nIt had printed:\n{output.text.rstrip()}" if output.text.strip() else ""


def mismatch(page: Page, block: Block, device: str, output: Output, recording: Recording | None) -> str:
    """How a block's output disagrees with what is recorded; empty if it agrees."""
    state, entry = recording.find(page, block.index) if recording else (State.MISSING, None)
    command = f"pytest {page.path} --device {device} --record"
    if state is State.DAMAGED:
        return damage(page, block, device)
    if state is State.MISSING:
        return f"{block} has no recording for {device}; run {command}"
    if state is State.STALE:
        return f"{block} was recorded on {device} for other code than it has now; run {command}"
    assert entry is not None
    assert recording is not None
    found = difference(entry.output, output, block.options.numbers_vary)
    if not found:
        return ""
    where = f"{recording.environment.name}, PyTorch {recording.environment.torch}, {recording.environment.day}"
    return (
        f"{block} on {device}: not what was recorded ({where})\n\n{block.code}\n{found}\n\n"
        f"If the new output is right, run {command}"
    )


def damage(page: Page, block: Block, device: str) -> str:
    """The message for an entry that was changed by hand."""
    file = f"{RECORDINGS.as_posix()}/{device}/{page.name}.json"
    advice = f"bring {file} back with git checkout, or run pytest {page.path} --device {device} --record"
    return f"{block}: its recording for {device} was changed by hand; {advice}"


def damaged(page: Page, recording: Recording) -> list[str]:
    """A message for each entry of a recording that was changed by hand. Raises nothing."""
    device = recording.environment.device
    found = []
    for block in page.blocks:
        if block.runs_on(device) and recording.find(page, block.index)[0] is State.DAMAGED:
            found.append(damage(page, block, device))
    return found
