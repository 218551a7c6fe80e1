"""recorder: what a machine has recorded: recordings, results and a log, packed in one archive that is always whole.

Each section is written when it has run, and packed before anything is said of it. So whatever the log says is in the
archive, however the machine is taken away; at most the sections that run at that moment are lost.
"""

from __future__ import annotations

import contextlib
import json
import os
import tarfile
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from order import Piece

from samedevice import files
from samedevice.errors import SameDeviceError
from samedevice.files import SUFFIX, write_atomically
from samedevice.outputs.checks import fault
from samedevice.outputs.environments import Run
from samedevice.outputs.output import Output
from samedevice.outputs.recording_files import Recordings
from samedevice.outputs.recordings import Recording, update
from samedevice.pages.page import Page
from samedevice.project import RECORDINGS

KNOWN = Path("known")
"""The folder of a kit with the repository's recordings."""
LOG, RESULTS, CLAIMS = "record.log", "results.json", "claims.json"
PASSED = "tests/claims/passed.json"
"""Which claims passed, as `pytest tests/claims --claims-record` writes it."""


@dataclass(frozen=True)
class Result:
    """What came of a section on a device."""

    page: str
    """The page's path."""
    device: str
    """cpu, cuda or mps."""
    line: int
    """The line of the section's first block."""
    key: str
    """Hash of what its outputs follow from."""
    kind: str
    """What the section is among those of its device."""
    blocks: int
    """How many of its blocks were wanted."""
    ran: int
    """How many of these ran: a simulated device leaves out some."""
    milliseconds: int
    """How long it took, its process included if it is the first there."""
    shares: bool
    """Whether it might share its process with others."""
    left: str
    """Why the next one could not run there, if it might."""
    said: str
    """What was done with it, in a line."""
    failures: tuple[str, ...] = ()
    """What is wrong with it or its blocks, in full."""
    printed: tuple[str, ...] = ()
    """What each block of the page showed, of a section with failures: what failed is not recorded."""


class Recorder:
    """Keeps what the kit at `kit` records with this version of PyTorch, packed in `archive`."""

    def __init__(self, kit: Path, archive: Path, torch: str) -> None:
        self.kit = kit
        self.archive = archive
        self.torch = torch
        self.known = Recordings(kit, KNOWN)
        self.own = Recordings(kit, RECORDINGS, follow=False)
        self.results: dict[tuple[str, str, int], Result] = {}
        with contextlib.suppress(OSError, ValueError, TypeError):
            found = [Result(**one) for one in json.loads((kit / RESULTS).read_text(encoding="utf-8"))]
            self.results = {(one.page, one.device, one.line): one for one in found}
        self.claims: dict[str, list[list[str]]] = {}
        """By environment, the claims that failed, and why."""
        with contextlib.suppress(OSError, ValueError):
            self.claims = json.loads((kit / CLAIMS).read_text(encoding="utf-8"))

    def say(self, text: str) -> None:
        """Print text, and write it to the log."""
        print(text, flush=True)
        with (self.kit / LOG).open("a", encoding="utf-8") as log:
            log.write(f"{text}\n")

    def recordings(self, page: Page) -> list[Recording]:
        """What is recorded of a page, here and in the repository."""
        return [*self.own.own(page), *self.known.load(page)[0]]

    def is_done(self, piece: Piece) -> bool:
        """Whether a section has run here as it is, and nothing of it failed."""
        found = self.results.get((piece.page.path, piece.device, piece.line))
        return found is not None and not found.failures and found.key == self._key(piece)

    def note(self, ended: Iterable[tuple[Piece, Run | SameDeviceError]]) -> list[Result]:
        """Write down what came of sections, pack it, and say it."""
        results = [self._result(piece, run) for piece, run in ended]
        self.results |= {(one.page, one.device, one.line): one for one in results}
        found = [asdict(one) for one in self.results.values()]
        write_atomically(self.kit / RESULTS, json.dumps(found, indent=1), durably=False)
        self.pack()
        for one in results:
            left = f", left: {one.left}" if one.left else ""
            self.say(f"{one.said} ({one.milliseconds / 1000:.1f} s{left})")
            for failure in one.failures:
                if failure not in one.said:
                    self.say(f"\n{failure}\n")
        return results

    def note_claims(self, environment: str, summary: str, failed: Sequence[tuple[str, str]]) -> None:
        """Write down which claims failed in an environment; which passed, pytest has written."""
        self.claims[environment] = [list(one) for one in failed]
        write_atomically(self.kit / CLAIMS, json.dumps(self.claims, indent=1), durably=False)
        self.pack()
        self.say(f"the claims on {environment}: {summary}")
        for test, why in failed:
            self.say(f"not so: {test}: {why}")

    def _result(self, piece: Piece, run: Run | SameDeviceError) -> Result:
        """Write what a section printed, but for blocks that failed; what came of it."""
        about = (piece.page.path, piece.device, piece.line, self._key(piece), piece.kind, len(piece.wanted))
        if isinstance(run, SameDeviceError) or run.environment is None:
            why = "PyTorch sees no such device" if isinstance(run, Run) else str(run)
            said = f"not recorded: {piece}, because {why}"
            return Result(*about, 0, 0, piece.shares, "", said, (said,))
        pairs = list(zip(piece.page.blocks, run.outputs, strict=True))
        faults = [fault(block, piece.device, output) if output else "" for block, output in pairs]
        outputs = [None if wrong else output for output, wrong in zip(run.outputs, faults, strict=True)]
        failures = tuple(filter(None, faults))
        shown = tuple(output.shown if output else "" for output in run.outputs) if failures else ()
        ran = sum(run.outputs[index] is not None or index in run.unsure for index in piece.wanted)
        counts = ran, round(1000 * run.seconds), piece.shares, run.left if piece.shares else ""
        try:
            self._write(piece.page, run, outputs)
        except (SameDeviceError, OSError) as error:
            said = f"not recorded: {piece}, because {error}"
            return Result(*about, *counts, said, (said, *failures), shown)
        said = f"recorded {piece}: {sum(output is not None for output in outputs)} blocks"
        said += f", {len(run.unsure)} left out" if run.unsure else ""
        said += f", without {len(failures)} that failed" if failures else ""
        return Result(*about, *counts, said, failures, shown)

    def _write(self, page: Page, run: Run, outputs: Sequence[Output | None]) -> None:
        assert run.environment is not None
        old = next((one for one in self.own.own(page) if one.environment.folder == run.environment.folder), None)
        new = update(old, page, run.environment, outputs, run.unsure, self.recordings(page))
        if new is not None:
            self.own.save(page, new)

    def _key(self, piece: Piece) -> str:
        return files.key(self.torch, *piece.hashes(self.torch))

    def pack(self) -> None:
        """Write the archive, whole or not at all."""
        unfinished = self.archive.with_name(f".{self.archive.name}.unfinished")
        with tarfile.open(unfinished, "w:gz", compresslevel=1) as packed:
            for name in (RECORDINGS.as_posix(), LOG, RESULTS, CLAIMS, PASSED):
                if (self.kit / name).exists():
                    packed.add(self.kit / name, name, filter=_finished)
        os.replace(unfinished, self.archive)

    def table(self) -> Iterator[str]:
        """What failed, and why, a line each."""
        failed = [one for one in self.results.values() if one.failures]
        recorded = len(self.results) - len(failed)
        yield f"\n{recorded} sections recorded, {len(failed)} with failures; {self.archive}"
        for one in failed:
            first = one.failures[0].splitlines()[0]
            yield f"| {one.page}:{one.line} | {one.device} | {len(one.failures)} | {first} |"


def _finished(member: tarfile.TarInfo) -> tarfile.TarInfo | None:
    """A file for the archive, unless it is one that a killed run was about to write."""
    return None if member.name.endswith(SUFFIX) else member
