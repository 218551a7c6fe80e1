"""import_recordings: puts the recordings of an archive that `record.sh` wrote in place, and reports what they say.

Usage: python tools/gpu/import_recordings.py ARCHIVE. It takes over only the outputs of blocks as they
are now. The report lists what is new, what changed, what the simulated device printed otherwise, what failed on the
other machine, each expected result of a page (`!!! expected`) beside what was recorded, the sentences about devices
beside new outputs, for a person to judge, and the claims that failed. The exit status is 1 if something is refused.
"""

from __future__ import annotations

import re
import sys
import tempfile
import textwrap
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from sentences import beside, claims_of_archive
from unpacking import CLAIMS, PASSED, RESULTS, unpack

from same_device_site import passed
from same_device_site.claims import ClaimError
from same_device_site.settings import page_paths, parse_page
from samedevice.devices import DEVICES, LABELS
from samedevice.errors import SameDeviceError
from samedevice.outputs.comparison import difference
from samedevice.outputs.environments import nearest
from samedevice.outputs.escaping import terminal
from samedevice.outputs.output import Output
from samedevice.outputs.recording_files import Recordings
from samedevice.outputs.recordings import CPU, Recording, State, block_statuses, combined
from samedevice.outputs.schema import CODE, ENVIRONMENT_NAME, HASH, PATH, flag, many, named, one_of, read, record, whole
from samedevice.pages.page import Block, Page
from samedevice.project import RECORDINGS

ROOT = Path(__file__).parents[2]
TOLD = many(
    record(
        {"page": PATH, "device": one_of(*DEVICES), "line": whole(1, 1_000_000), "key": HASH, "shares": flag}
        | dict.fromkeys(("kind", "left", "said"), CODE)
        | dict.fromkeys(("blocks", "ran"), whole(0, 10_000))
        | dict.fromkeys(("failures", "printed"), many(CODE, 5_000))
        | {"milliseconds": whole(0, 10**9)}
    ),
    10_000,
)
"""What `record.py` tells of each section, in an archive of somebody else."""
FAILED = named(ENVIRONMENT_NAME, many(many(CODE, 2, least=2), 10_000), 20)
"""What it tells of claims that failed."""
TITLES = RECORDED, OTHERWISE, FAILURES, JUDGED, SENTENCES, SAID_OF_CLAIMS = (
    "Recordings",
    "Simulated otherwise: mistakes of ours, until they are explained",
    "Failed there",
    "Expected, to be judged",
    "Sentences beside new outputs",
    "Claims",
)
EXPECTED = re.compile(
    r'^[ \t]*!!! +expected(?: +"(?P<device>[^"\n]*)")?[ \t]*\n(?P<body>(?:[ \t]*\n|[ \t]+.*(?:\n|\Z))+)', re.M
)


class Archive:
    """An archive, unpacked into `folder`. Raises SameDeviceError if it is none."""

    def __init__(self, path: Path, folder: Path) -> None:
        self.folder = folder
        unpack(path, folder)
        try:
            self.results: list[dict[str, Any]] = read((folder / RESULTS).read_text(encoding="utf-8"), TOLD)
        except (OSError, ValueError) as error:
            raise SameDeviceError(f"{path}: {RESULTS}: {error}; this is no archive of record.sh") from None
        try:
            claims = folder / CLAIMS
            self.failed = read(claims.read_text(encoding="utf-8"), FAILED) if claims.exists() else {}
            self.passed = passed.read(folder / PASSED)
        except (OSError, ValueError, ClaimError) as error:
            raise SameDeviceError(f"{path}: its claims cannot be read: {error}; record them again") from None


def outputs(page: Page, recording: Recording) -> list[Output | None]:
    """The recorded output of each block, as far as it was recorded for the code as it is now."""
    return [recording.find(page, block.index).output for block in page.blocks]


class Report:
    """What an archive says, in lines for a person."""

    def __init__(self) -> None:
        self.told: dict[str, list[str]] = {title: [] for title in TITLES}
        self.refused: list[str] = []
        """What was not taken over, and why."""

    @property
    def lines(self) -> list[str]:
        """All but what was refused, below titles."""
        return [line for title, some in self.told.items() if some for line in (f"\n== {title} ({len(some)})", *some)]


def take_over(files: Recordings, page: Page, recording: Recording, report: Report) -> None:
    """Put one recording in place, and report what is new or changed, and what that speaks of."""
    about = recording.environment
    where = f"{page.path} on {about}"
    before, errors = files.load(page)
    if errors:
        raise errors[0]
    old = next((one for one in before if one.environment.folder == about.folder), None)
    new, now = combined(page, recording, old), outputs(page, recording)
    if old and new.entries == old.entries:
        report.told[RECORDED].append(f"unchanged: {where}")
        return
    files.save(page, new)
    had: list[Output | None] = outputs(page, old) if old else [None for _ in now]
    changed = list(_changes(page, had, now))
    said = f"{'changed' if old else 'new'}: {where}: {sum(one is not None for one in now)} blocks"
    said += f", {len(changed)} of them print something else" if old else ""
    report.told[RECORDED] += [said, *changed]
    states = (recording.find(page, block.index).state for block in page.blocks)
    stale = len(recording.entries) - sum(one in (State.FRESH, State.UNUSED) for one in states)
    if stale:
        report.told[RECORDED].append(
            f"  {stale} blocks were recorded for other code than {page.path} has now: left out"
        )
    if about.device != CPU and not about.simulated:
        report.told[OTHERWISE] += simulated_otherwise(page, recording, before)
        shown = {block.index for block in page.blocks if now[block.index] and now[block.index] != had[block.index]}
        report.told[SENTENCES] += [one for one in beside(page, shown) if one not in report.told[SENTENCES]]


def _changes(page: Page, before: list[Output | None], now: list[Output | None]) -> Iterator[str]:
    for block, old, new in zip(page.blocks, before, now, strict=True):
        if old and new and (found := difference(old, new, block.options.numbers_vary)):
            yield textwrap.indent(f"{block}\n{found}", "  ")


def simulated_otherwise(page: Page, recording: Recording, known: Sequence[Recording]) -> Iterator[str]:
    """Each block of which the device printed something else than the simulated one, which is wrong then."""
    about = recording.environment
    for block in page.blocks:
        output = recording.find(page, block.index).output
        statuses = block_statuses(page, block.index, about.device, known, simulated=True)
        printed = {one.environment: one.output for one in statuses if one.output}
        if output is None or not printed:
            continue
        closest = nearest(about, list(printed))
        found = difference(printed[closest], output, block.options.numbers_vary)
        if found:
            yield textwrap.indent(f"{block} was simulated otherwise, by {closest}:\n{found}", "  ")


def expected(page: Page) -> Iterator[tuple[Block, str, str]]:
    """Each expected result of a page: the block above it, the device, and the text."""
    ends = [*(block.fence.start for block in page.blocks[1:]), len(page.text)]
    for block, end in zip(page.blocks, ends, strict=False):  # a page without blocks has an end, too
        for match in EXPECTED.finditer(page.text[block.fence.end : end]):
            device = match["device"] or block.options.needs or "cuda"
            yield block, device, " ".join(textwrap.dedent(match["body"]).split())


def judged(page: Page, recordings: tuple[Recording, ...], results: list[dict[str, Any]]) -> Iterator[str]:
    """Each expected result of a page with what the block printed, one below the other."""
    for block, device, text in expected(page):
        yield f"{block}, expected on {LABELS.get(device, device)}: {text}"
        for recording in (one for one in recordings if one.environment.device == device):
            found = outputs(page, recording)[block.index]
            if found is not None:
                yield textwrap.indent(found.shown or "(nothing printed)", "    ")
        for one in results:
            same = (one["page"], one["device"], len(one["printed"])) == (page.path, device, len(page.blocks))
            if same and one["printed"][block.index]:
                yield textwrap.indent(one["printed"][block.index], "    (not recorded) ")


def report(archive: Archive, root: Path) -> Report:
    """Take over all of an archive; what was done, and what it speaks of."""
    found = Report()
    found.told[SAID_OF_CLAIMS] += claims_of_archive(root, archive.passed, archive.failed)
    files, theirs = Recordings(root, RECORDINGS), Recordings(archive.folder, RECORDINGS)
    for path in page_paths(root):
        try:
            page = parse_page(path, root)
        except SameDeviceError as error:
            found.refused.append(str(error))
            continue
        recordings, errors = theirs.load(page)
        found.refused += map(str, errors)
        for recording in recordings:
            take_over(files, page, recording, found)
        found.told[JUDGED] += judged(page, recordings, archive.results)
    for one in archive.results:
        if one["failures"]:
            found.told[FAILURES].append(
                f"{one['page']}:{one['line']} on {one['device']}:\n\n" + "\n\n".join(one["failures"])
            )
    return found


def main(arguments: list[str]) -> int:
    """Take an archive in."""
    if len(arguments) != 1:
        print("usage: make gpu-import ARCHIVE=recordings.tar.gz", file=sys.stderr)
        return 2
    with tempfile.TemporaryDirectory(prefix="samedevice-import-") as folder:
        try:
            found = report(Archive(Path(arguments[0]), Path(folder)), ROOT)
        except SameDeviceError as error:
            print(terminal(str(error)), file=sys.stderr)
            return 1
    print(terminal("\n".join(found.lines)))
    for line in found.refused:
        print(terminal(f"refused: {line}"), file=sys.stderr)
    return int(bool(found.refused))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
