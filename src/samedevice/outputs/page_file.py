"""PageFile: all that is recorded of a page, in all environments, as one text of JSON: format 3.

The blocks are in the page's order, in the sections that they ran in. Each has the hash of its own code, and names the
outputs that environments printed by the hashes of these; every output is written once. So an edit changes the lines of
its own block, and a text that was changed by hand does not match its name. What ran before a block in an environment
follows from the order. Where an environment ran another version of a block, both versions are there, each with `only`,
the environments that ran it.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from difflib import SequenceMatcher
from itertools import count
from typing import Any

from samedevice.outputs.environments import Environment
from samedevice.outputs.figures import figure_fault
from samedevice.outputs.output import Figure, Output, digest
from samedevice.outputs.recordings import CPU, RecordedBlock, Recording, first_line
from samedevice.outputs.schema import RECORDING, FormatError, SchemaError, read
from samedevice.pages.page import Block, Page, program_hash

FORMAT = 3
NEWER = "was written by a newer samedevice; update samedevice to read format {}"
OLDER = "has format {}, which only samedevice before 0.1 reads; record the page again"
Names = frozenset[str]
"""Environments, by name."""


@dataclass(frozen=True)
class RecordedCode:
    """One version of a block of code, and what environments printed for it."""

    code: str
    """Hash of the block itself, as `Page.programs` has it."""
    line: str = ""
    """Its first line, for people who read the file."""
    read: tuple[tuple[str, str], ...] = ()
    """The files of the repository that it read, and hashes of what was in them."""
    text: str = ""
    """Hash of its text and place, where its output shows lines of the page."""
    alone: bool = False
    """Whether later blocks do not depend on it, since it needs several devices."""
    ran: Names = frozenset()
    """The environments that ran it."""
    unused: Names = frozenset()
    """The environments whose device it did not use: its output there is the CPU's."""
    outputs: Mapping[str, str] = field(default_factory=dict)
    """By environment the hash of what it printed."""

    @property
    def key(self) -> tuple[object, ...]:
        """What one version of a block differs from another in."""
        return self.code, self.read, self.text, self.alone

    def __or__(self, other: RecordedCode) -> RecordedCode:
        """This version of a block, with what either of two files says of environments."""
        outputs = {**other.outputs, **self.outputs}
        return replace(self, ran=self.ran | other.ran, unused=self.unused | other.unused, outputs=outputs)

    def without(self, name: str) -> RecordedCode:
        """This version of a block without an environment."""
        outputs = {key: value for key, value in self.outputs.items() if key != name}
        return replace(self, ran=self.ran - {name}, unused=self.unused - {name}, outputs=outputs)


@dataclass(frozen=True)
class RecordedSection:
    """The blocks of a section, or of a page's setup, as they were recorded."""

    anchor: str = ""
    """What the page calls it."""
    after: str = ""
    """The section that ran before it."""
    blocks: tuple[RecordedCode, ...] = ()
    """Its blocks; of one that was edited perhaps several versions."""
    programs: Mapping[str, str] = field(default_factory=dict)
    """By environment the hash of all that it ran up to the end of the section, except for CPUs: what those print can be
    compared at any time, so that git may merge two edits of one section."""

    def of(self, name: str) -> list[RecordedCode]:
        """What an environment ran of it, in order."""
        return [one for one in self.blocks if name in one.ran]


@dataclass(frozen=True)
class PageFile:
    """All that is recorded of a page."""

    environments: Mapping[str, Environment] = field(default_factory=dict)
    """The environments by name, as `Environment.folder` gives it."""
    setup: RecordedSection = RecordedSection()
    """The page's setup, which ran before each section."""
    sections: tuple[RecordedSection, ...] = ()
    """Its sections, in order."""
    outputs: Mapping[str, Output] = field(default_factory=dict)
    """Each output by its hash."""

    @property
    def blocks(self) -> list[RecordedCode]:
        """All versions of all blocks, in order."""
        return [one for section in (self.setup, *self.sections) for one in section.blocks]

    def recordings(self, changed: Callable[[tuple[str, str]], bool] = lambda _: False) -> tuple[Recording, ...]:
        """What each environment printed, newest PyTorch first; `changed` says whether a file that was read changed."""
        found = (Recording(about, tuple(self._entries(name, changed))) for name, about in self.environments.items())
        return tuple(sorted(found, key=lambda one: one.environment.order, reverse=True))

    def _entries(self, name: str, changed: Callable[[tuple[str, str]], bool]) -> Iterator[RecordedBlock]:
        """What is recorded of each block in an environment."""
        for section in (self.setup, *self.sections):
            before = self._before(section, name)
            if before is None or section.programs.get(name) not in (None, _program(before, section.of(name))):
                continue  # no run was like this: git has merged two, or somebody has edited the file
            led = before
            for one in section.of(name):
                program = [*led, one]
                led = led if one.alone else program
                if name in one.unused or name in one.outputs:
                    yield RecordedBlock(
                        program_hash([each.code for each in program]),
                        one.line,
                        self.outputs[one.outputs[name]] if name in one.outputs else None,
                        one.read,
                        one.text,
                        any(changed(file) for each in program for file in each.read),
                    )

    def _before(self, section: RecordedSection, name: str) -> list[RecordedCode] | None:
        """What an environment ran before a section, in order; None if the section comes after one that is not there."""
        if section is self.setup:
            return []
        found, seen = list[RecordedCode](), set[str]()
        while section.after:
            other = next((one for one in self.sections if one.anchor == section.after), None)
            if other is None or section.after in seen:
                return None
            seen.add(section.after)
            found, section = [*other.of(name), *found], other
        return [one for one in [*self.setup.of(name), *found] if not one.alone]

    def updated(self, page: Page, recording: Recording) -> PageFile:
        """The page's file after an environment recorded it; of that environment nothing older is left."""
        name = recording.environment.folder
        setup, *new = _sections(page, recording)
        setup = _joined(setup, _without(self.setup, name))
        sections = _together(new, [_without(section, name) for section in self.sections])
        outputs = {**self.outputs, **{one.output.digest: one.output for one in recording.entries if one.output}}
        file = PageFile({**self.environments, name: recording.environment}, setup, sections, outputs).tidied()
        return file if recording.environment.device == CPU else file._with_programs(name)

    def _with_programs(self, name: str) -> PageFile:
        """The page's file with the hash of what an environment ran in each section."""
        found = []
        for section in self.sections:
            before, own = self._before(section, name), section.of(name)
            programs = {**section.programs, name: _program(before or [], own)} if own else section.programs
            found.append(replace(section, programs=programs))
        return replace(self, sections=tuple(found))

    def tidied(self) -> PageFile:
        """The page's file, in order, without outputs and environments that no block names."""
        names = {name for one in self.blocks for name in one.ran}
        used = {hash for one in self.blocks for hash in one.outputs.values()}
        environments = {name: about for name, about in sorted(self.environments.items()) if name in names}
        return replace(self, environments=environments, outputs={hash: self.outputs[hash] for hash in sorted(used)})

    def to_json(self) -> dict[str, Any]:
        """What the file holds."""
        every = frozenset(self.environments)
        return {
            "format": FORMAT,
            "environments": {name: about.to_json() for name, about in self.environments.items()},
            "setup": [_written(one, every) for one in self.setup.blocks],
            "sections": [
                {
                    "anchor": section.anchor,
                    **({"after": section.after} if section.after else {}),
                    **({"programs": dict(sorted(section.programs.items()))} if section.programs else {}),
                    "blocks": [_written(one, every) for one in section.blocks],
                }
                for section in self.sections
            ],
            "outputs": {hash: output.recorded for hash, output in self.outputs.items()},
        }


def to_text(file: PageFile) -> str:
    """The text of the file."""
    return json.dumps(file.to_json(), indent=1, ensure_ascii=False) + "\n"


def from_text(data: str, figure: Callable[[str], str]) -> PageFile:
    """The inverse of `to_text`; `figure` reads a figure by its name. Raises SchemaError, also for what was changed."""
    try:
        found = read(data, RECORDING, FORMAT)
    except FormatError as error:
        raise FormatError((NEWER if error.version > FORMAT else OLDER).format(error.version), error.version) from None
    return from_json(found, figure)


def from_json(found: dict[str, Any], figure: Callable[[str], str]) -> PageFile:
    """The inverse of `to_json`, for what the schema allows. Raises SchemaError for what was changed by hand."""
    environments = {name: Environment(**about) for name, about in found["environments"].items()}
    for name, about in environments.items():
        if about.folder != name:
            raise SchemaError(f"is {about.folder}, by its device and its version", f"environments[{name!r}]")
    outputs = {hash: _read_output(hash, one, figure) for hash, one in found["outputs"].items()}
    known = _Known(frozenset(environments), outputs)
    setup = RecordedSection(blocks=tuple(known.blocks(found["setup"], "setup")))
    sections = tuple(
        RecordedSection(
            one["anchor"],
            one.get("after", ""),
            tuple(known.blocks(one["blocks"], f"sections[{number}]")),
            one.get("programs", {}),
        )
        for number, one in enumerate(found["sections"])
    )
    return PageFile(environments, setup, sections, outputs)


@dataclass(frozen=True)
class _Known:
    """What blocks of a file may name."""

    environments: Names
    outputs: Mapping[str, Output]

    def blocks(self, found: Iterable[dict[str, Any]], where: str) -> Iterator[RecordedCode]:
        for number, one in enumerate(found):
            place = f"{where}.blocks[{number}] ({one['line']})" if "line" in one else f"{where}.blocks[{number}]"
            ran = frozenset(one.get("only", self.environments))
            printed = [(name, hash) for hash, names in one.get("printed", {}).items() for name in names]
            unused = frozenset(one.get("unused", ()))
            for name in [*ran, *unused, *dict(printed)]:
                if name not in self.environments or name not in ran:
                    raise SchemaError(f"names {name}, which is no environment of the file that ran it", place)
            for hash in one.get("printed", {}):
                if hash not in self.outputs:
                    raise SchemaError(f"names the output {hash}, which is not in the file", place)
            if len(dict(printed)) < len(printed) or unused & dict(printed).keys():
                raise SchemaError("says two things of one environment", place)
            files = tuple(sorted(one.get("read", {}).items()))
            about = (one["code"], one.get("line", ""), files, one.get("text", ""), one.get("alone", False))
            yield RecordedCode(*about, ran, unused, dict(printed))


def _read_output(hash: str, found: dict[str, Any], figure: Callable[[str], str]) -> Output:
    """An output with its figures. Raises SchemaError if it is not what its name says, or unfit for a page."""
    if digest(found) != hash:
        raise SchemaError(
            "was changed by hand, or by a merge: its name is no more the hash of what it says", f"outputs[{hash!r}]"
        )
    figures = [one | {"svg": figure(one["svg"])} for one in found.get("figures", ())]
    for one, named in zip(figures, found.get("figures", ()), strict=True):
        if one["svg"] and Figure(one["svg"], "").name != named["svg"]:
            raise SchemaError(f"has a figure, {named['svg']}, that was changed by hand", f"outputs[{hash!r}]")
        if one["svg"] and figure_fault(one["svg"]):
            raise SchemaError(f"has a figure that no page may show: {figure_fault(one['svg'])}", f"outputs[{hash!r}]")
    return Output.from_json(found | {"figures": figures})


def _written(one: RecordedCode, every: Names) -> dict[str, Any]:
    """A version of a block as the file has it."""
    printed: dict[str, list[str]] = {}
    for name in sorted(one.outputs):
        printed.setdefault(one.outputs[name], []).append(name)
    found = {
        "code": one.code,
        "line": one.line,
        "read": dict(one.read),
        "text": one.text,
        "alone": one.alone,
        "only": sorted(one.ran) if one.ran != every else [],
        "unused": sorted(one.unused),
        "printed": printed,
    }
    return {key: value for key, value in found.items() if value or key == "code"}


def _sections(page: Page, recording: Recording) -> Iterator[RecordedSection]:
    """The setup and the sections of a page with what an environment ran of them."""
    about = recording.environment
    programs, hashes = page.programs(about.device, about.torch), recording.hashes(page)
    entries = {block.index: recording.entry(hashes, block.index) for block in page.blocks if hashes[block.index]}
    led = {one.index for block in page.blocks if entries.get(block.index) for one in (*page.program(block), block)}
    ran = {index for index in led if hashes[index]}

    def blocks(found: Sequence[Block]) -> tuple[RecordedCode, ...]:
        return tuple(
            _recorded(block, programs[block.index][-1], entries[block.index], about.folder)
            for block in found
            if block.index in ran
        )

    yield RecordedSection(blocks=blocks([block for block in page.blocks if block.options.setup]))
    for section in page.sections:
        after = section.after.part.anchor if section.after else ""
        yield RecordedSection(section.part.anchor, after, blocks(section.blocks))


def _recorded(block: Block, code: str, entry: RecordedBlock | None, name: str) -> RecordedCode:
    """A block of a page with what is recorded of it in one environment; nothing, if it only led to others."""
    ran, alone = frozenset([name]), block.options.count > 1
    if entry is None:
        return RecordedCode(code, first_line(block), alone=alone, ran=ran)
    unused = ran if entry.output is None else frozenset[str]()
    outputs = {name: entry.output.digest} if entry.output else {}
    return RecordedCode(code, entry.code, entry.read, entry.text, alone, ran, unused, outputs)


def _without(section: RecordedSection, name: str) -> RecordedSection:
    """A section without an environment, and without the versions of blocks that no other ran."""
    left = (one.without(name) for one in section.blocks)
    programs = {key: value for key, value in section.programs.items() if key != name}
    return replace(section, blocks=tuple(one for one in left if one.ran), programs=programs)


def _together(new: list[RecordedSection], old: Iterable[RecordedSection]) -> tuple[RecordedSection, ...]:
    """The sections of a page as one environment ran them, with those that others ran, equal ones once."""
    found = list[RecordedSection]()
    for section in new:
        found.append(replace(section, anchor=_free(section.anchor, found)))
    names: dict[int, set[str]] = {}
    renamed: dict[str, str] = {}
    for section in old:
        section = replace(section, after=renamed.get(section.after, section.after))
        own = {name for one in section.blocks for name in one.ran}
        free = [at for at, one in enumerate(new) if one.after == section.after and not own & names.get(at, set())]
        at = _nearest(section, found, free)
        if at is None:
            found.append(replace(section, anchor=_free(section.anchor, found)))
        else:
            names.setdefault(at, set()).update(own)
            found[at] = _joined(found[at], section)
        renamed[section.anchor] = found[-1 if at is None else at].anchor
    while empty := [one for one in found if not one.blocks and one.anchor not in {each.after for each in found}]:
        found = [one for one in found if one not in empty]
    return tuple(found)


def _free(anchor: str, found: Sequence[RecordedSection]) -> str:
    """A section's name, or one that no other section has: others say by it what they come after."""
    taken, name = {one.anchor for one in found}, anchor
    for number in count(2):
        if name not in taken:
            break
        name = f"{anchor}~{number}"
    return name


def _joined(new: RecordedSection, old: RecordedSection) -> RecordedSection:
    """A section with what others ran of it."""
    return replace(new, blocks=_merged(new.blocks, old.blocks), programs={**old.programs, **new.programs})


def _program(before: Sequence[RecordedCode], own: Sequence[RecordedCode]) -> str:
    """The hash of all that an environment ran up to the end of a section."""
    return program_hash([one.code for one in (*before, *own)])


def _nearest(old: RecordedSection, new: Sequence[RecordedSection], free: Sequence[int]) -> int | None:
    """Which of the new sections an old one is: the one that shares most of its blocks, or that has its name."""
    codes = {one.code for one in old.blocks}
    shared = {at: (len(codes & {one.code for one in new[at].blocks}), new[at].anchor == old.anchor) for at in free}
    best = max(free, key=lambda at: shared[at], default=None)
    return best if best is not None and any(shared[best]) else None


def _merged(new: Sequence[RecordedCode], old: Sequence[RecordedCode]) -> tuple[RecordedCode, ...]:
    """The blocks of two lists, equal ones once, in an order that keeps that of both."""
    found: list[RecordedCode] = []
    keys = [one.key for one in old], [one.key for one in new]
    for what, start, end, begin, stop in SequenceMatcher(None, *keys, autojunk=False).get_opcodes():
        if what == "equal":
            found += [one | other for one, other in zip(new[begin:stop], old[start:end], strict=True)]
        else:
            found += [*old[start:end], *new[begin:stop]]
    return tuple(found)
