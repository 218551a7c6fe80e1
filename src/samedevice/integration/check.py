"""check: a published page to a report of what it prints on a reader's machine, and how that differs from the record.

It also packs what was printed for those who keep the recordings.
"""

from __future__ import annotations

import importlib.util
import json
import sys
import tarfile
import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from samedevice.devices import LABELS, present_devices, torch_build, why_absent
from samedevice.errors import SameDeviceError
from samedevice.exporting.check_export import Printed, Published, without_pictures
from samedevice.files import Folder
from samedevice.outputs import labels
from samedevice.outputs.checks import fault
from samedevice.outputs.comparison import difference
from samedevice.outputs.environments import Environment, Run, nearest, version_order
from samedevice.outputs.output import Output
from samedevice.outputs.recording_files import Recordings
from samedevice.outputs.recordings import update
from samedevice.pages.page import Block
from samedevice.project import RECORDINGS
from samedevice.running.section_runner import SectionRunner
from samedevice.weaving.copies import imported_packages, listed

OLDEST = (2, 9)
"""The oldest PyTorch that pages are made for."""


class CheckError(SameDeviceError):
    """A page that cannot be checked on this machine: a package is missing, PyTorch is too old, no such device."""


def blocks_for(page: Published, device: str) -> list[Block]:
    """The blocks that run on a device with this machine's PyTorch."""
    return [block for block in page.page.blocks if block.runs_on(device, torch_build().version)]


def packages(page: Published, blocks: list[Block]) -> dict[str, str]:
    """The modules that blocks import, each with its package; those that may be missing there are left out.

    Raises CheckError for code that is no Python.
    """
    own = {Path(name).stem for name in page.files} | {Path(name).parts[0] for name in page.files}
    codes = [block.code for block in blocks if block.kind != "console" and not block.options.raises]
    try:
        found = imported_packages(codes)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise CheckError(f"nothing was run: a block of the page is no Python ({error})") from None
    return {module: package for module, package in found.items() if module not in own}


def demand(page: Published, device: str) -> None:
    """Raise CheckError if this machine cannot run the page."""
    version = torch_build().version
    if not version or device not in present_devices():
        raise CheckError(f"nothing was run: {why_absent(device)}")
    if version_order(version)[:2] < OLDEST:
        needed = ".".join(map(str, OLDEST))
        raise CheckError(f"nothing was run: PyTorch {version} is too old; install {needed} or newer")
    blocks = blocks_for(page, device)
    if not blocks:
        raise CheckError(f"nothing was run: {page.page.path} has no block for {LABELS[device]} with PyTorch {version}")
    found = packages(page, blocks).items()
    missing = [package for module, package in found if importlib.util.find_spec(module) is None]
    if missing:
        names = " ".join(missing)
        raise CheckError(f"nothing was run: the page needs {names}; run {sys.executable} -m pip install {names}")


def plan(page: Published, device: str) -> Iterator[str]:
    """Lines that say what is about to be run."""
    blocks = blocks_for(page, device)
    names = ", ".join(packages(page, blocks).values()) or "no package"
    yield f'"{page.title}" ({page.page.path}): {len(blocks)} of {len(page.page.blocks)} blocks'
    for block in blocks:
        first = next((line.strip() for line in block.code.splitlines() if line.strip()), "")
        shown = f"python {block.path} {block.options.args}" if block.kind == "program" else first
        yield f"  {block.index + 1:3} {block.kind:8} {shown[:90]}"
    yield f"With {sys.executable}, PyTorch {torch_build().version}, on {LABELS[device]}; they import {names}."
    yield "The code runs with your rights, as if you had pasted it into Python."


def ran(page: Published, device: str) -> Run:
    """Run the page in a fresh process, in a temporary folder with the files that it needs. Raises SessionError."""
    folder = Folder()
    try:
        for name, text in page.files.items():
            path = folder.path / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        with SectionRunner(folder.path, workers=1) as sessions:
            run = sessions.run(page.page, device)
    except OSError as error:
        raise CheckError(f"nothing was run: the page's files cannot be written ({error.strerror or error})") from None
    finally:
        folder.remove()
    if run.environment is None:
        raise CheckError(f"nothing was run: PyTorch sees no {LABELS[device]} device; is its driver too old?")
    return run


def pack(page: Published, run: Run, said: str, archive: Path) -> None:
    """Write an archive with the page's recording, of the kind that `make gpu-import` takes. Raises CheckError."""
    assert run.environment is not None
    folder = Folder()
    try:
        recording = update(None, page.page, run.environment, run.outputs)
        if recording is None:
            raise CheckError("nothing was recorded: no block ran")
        Recordings(folder.path, RECORDINGS).save(page.page, recording)
        (folder.path / "record.log").write_text(said + "\n", encoding="utf-8")
        (folder.path / "results.json").write_text(json.dumps([]), encoding="utf-8")
        with tarfile.open(archive, "w:gz") as packed:
            for name in (RECORDINGS.as_posix(), "record.log", "results.json"):
                packed.add(folder.path / name, name)
    except OSError as error:
        raise CheckError(f"{archive} cannot be written ({error.strerror or error}); name another file") from None
    finally:
        folder.remove()


@dataclass(frozen=True)
class Finding:
    """What came of one block."""

    block: Block
    """The block."""
    same: tuple[Environment, ...] = ()
    """The environments that printed what it printed here."""
    differs: str = ""
    """How it differs from all of them, or how it failed; empty if it does not."""
    run: bool = True
    """Whether it ran here."""

    @property
    def name(self) -> str:
        """How the block is called in a report."""
        return f"block {self.block.index + 1} ({self.block})"


def findings(page: Published, run: Run, device: str) -> list[Finding]:
    """What came of each block; `run` is that of the page on this machine."""
    return [_finding(*one, run, device) for one in zip(page.page.blocks, run.outputs, page.printed, strict=True)]


def _finding(block: Block, output: Output | None, printed: Printed, run: Run, device: str) -> Finding:
    if output is None or run.environment is None or run.count < block.options.count:
        return Finding(block, run=False)
    failed = fault(block, device, output)
    if failed:
        return Finding(block, differs=failed)
    now, vary = without_pictures(output), block.options.numbers_vary
    known = {about: one for about, one in printed if about.device == device}
    recorded = {about: one for about, one in known.items() if not about.simulated} or known
    same = tuple(about for about, one in recorded.items() if not difference(one, now, vary))
    if same or not recorded:
        return Finding(block, same)
    closest = nearest(run.environment, list(recorded))
    told = f"{closest} printed something else:\n\n{difference(recorded[closest], now, vary)}"
    return Finding(block, differs=told)


def report(found: Sequence[Finding], about: Environment) -> Iterator[str]:
    """The report's lines."""
    agree, differ = [one for one in found if one.same], [one for one in found if one.differs]
    yield f"This machine: {about}"
    yield f"{_count(agree)} what was recorded, {_count(differ)} something else."
    yield from _groups(agree)
    new = [one for one in found if one.run and not one.same and not one.differs]
    if new:
        yield f"  {_blocks(new)} ran, but nothing is recorded for {LABELS[about.device]}: {_numbers(new)}"
    left = [one for one in found if not one.run]
    if left:
        needed = sorted({one.block.options.needed or LABELS[about.device] for one in left})
        yield f"  {_blocks(left)} did not run, for want of {listed(needed)}: {_numbers(left)}"
    for one in differ:
        yield ""
        yield f"{one.name}:"
        yield textwrap.indent(one.block.code.strip("\n"), "    ")
        yield ""
        yield textwrap.indent(one.differs.rstrip(), "  ")


def _groups(agree: Sequence[Finding]) -> Iterator[str]:
    """A line for each set of environments that printed the same; the largest group needs no numbers of blocks."""
    groups: dict[tuple[Environment, ...], list[Finding]] = {}
    for one in agree:
        groups.setdefault(one.same, []).append(one)
    ordered = sorted(groups.items(), key=lambda group: -len(group[1]))
    for at, (environments, found) in enumerate(ordered):
        names = listed([f"{labels.kind(one)} with {one.maker} {one.version}" for one in environments])
        yield f"  {_blocks(found)} as on {names}" + (f": {_numbers(found)}" if at else "")


def _blocks(found: Sequence[Finding]) -> str:
    return f"{len(found)} block" + "s" * (len(found) != 1)


def _count(found: Sequence[Finding]) -> str:
    return f"{_blocks(found)} print" + "s" * (len(found) == 1)


def _numbers(found: Sequence[Finding]) -> str:
    return ", ".join(f"{one.block.index + 1}" for one in found)
