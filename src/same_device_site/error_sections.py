"""error_sections: the pages about errors: the message of each section, why it comes, and whether it still comes.

Such a page is in the folder `errors`. Its title, and each `## ` heading, begins a section about one error and has an id
that begins with `err-`. A heading that starts with a code span is about the message in it, a second span after "and"
is a second message; what else follows, " from `f()`" for example, is not part of it. Every other heading is about a
failure that has no message.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import Enum

from samedevice import (
    DEVICES,
    Block,
    Environment,
    Page,
    Recording,
    State,
    block_statuses,
    find_links,
    is_simulated,
    listed,
    overall_state,
)

MARKDOWN = ".md"
"""The suffix of a page in Markdown; notebooks have no such sections."""
FOLDER = "errors/"
"""What the names of pages about errors begin with."""
HEADING = re.compile(r"^(?P<level>#{1,6}) +(?P<text>.+?)(?: +\{ *(?:#(?P<id>[\w-]+))?[^}]*\})? *$", re.M)
SPAN = re.compile(r"(?<!`)(?P<ticks>`+)(?!`)(?P<code>.+?)(?<!`)(?P=ticks)(?!`)")
AFTER = re.compile(r"$| from |, ")
"""What may follow the code span of a heading that is about a message."""
VARIES = re.compile(
    r"(?P<gap>\.\.\.)|(?P<address>\b0x[0-9a-fA-F]+\b)|(?P<shape>\[-?\d+(?:, ?-?\d+)*\]|(?<!\w)\d+(?:x\d+)+(?!\w))"
    r"|(?P<number>(?<![\w.])[-+]?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?)"
)
ANYTHING = {
    "gap": r".*?",
    "address": r"0x[0-9a-fA-F.]+",
    "shape": r"(?:\[[-\d, ]*\]|\d+(?:x\d+)*)",
    "number": r"[-+]?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?",
}
CLASS = re.compile(r"(?P<name>\w*(?:Error|Warning|Iteration|Exception|Unsupported)): [^.]{,40}\Z")
"""The class of a message in front of it; the heading may leave out its first words."""
NAME = re.compile(r"(?:\w+\.)*(?P<name>\w+(?:Error|Iteration|Exception))")
"""A message that is the name of a class, and nothing else."""
REAL = {"FakeTensorDeviceMismatchError": "RuntimeError"}
"""Classes that a check without a GPU raises, with those that readers have on a GPU."""
CAUGHT = re.compile(r"except \(?([\w., ]+?)\)?(?: as |:)")


class Proof(Enum):
    """What stands behind a message."""

    RAISED = "raised"
    """A block of its section gave it, as recorded for the block as it now is."""
    COMPARED = "compared"
    """A block of its section has the message in its code, compares it with what PyTorch says, and printed True."""
    SIMULATED = "simulated"
    """A block of its section gave it on a simulated device; no real one did."""
    WAITING = "waiting"
    """A block of its section that may give it is not recorded on a device that it runs on, nor on a simulated one."""
    CITED = "cited"
    """No block gives it; the section links to another site."""
    GONE = "gone"
    """No block gives it, and nothing is linked."""


@dataclass(frozen=True)
class ErrorSection:
    """A section about one error. Its `str` is where it stands: `docs/x.md:41`."""

    page: Page
    """The page that it is on."""
    id: str
    """The id of its heading; empty if it has none."""
    line: int
    """Line of the heading in the page, from 1."""
    title: str
    """The heading as Markdown, without the id."""
    messages: tuple[str, ...]
    """The messages that the heading names; none for a failure without a message."""
    prose: str
    """Its first paragraph, as Markdown."""
    blocks: tuple[Block, ...]
    """The blocks of code in it that are run."""
    sources: tuple[str, ...]
    """Addresses of other sites that it links to."""
    main: bool = False
    """Whether its heading is the page's title; of several sections about one message the index takes this one."""

    def __str__(self) -> str:
        return f"{self.page.path}:{self.line}"


@dataclass(frozen=True)
class Evidence:
    """What stands behind one message of a section."""

    proof: Proof
    """Whether it was seen to come."""
    name: str
    """Name of the class of the exception or warning; empty if that is not known."""
    environments: tuple[Environment, ...] = ()
    """Where it came."""
    recorded: tuple[Environment, ...] = ()
    """Where the blocks of the section are recorded."""

    def versions(self, device: str) -> str:
        """The versions of PyTorch with which it came on a device: `2.9, 2.15`."""
        known = sorted((one for one in self.recorded if one.device == device), key=lambda one: one.order)
        own = {one.release for one in self.environments if one.device == device}
        return listed(own, [one.release for one in known])

    @property
    def devices(self) -> tuple[str, ...]:
        """The devices on which it came."""
        return tuple(dict.fromkeys(one.device for one in self.environments))

    @property
    def everywhere(self) -> bool:
        """Whether every recorded environment of these devices gave it."""
        return {one for one in self.recorded if one.device in self.devices} <= set(self.environments)


@dataclass(frozen=True)
class Heading:
    """A heading of a page."""

    line: int
    """Its line in the page, from 1."""
    level: int
    """1 for the page's title, 2 for a section."""
    text: str
    """Its text as Markdown, without the id."""
    id: str
    """The id that the author gave it; empty if none."""


def outline(page: Page) -> list[Heading]:
    """The headings of a Markdown page; none of a notebook."""
    found = _headings(page) if page.path.endswith(MARKDOWN) else []
    lines = (page.text.count("\n", 0, one.start()) + 1 for one in found)
    return [
        Heading(line, len(one["level"]), one["text"], one["id"] or "") for line, one in zip(lines, found, strict=True)
    ]


def _headings(page: Page) -> list[re.Match[str]]:
    """The headings of a Markdown page; what a fence shows is none."""
    inside = {at for fence in page.fences for at in range(fence.start, fence.end)}
    return [found for found in HEADING.finditer(page.text) if found.start() not in inside]


def error_sections(page: Page) -> Iterator[ErrorSection]:
    """Yield the sections of a page about errors, in order; none of another page."""
    if not page.name.startswith(FOLDER):
        return
    text = page.text
    headings = [found for found in _headings(page) if len(found["level"]) < 3]
    ends = [found.start() for found in headings[1:]] + [len(text)]
    for heading, end in zip(headings, ends, strict=True):
        prose = [text[a:b] for a, b in _between(heading.end(), end, [(f.start, f.end) for f in page.fences])]
        urls = [link.url for link in find_links("".join(prose))]
        within = range(heading.start(), end)
        yield ErrorSection(
            page,
            heading["id"] or "",
            text.count("\n", 0, heading.start()) + 1,
            heading["text"],
            _messages(heading["text"]),
            _first_paragraph("\n\n".join(prose)),
            tuple(block for block in page.blocks if block.fence.start in within),
            tuple(url for url in urls if url.startswith(("https://", "http://"))),
            heading["level"] == "#",
        )


def _between(start: int, end: int, holes: list[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """The listed of `start` to `end` that are outside the holes."""
    for first, last in holes:
        if start <= first < end:
            yield start, first
            start = last
    yield start, end


def _messages(title: str) -> tuple[str, ...]:
    found: list[str] = []
    at = 0
    while span := SPAN.match(title, at):
        code = span["code"]
        found.append(code[1:-1] if len(code) > 2 and code[0] == code[-1] == " " else code.strip())
        at = span.end()
        if title.startswith(" and `", at):
            at += len(" and ")
    return tuple(found) if AFTER.match(title, at) else ()


def _first_paragraph(prose: str) -> str:
    paragraphs = (part.strip() for part in re.split(r"\n\s*\n", prose))
    return next((part for part in paragraphs if part and part[0] not in "|-<!?"), "")


def pattern(message: str) -> re.Pattern[str]:
    """What finds a message in an output whose blank space is collapsed.

    Its words stand there one after the other. Where it has a number, a shape, an index of a device or an address,
    there may be any other; where it has `...`, anything. It may be cut short at both ends.
    """
    found, at, text = [], 0, " ".join(message.split())
    for varying in VARIES.finditer(text):
        found += [re.escape(text[at : varying.start()]), ANYTHING[varying.lastgroup or "gap"]]
        at = varying.end()
    whole = "".join([*found, re.escape(text[at:])])
    return re.compile(rf"(?<!\w){whole}" + (r"(?!\w)" if text[-1:].isalnum() else ""))


def evidence(section: ErrorSection, message: str, recordings: Sequence[Recording]) -> Evidence:
    """What stands behind a message of a section; `recordings` are those of its page."""
    for simulated in (False, True):
        found = _given(section, message, recordings, simulated)
        if found:
            return found
    proof = _unseen(section, recordings)
    blocks = () if proof is Proof.CITED else section.blocks  # theirs is another message
    announced = (_name(block, device, "", message) for block in blocks for device in DEVICES)
    return Evidence(proof, next(filter(None, announced), ""))


def _given(section: ErrorSection, message: str, recordings: Sequence[Recording], simulated: bool) -> Evidence | None:
    """The evidence of the blocks that gave a message on real devices, or on simulated ones; None if none did."""
    wanted, compared = pattern(message), False
    names, seen = [], []
    for block, where, text in _outputs(section, recordings, simulated):
        device = where.device
        match = wanted.search(text)
        same = not match and set(text.split()) == {"True"} and bool(wanted.search(" ".join(block.code.split())))
        if match or same:
            seen.append(where)
            names.append(_name(block, device, text[: match.start()] if match else "", message))
            compared = compared or same
    if not seen:
        return None
    proof = Proof.SIMULATED if simulated else Proof.COMPARED if compared else Proof.RAISED
    known = dict.fromkeys(where for _, where, _ in _outputs(section, recordings, simulated))
    classes = sorted({part for name in names for part in name.split(" or ") if part})
    return Evidence(proof, " or ".join(classes), tuple(dict.fromkeys(seen)), tuple(known))


def _outputs(
    section: ErrorSection, recordings: Sequence[Recording], simulated: bool
) -> Iterator[tuple[Block, Environment, str]]:
    """Each block of a section with each environment that it is recorded in, and what it printed there, on one line."""
    for block in section.blocks:
        for device in DEVICES:
            for one in block_statuses(section.page, block.index, device, recordings, simulated):
                if one.output:
                    yield block, one.environment, " ".join(one.output.shown.split())


def _name(block: Block, device: str, before: str, message: str) -> str:
    """The class of a message: as printed in front of it, as the heading has it, or as the block announces it."""
    alone = None if before.endswith(": ") else NAME.fullmatch(message)
    printed = alone or CLASS.search(before) or CLASS.match(message.partition(": ")[0] + ": ")
    if printed:
        return REAL.get(printed["name"], printed["name"])
    caught = CAUGHT.search(block.code)
    return block.options.raises_on(device) or (caught[1].replace(", ", " or ") if caught else "")


def _unseen(section: ErrorSection, recordings: Sequence[Recording]) -> Proof:
    """What stands behind a message that no recorded block gave.

    It waits if a block that may give it is not recorded: one that raises, or any where none does.
    """
    raising = [block for block in section.blocks if block.options.raises] or section.blocks
    for block in raising:
        for device in _expected(block):
            real = overall_state(block_statuses(section.page, block.index, device, recordings)) is State.FRESH
            if not real and not is_simulated(section.page, block.index, device, recordings):
                return Proof.WAITING
    return Proof.CITED if section.sources else Proof.GONE


def _expected(block: Block) -> set[str]:
    """The devices on which a block must be recorded before it can be judged."""
    if block.options.needs:
        return {block.options.needs}
    return {device or "cpu" for device, _ in block.options.raises} or {"cpu"}
