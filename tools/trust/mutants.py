"""mutants: can the harness be fooled? Every recorded block is changed a little, and pytest must tell each change.

The pages run once. Then, for each block that is recorded on a device of this machine,
- every character of its recorded output is changed, once as by hand and once under its new name, as by a forger;
- its output is said to be that of a block that did not use the device, and each file that it read is changed;
- one literal of its code is changed in its file;
- its `raises=` is removed, added or changed in its file, once with the old recording and once with a new one.
Last come the blocks that print, draw, raise and assert nothing, with what uses them. The exit status is 1 if anything
was not told, or a silent block has no use.
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

from mutations import code_mutant, output_mutants, raises_mutants, with_code, with_raises
from repository import copy_repository
from silence import silent

from same_device_site.settings import page_paths, parse_page
from samedevice.devices import present_devices
from samedevice.outputs.checks import compare, fault
from samedevice.outputs.environments import Run
from samedevice.outputs.output import Output
from samedevice.outputs.page_file import FORMAT, from_json
from samedevice.outputs.recording_files import Recordings
from samedevice.outputs.recordings import RecordedBlock, Recording
from samedevice.outputs.schema import SchemaError
from samedevice.pages.page import Block, Page
from samedevice.project import RECORDINGS
from samedevice.running.section_runner import SectionRunner

HAND = "a character of the output, by hand"
FORGED = "... under its new name"
UNUSED = "an output that is said to be unused"
READ = "a byte of a file that it read"
LITERAL = "a literal of the code"
RAISES = "raises=, not recorded again"
RAISES_FORGED = "... and recorded again"
KINDS = (HAND, FORGED, UNUSED, READ, LITERAL, RAISES, RAISES_FORGED)


@dataclass(frozen=True)
class Case:
    """A recorded block, with what it did in this run."""

    root: Path
    """The copy of the repository that the page is in."""
    page: Page
    block: Block
    device: str
    recording: Recording
    output: Output
    """What it did in this run."""

    @property
    def entry(self) -> RecordedBlock | None:
        """What is recorded of it as it stands."""
        return self.recording.find(self.page, self.block.index).entry

    def told(self, page: Page | None = None, recording: Recording | None = None) -> str:
        """What pytest says of the block, if its page or its recording were these."""
        page = page or self.page
        block = page.blocks[self.block.index]
        found = fault(block, self.device, self.output)
        recording = recording or self.recording
        return found or compare(page, block, recording.environment, self.output, [recording]).wrong

    def recorded_as(self, entry: RecordedBlock) -> Recording:
        """The recording with another entry for the block."""
        own = self.entry
        return replace(self.recording, entries=tuple(entry if one is own else one for one in self.recording.entries))

    def rewritten(self, path: str, change: Callable[[str], str]) -> Page:
        """The page as it is parsed with one of its files changed."""
        with edited(self.root / path, lambda content: change(content.decode()).encode()):
            page = parse_page(self.root / self.page.path, self.root)
        assert len(page.blocks) == len(self.page.blocks)
        return page


@contextmanager
def edited(path: Path, change: Callable[[bytes], bytes]) -> Iterator[None]:
    """A file that is changed for a while."""
    before = path.read_bytes()
    path.write_bytes(change(before))
    try:
        yield
    finally:
        path.write_bytes(before)


@dataclass
class Tally:
    """What became of the mutants of one kind."""

    told: int = 0
    free: int = 0
    """Not told, because the block or its `raises=` says that it does not count here."""
    blocks: set[str] = field(default_factory=set)
    """The blocks of which a mutant was told."""
    partly: set[str] = field(default_factory=set)
    """The blocks of which one does not count."""
    survivors: list[str] = field(default_factory=list)

    def add(self, case: Case, told: str, free: bool, what: object) -> None:
        """Count a mutant."""
        if told:
            self.told += 1
            self.blocks.add(str(case.block))
        elif free:
            self.free += 1
            self.partly.add(str(case.block))
        else:
            self.survivors.append(f"{case.block} on {case.device}: {what}")


def examine(case: Case, tallies: dict[str, Tally]) -> None:
    """Change the block in every way, and count what is told."""
    _examine_output(case, tallies)
    _examine_raises(case, tallies)
    code = code_mutant(case.block)
    page = case.rewritten(case.block.path, partial(with_code, block=case.block, code=code))
    assert page.blocks[case.block.index].code == code
    tallies[LITERAL].add(case, case.told(page), False, code)


def _examine_output(case: Case, tallies: dict[str, Tally]) -> None:
    entry = case.entry
    assert entry is not None
    assert entry.output is not None
    for output, free in output_mutants(entry.output, case.block.options.numbers_vary):
        forged = case.told(recording=case.recorded_as(replace(entry, output=output)))
        tallies[FORGED].add(case, forged, free, output)
        tallies[HAND].add(case, by_hand(entry.output, output), False, output)
    tallies[UNUSED].add(case, case.told(recording=case.recorded_as(replace(entry, output=None))), False, "")
    for path, _ in entry.read:
        with edited(case.root / path, lambda content: content + b"x"):
            changed = recorded(case.root, case.page, case.recording.environment.folder)
            tallies[READ].add(case, case.told(recording=changed), False, path)


def by_hand(old: Output, new: Output) -> str:
    """What is said of a file in which one output was changed to another one, and no name; empty if nothing is."""
    figures = {one.name: other.svg for one, other in zip(old.figures, new.figures, strict=True)}
    found = new.recorded
    if old.figures:  # a figure is a file of its own, and has the name that it had
        found["figures"] = old.recorded["figures"]
    file = {"format": FORMAT, "environments": {}, "setup": [], "sections": [], "outputs": {old.digest: found}}
    try:
        from_json(file, figures.__getitem__)
    except SchemaError as error:
        return str(error)
    return ""


def recorded(root: Path, page: Page, environment: str) -> Recording | None:
    """What is recorded of a page in an environment."""
    found, _ = Recordings(root, RECORDINGS).load(page)
    return next((one for one in found if one.environment.folder == environment), None)


def _examine_raises(case: Case, tallies: dict[str, Tally]) -> None:
    expected = case.block.options.raises_on(case.device)
    for value in raises_mutants(case.block, case.device):
        page = case.rewritten(case.page.path, partial(with_raises, block=case.block, value=value))
        block = page.blocks[case.block.index]
        assert block.options.raises != case.block.options.raises
        what = f'raises="{value}"'
        tallies[RAISES].add(case, case.told(page), False, what)
        same = block.options.raises_on(case.device) == expected
        tallies[RAISES_FORGED].add(case, fault(block, case.device, case.output), same, what)


def cases(root: Path, page: Page, device: str, run: Run) -> Iterator[Case]:
    """The recorded blocks of a page that ran."""
    assert run.environment is not None
    recording = recorded(root, page, run.environment.folder)
    for block, output in zip(page.blocks, run.outputs, strict=True):
        if recording and output and recording.find(page, block.index).output:
            yield Case(root, page, block, device, recording, output)


def run_all(root: Path, tallies: dict[str, Tally]) -> list[str]:
    """Examine every recorded block; return what was wrong before any change."""
    wrong: list[str] = []
    with SectionRunner(root) as sessions:
        pages = [parse_page(path, root) for path in page_paths(root)]
        runs = [(page, device, sessions.submit(page, device)) for device in present_devices() for page in pages]
        for page, device, run in runs:
            for case in cases(root, page, device, run.result()):
                found = case.told()
                if found:
                    wrong.append(found)
                else:
                    examine(case, tallies)
            print(f"examined {page.path} on {device}", file=sys.stderr)
    return wrong


def main() -> int:
    """Examine, and print the account."""
    started = time.monotonic()
    tallies = {kind: Tally() for kind in KINDS}
    with tempfile.TemporaryDirectory(prefix="samedevice-mutants-") as place:
        root = copy_repository(Path(place).resolve())
        wrong = run_all(root, tallies)
        quiet = list(silent(root))
    report(tallies, quiet)
    useless = [block for block, use in quiet if not use]
    bad = [*wrong, *(one for tally in tallies.values() for one in tally.survivors)]
    print(f"\n{time.monotonic() - started:.0f} s")
    if wrong:
        print(f"\n{len(wrong)} blocks were wrong before any change, and were not examined:", *wrong, sep="\n")
    return int(bool(bad or useless))


def report(tallies: dict[str, Tally], quiet: list[tuple[Block, str]]) -> None:
    """Print the table of mutants, what was not told, and the silent blocks."""
    print(f"{'changed':36}{'mutants':>9}{'told':>9}{'of blocks':>11}{'free':>7}{'of blocks':>11}{'not told':>10}")
    for kind, one in tallies.items():
        left = len(one.survivors)
        counted = f"{one.told + one.free + left:9,}{one.told:9,}{len(one.blocks):11,}{one.free:7,}{len(one.partly):11,}"
        print(f"{kind:36}{counted}{left:10,}")
    print('free: a digit or a picture of a block with numbers="vary", a class in raises= for a device that is not here')
    print(*(f"NOT TOLD: {kind}: {one}" for kind, tally in tallies.items() for one in tally.survivors), sep="\n")
    print(f"\n{len(quiet)} blocks print, draw, raise and assert nothing:")
    print(*(f"{block}: {use or 'NOTHING USES IT'}" for block, use in quiet), sep="\n")


if __name__ == "__main__":
    sys.exit(main())
