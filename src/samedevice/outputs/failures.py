"""failures: why blocks fail, by kind, so that a summary says what is missing: names, files, packages, a network."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from samedevice.outputs.checks import fault
from samedevice.outputs.output import VARIES, Output
from samedevice.pages.block import Block

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
