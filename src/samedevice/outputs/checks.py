"""checks: what is wrong with an output: against what its block announces, and against what is recorded."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from samedevice.outputs import labels
from samedevice.outputs.cleaning import clean
from samedevice.outputs.comparison import difference, same_text
from samedevice.outputs.environments import Environment, nearest
from samedevice.outputs.output import Output
from samedevice.outputs.recordings import CPU, BlockStatus, Recording, State, block_statuses, printed_on_cpu
from samedevice.pages import comments
from samedevice.pages.page import Block, Page


@dataclass(frozen=True)
class Verdict:
    """What came of comparing an output with the recordings."""

    wrong: str = ""
    """How it disagrees with them, and what to do; empty if it agrees."""
    matched: Environment | None = None
    """The environment whose output it equals."""


def fault(block: Block, device: str, output: Output) -> str:
    """What is wrong with a block's output by itself; empty if nothing is."""
    if output.died:
        return f"{block} on {device} {output.died}{_printed(output)}"
    expected, raised = block.options.raises_on(device), output.raised
    if raised and not raised.is_a(expected):
        announced = f" instead of {expected}" if expected else ""
        found = f"{block} on {device} raised {raised.type}{announced}: {raised.message}\n\n{raised.trace}"
        return found.rstrip() + _printed(output)
    if expected and not raised:
        return f"{block} on {device} did not raise {expected}, although it says so; mend the block or its raises="
    if block.options.setup and (output.shown or output.figures):
        what = "a setup block runs before every section and shows nothing; move what it shows to a block below it"
        return f"{block}: {what}{_printed(output)}"
    if output.figures and not block.options.alt:
        return f'{block} draws a figure; add alt="..." to its fence, a sentence that says what it shows'
    return ""


def _printed(output: Output) -> str:
    """What a block printed before it failed. Where a program ends with status 1, nothing else names the cause."""
    return f"\n\nIt had printed:\n{output.text.rstrip()}" if output.text.strip() else ""


def unexpected(page: Page, block: Block, device: str, output: Output) -> str:
    """How an output is not what the page says that the block prints; empty if it is, or if the page says nothing."""
    if block.expected is None:
        return ""
    text, vary = expected_text(block, output), block.options.numbers_vary and not block.says_itself
    found = difference(Output(_told(block.expected.body)), Output(_told(text)), vary)
    if not found:
        return ""
    where = "in its code" if block.says_itself else f"below it, line {block.expected.line}"
    what = f"{block} on {device}: not what the page says {where}"
    return f"{what}\n\n{found}\n\nIf the new output is right, run {record_command(page, device)}; it writes it there"


def expected_text(block: Block, output: Output) -> str:
    """What the fence that says what a block prints must hold, given what it printed."""
    if not block.says_itself:
        return output.shown
    vary = block.options.numbers_vary
    return comments.commented(block.code, output.lines, lambda one, other: same_text(_told(one), _told(other), vary))


def _told(text: str) -> str:
    """What a page says that a block prints, as outputs are kept, and without blanks that editors drop."""
    return "\n".join(line.rstrip() for line in clean(text, {}).split("\n"))


def fails_as_known(block: Block, device: str, statuses: Sequence[BlockStatus]) -> bool:
    """Whether a block failed when it was recorded: it is shown without an output, and fails again without surprise."""
    return any(one.output and fault(block, device, one.output) for one in statuses)


def compare(page: Page, block: Block, here: Environment, output: Output, recordings: Sequence[Recording]) -> Verdict:
    """Compare a block's output with what is recorded of the page.

    The recording of the same environment decides. Where that has no output for the block's code, the output must equal
    what any other environment of the same kind of device printed for it. A simulated device is a kind of its own. Of a
    block that did not use the device the output may equal what a CPU printed.
    """
    statuses = block_statuses(page, block.index, here.device, recordings, here.simulated)
    vary = block.numbers_vary(here.simulated)
    own = next((one for one in statuses if one.environment.folder == here.folder), None)
    if own and own.output:
        found = difference(own.output, output, vary)
        return Verdict(_differs(page, block, own, found)) if found else Verdict(matched=own.environment)
    if here.device != CPU and not output.used:
        as_cpu = printed_on_cpu(page, block.index, output, recordings)
        if as_cpu:
            return Verdict(matched=as_cpu)
    fresh = {one.environment: one for one in statuses if one.output}
    for one in fresh.values():
        if one.output and not difference(one.output, output, vary):
            return Verdict(matched=one.environment)
    command = record_command(page, here.device, here.simulated)
    if not fresh:
        return Verdict(f"{block} {_unrecorded(here, statuses)}; run {command}")
    closest = fresh[nearest(here, list(fresh))]
    assert closest.output is not None
    found = difference(closest.output, output, vary)
    return Verdict(
        f"{block} on {here.device}: not what was recorded ({closest.environment}), nor what any other environment "
        f"printed\n\n{block.code}\n{found}\n\nIf this is what {here.folder} prints, run {command}"
    )


def _unrecorded(here: Environment, statuses: Sequence[BlockStatus]) -> str:
    device = labels.kind(here) if here.simulated else here.device
    if any(one.state is State.UNUSED for one in statuses):
        return f"did not use {device} when it was recorded, or printed what a CPU prints, and now that is different"
    if any(one.entry and one.entry.changed for one in statuses):
        return f"or what it comes after reads a file that has changed since it was recorded on {device}"
    if any(one.state is State.STALE for one in statuses):
        return f"was recorded on {device} for other code than it has now"
    return f"has no recording for {device}"


def _differs(page: Page, block: Block, own: BlockStatus, found: str) -> str:
    device = own.environment.device
    return (
        f"{block} on {device}: not what was recorded ({own.environment})\n\n{block.code}\n{found}\n\n"
        f"If the new output is right, run {record_command(page, device, own.environment.simulated)}"
    )


def record_command(page: Page, device: str, simulated: bool = False) -> str:
    """The command that records a page on a device, with the interpreter's PyTorch."""
    flags = page.settings.flags
    if page.settings.library:
        return f"pytest {page.path} {flags}record"
    return f"pytest {page.path} {flags}device {device} " + f"{flags}simulated " * simulated + f"{flags}record"
