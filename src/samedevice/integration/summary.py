"""summary: what the end of a run of pytest says: what was recorded, what matched, what is stale, why blocks fail."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence

from samedevice.devices import DEVICES, made_by, made_with
from samedevice.outputs.checks import fault
from samedevice.outputs.output import VARIES, Output
from samedevice.outputs.record import UNCHANGED
from samedevice.outputs.recordings import Recording, State, count_blocks
from samedevice.pages.page import Block, Page

Recorded = tuple[Page, Sequence[Recording]]
"""A page, and what is recorded of it."""
NAMED = 3
"""How many pages a line names."""
Failed = tuple[Block, str, Output]
"""A block that failed, on which device, and how."""
KINDS = {
    "lack a name": re.compile(r"NameError:|UnboundLocalError:"),
    "lack a package": re.compile(r"ModuleNotFoundError:|ImportError:"),
    "lack a file": re.compile(r"FileNotFoundError:|NotADirectoryError:"),
    "lack a network or a service": re.compile(
        r"(?:\w*(?:Connect|Connection|Proxy|URL|HTTP|SSL|DNS|ServerSelection|Network)\w*(?:Error|Timeout|Exception)"
        r"|gaierror|timeout|MaxRetryError|NoCredentialsError|DefaultCredentialsError):"
        r"|.*(?:Connection refused|Name or service not known|name resolution|Network is unreachable)",
        re.S,
    ),
    "print something else than they say": re.compile("it prints something else"),
    "are no Python": re.compile(r"SyntaxError:|IndentationError:|TabError:"),
}
"""How the exceptions of a kind begin, with their class."""
SLOW, ENDED, BELOW = "take too long", "end their process", "come below one that ends its process"
REST = "raise other errors"


def recorded(said: Iterable[str]) -> Iterator[str]:
    """What was said of the pages that were recorded, those that are as they were in one line."""
    unchanged = 0
    for line in said:
        if line.startswith(UNCHANGED):
            unchanged += 1
        else:
            yield line
    if unchanged:
        yield f"unchanged: {unchanged} recordings say already what was printed"


def matched_with(found: Iterable[str]) -> Iterator[str]:
    """How many outputs are equal to the recordings of which environment, unless all are of this PyTorch."""
    counted = Counter(found)
    if not all(name.endswith(f"-{made_by()}") for name in counted):
        told = ", ".join(f"{count} as {name} printed" for name, count in counted.most_common())
        yield f"outputs with {made_with()}: {told}"


def elsewhere(pages: Collection[Recorded], here: tuple[str, ...]) -> Iterator[str]:
    """A line for each other device that has not run all blocks as they now are, with the first pages of them."""
    for device in sorted(set(DEVICES) - set(here)):
        counted = {page.path: count_blocks(page, device, recordings) for page, recordings in pages}
        lacking = {path: count for path, count in counted.items() if count.stale or count.missing}
        stale, missing = (sum(getattr(count, kind) for count in lacking.values()) for kind in ("stale", "missing"))
        told = [f"{number} {kind}" for number, kind in ((stale, "stale"), (missing, "missing")) if number]
        if told:
            names = [str(path) for path in lacking][:NAMED] + [f"{len(lacking) - NAMED} more"] * (len(lacking) > NAMED)
            blocks = sum(count.blocks for count in lacking.values())
            yield f"{device}: {', '.join(told)} of {blocks} blocks, on {', '.join(names)}"


def outdated(pages: Collection[Recorded], here: tuple[str, ...], simulated: bool = False) -> Iterator[str]:
    """A line for each recorded environment of the devices that are here whose blocks are stale or missing."""
    found: Counter[str] = Counter()
    for page, recordings in pages:
        for recording in recordings:
            about = recording.environment
            if about.device in here and about.simulated == simulated:
                runs = (block for block in page.blocks if block.runs_on(about.device, about.torch))
                runs = (block for block in runs if not (simulated and block.not_simulated))
                states = [recording.find(page, block.index).state for block in runs]
                found[about.folder] += states.count(State.STALE) + states.count(State.MISSING)
    for folder, count in sorted(found.items()):
        if count:
            yield f"{folder}: {count} blocks are not recorded as they now are; record them with that PyTorch"


def failing(pages: Collection[Recorded], here: tuple[str, ...]) -> Iterator[str]:
    """How many blocks are recorded to fail, and why, so that a green run does not hide them."""
    found = dict[tuple[str, int], Failed]()
    for page, recordings in pages:
        for recording in () if page.settings.console else recordings:
            device = recording.environment.device
            for block in page.blocks if device in here else ():
                output = recording.find(page, block.index).output
                for one in failed([(block, device, output)] if output else []):
                    found[page.path, block.index] = one
    if found:
        blocks = sum(block.kind != "shown" for page, _ in pages for block in page.blocks)
        yield f"{len(found)} of {blocks} blocks fail as recorded, and show no output:"
        yield from (f"  {line}" for line in by_kind(found.values()))


def kind_of(output: Output) -> str:
    """Why a block failed: one of `KINDS`, or that its process had to end."""
    if output.died:
        return SLOW if "within" in output.died else ENDED if output.ended else BELOW
    told = f"{output.raised.type}: {output.raised.message}" if output.raised else ""
    told = re.sub(r"^(?:TranscriptError: )?(?:\w+\.)*", "", told)
    return next((kind for kind, pattern in KINDS.items() if pattern.match(told)), REST)


def by_kind(failed: Iterable[Failed]) -> Iterator[str]:
    """A line for each kind of failure, the commonest first, with the first block of it."""
    found: dict[str, list[Failed]] = {}
    for one in failed:
        found.setdefault(kind_of(one[2]), []).append(one)
    for kind, blocks in sorted(found.items(), key=lambda pair: -len(pair[1])):
        block, device, output = blocks[0]
        yield f"{len(blocks)} {kind}, first {fault(block, device, output).splitlines()[0]}"


def failed(blocks: Iterable[Failed]) -> Iterator[Failed]:
    """The blocks that failed, of blocks and what they did; one that prints something else each time did not."""
    for block, device, output in blocks:
        if output.died != VARIES and fault(block, device, output):
            yield block, device, output
