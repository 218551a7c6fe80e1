"""sections: the blocks of a page to `Section`s: each has a namespace, and blocks of others that run before its own.

A page has a setup: the blocks with the option `setup`, which run first in every section. A section begins at the top
of the page, at each `## ` heading, at each exercise and at each error message. It knows the setup's names alone, unless
its first block says `after="anchor"`: then that section's blocks run before it, silently.

Sybil's clear-namespace empties the one namespace of a document. Here each section can run by itself, so that an edit
of one leaves the recordings of the others as they are.
"""

from __future__ import annotations

import re
from bisect import bisect
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from samedevice.errors import Complaints, PageError
from samedevice.pages.fences import Fence

if TYPE_CHECKING:
    from samedevice.pages.page import Block

HEADING = re.compile(r"^(?P<level>#{1,6}) +(?P<text>.+?)(?: +\{ *(?:#(?P<id>[\w-]+))?[^}]*\})? *$", re.M)
EXERCISE = re.compile(r"^(?:### |\*\*)?(?P<number>\d+)\.", re.M)
"""What begins an exercise: `**1.**`, `### 1.` or `1.`, below the heading of exercises."""
EXERCISES = "Exercises"
"""This heading."""
MESSAGE = "err-"
"""What the ids of the headings about error messages begin with."""


@dataclass(frozen=True)
class Part:
    """A place where a section begins. Its `str` is how a person names it: `docs/x.md:41`."""

    page: str
    """Path of the page, relative to the repository root."""
    anchor: str
    """What `after` names it by: the heading's id, or its words as MkDocs makes an id of them; `exercise-1`."""
    line: int
    """Its line in the page, from 1."""

    def __str__(self) -> str:
        return f"{self.page}:{self.line}"


@dataclass(frozen=True)
class Section:
    """A part of a page with code, which has a namespace of its own."""

    part: Part
    """Where it begins."""
    blocks: tuple[Block, ...]
    """Its blocks, in order."""
    before: tuple[Block, ...] = ()
    """The blocks that run before it: the setup, then those of the sections that it comes after."""
    after: Section | None = None
    """The section that it comes after."""


def find_parts(text: str, fences: Sequence[Fence], page: str) -> Iterator[Part]:
    """Yield the places of a Markdown page where a section may begin, in order; the first one is the page's top."""
    starts = [fence.start for fence in fences]
    found = [
        one
        for pattern in (HEADING, EXERCISE)
        for one in pattern.finditer(text)
        if not (at := bisect(starts, one.start())) or one.start() >= fences[at - 1].end
    ]
    title = next((one for one in found if one.re is HEADING and one["level"] == "#"), None)
    yield Part(page, _anchor(title) if title else "", 1)
    chapter = ""
    for one in sorted(found, key=lambda one: one.start()):
        line = text.count("\n", 0, one.start()) + 1
        if one.re is EXERCISE:
            if chapter == EXERCISES:
                yield Part(page, f"exercise-{one['number']}", line)
        elif one["level"] == "##" or (one["id"] or "").startswith(MESSAGE):
            chapter = one["text"] if one["level"] == "##" else chapter
            yield Part(page, _anchor(one), line)


def _anchor(heading: re.Match[str]) -> str:
    """The id of a heading: its own, or its words in lower case with hyphens between them."""
    words = re.sub(r"[^\w\s-]", "", heading["text"]).strip().lower()
    return heading["id"] or re.sub(r"[-\s]+", "-", words)


def find_sections(blocks: Sequence[Block], parts: Sequence[Part]) -> tuple[Section, ...]:
    """The sections of a page that have code. Raises PageError or PageErrors for options that are in a wrong place."""
    complaints = Complaints()
    for error in _misplaced(blocks):
        complaints.add(error)
    setup = tuple(block for block in blocks if block.options.setup)
    lines = [part.line for part in parts]  # lines of the file, whatever a plugin writes above a block
    inside: dict[int, list[Block]] = {}
    for block in blocks:
        if not block.options.setup:
            inside.setdefault(bisect(lines, block.line) - 1, []).append(block)
    found: list[Section] = []
    for at, own in inside.items():
        section = Section(parts[at], tuple(own), setup)
        with complaints.collecting():
            section = _placed(section, found, parts)
        found.append(section)
        for block in own[1:]:
            if block.options.after:
                wrong = f'after="{block.options.after}" is said by a section\'s first block; write it at {own[0]}'
                complaints.add(PageError(block.page, block.line, wrong))
    complaints.raise_all()
    return tuple(found)


def _placed(section: Section, above: Sequence[Section], parts: Sequence[Part]) -> Section:
    """The section with what its first block says that it comes after. Raises PageError."""
    first = section.blocks[0]
    name = first.options.after
    if not name:
        return section
    known = [one for one in above if one.part.anchor == name]
    if len(known) == 1:
        other = known[0]
        return Section(section.part, section.blocks, (*other.before, *other.blocks), other)
    if known:
        wrong = f"names two sections, {known[0].part} and {known[1].part}; give one of them an id, {{ #name }}"
    elif name in [part.anchor for part in parts[parts.index(section.part) :]]:
        wrong = "names a section that is not above this one; move one of them, or define here what it needs"
    else:
        names = ", ".join(one.part.anchor for one in above if one.part.anchor)
        wrong = f"names no section with code above this one; {f'write one of {names}' if names else 'leave it out'}"
    raise PageError(first.page, first.line, f'after="{name}" {wrong}')


def _misplaced(blocks: Sequence[Block]) -> Iterator[PageError]:
    """What is wrong with the blocks of the setup."""
    first = next((block for block in blocks if block.kind == "python" and not block.options.setup), None)
    for block in (block for block in blocks if block.options.setup):
        if first and first.index < block.index:
            yield PageError(
                block.page, block.line, f"a setup block comes before all other blocks of Python; move it above {first}"
            )
        if block.kind != "python":
            yield PageError(block.page, block.line, "a setup block is Python that runs; leave out setup here")
        if block.options.raises or block.options.after:
            yield PageError(block.page, block.line, "a setup block takes no raises= and no after=; leave them out")


def defined_elsewhere(name: str, block: Block, sections: Sequence[Section]) -> str:
    """What to write where a block lacks a name that another section of its page defines; empty if none does."""
    binds = re.compile(rf"^(?:(?:def|class|import|from) .*\b{name}\b|[\w, ]*\b{name}\b[\w, ]*=(?!=))", re.M)
    own = next((one for one in sections if block in one.blocks), None)
    for other in sections:
        if own and other is not own and any(binds.search(one.code) for one in other.blocks):
            where = f"the section at {other.part} defines {name}, and each section has names of its own"
            return f'{where}; define it here, or write after="{other.part.anchor}" at {own.blocks[0]}'
    return ""
