"""record: a run of a page into its recording, and into the fences of the page that say what their blocks print."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from samedevice.devices import LABELS
from samedevice.errors import RecordingError
from samedevice.outputs.checks import expected_text, fault, unexpected
from samedevice.outputs.environments import Run
from samedevice.outputs.output import CHANGED, Output
from samedevice.outputs.recording_files import Recorded, Recordings, place
from samedevice.outputs.recordings import update
from samedevice.pages.page import Block, Page
from samedevice.temporary import write_atomically

UNCHANGED = "unchanged: "
"""What begins the line about a page that printed what is recorded of it already."""
LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+\Z")
"""A line of a file with its end."""
ADVICE = "make room on the disk, or make the checkout writable, and record again"


def record(page: Page, run: Run, files: Recordings, recorded: Recorded, simulated: bool = False) -> str:
    """Write a run into the page's recording; return a line that says what was done.

    `recorded` is what is recorded of the page so far; `simulated` is whether the device is.

    Raises RecordingError where it cannot be written.
    """
    assert run.environment is not None
    device, where = run.environment.device, f"{page.path} on {run.environment.folder}"
    faults = [found for block, output in ran(page, run) if (found := fault(block, device, output))]
    first = faults[0].splitlines()[0] if faults else ""
    if faults and page.settings.console:
        return f"not recorded: {where}, because {len(faults)} of its blocks failed, first {first}"
    unsure = {*run.unsure, *(block.index for block in page.blocks if simulated and block.not_simulated)}
    known, errors = recorded
    if errors:
        raise errors[0]
    old = next((one for one in files.own(page) if one.environment.folder == run.environment.folder), None)
    new = update(old, page, run.environment, run.outputs, unsure, known)
    if new is None:
        return f"{UNCHANGED}{where}"
    try:
        files.save(page, new)
    except OSError as error:
        what = f"cannot be written ({error.strerror}); what was recorded before is as it was; {ADVICE}"
        path = place(Path(page.settings.recordings), page).as_posix()
        raise RecordingError(path, what) from None
    left = f", {len(unsure)} left out" if unsure else ""
    idle = sum(entry.output is None for entry in new.entries)
    left += f", {idle} of them without using {LABELS[device]}" if idle else ""
    left += f", of which {len(faults)} fail and show nothing, first {first}" if faults else ""
    return f"recorded {where}: {len(new.entries)} blocks{left}"


def ran(page: Page, run: Run) -> Iterator[tuple[Block, Output]]:
    """The blocks of a page that ran, with their outputs."""
    return ((block, output) for block, output in zip(page.blocks, run.outputs, strict=True) if output)


def write_expected(page: Page, run: Run, root: Path) -> None:
    """Write what blocks printed into the fences of their page that say what they print; leave the rest as it is.

    Raises RecordingError, also for a page that was edited while its blocks ran.
    """
    assert run.environment is not None
    device = run.environment.device
    printed = [
        (block, expected_text(block, output))
        for block, output in ran(page, run)
        if block.expected and not fault(block, device, output) and unexpected(page, block, device, output)
    ]
    if not printed:
        return
    path = root / page.path
    try:
        if path.read_text(encoding="utf-8-sig") != page.text:
            raise RecordingError(page.path, CHANGED)
        # a page may be a link to a README
        write_atomically(path.resolve(), "".join(_with_fences(page, LINE.findall(path.read_bytes().decode()), printed)))
    except OSError as error:
        raise RecordingError(page.path, f"cannot be written ({error.strerror}); {ADVICE}") from None


def _with_fences(page: Page, lines: list[str], printed: Iterable[tuple[Block, str]]) -> list[str]:
    """The lines of a page with these texts in the fences that belong to blocks."""
    for block, text in sorted(printed, key=lambda one: one[0].index, reverse=True):
        assert block.expected is not None
        first, last = (page.text.count("\n", 0, offset) for offset in (block.expected.start, block.expected.end))
        end = lines[first][len(lines[first].rstrip("\r\n")) :]
        lines[first + 1 : last] = [f"{line}{end}" for line in block.expected.lines(text)]
    return lines
