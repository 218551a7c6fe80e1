"""results: goes in what the process of a section reported; comes out what is taken of it, as the run of a page.

Each output gets the files of the repository that it read; one of a simulated device that a real one may print otherwise
is left out; and a traceback about a missing name says what to do about it.
"""

from __future__ import annotations

import contextlib
import os
import re
import shlex
import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from samedevice.devices import KINDS, Simulator
from samedevice.outputs.environments import Run
from samedevice.outputs.output import CHANGED, Output
from samedevice.outputs.recording_files import file_hash
from samedevice.pages.page import Block, Page
from samedevice.pages.sections import defined_elsewhere
from samedevice.project import PACKAGE
from samedevice.running.observing import OPENED, WRITTEN

COMPILED = re.compile(r"^(?P<folder>.*)__pycache__/(?P<name>[^/]+)\.[\w-]+(?:\.opt-\d)?\.pyc$")
"""The file of a module that Python compiled before: its source is what counts."""
NOT_OURS = {"site-packages", "node_modules", *(kind.simulator.module for kind in KINDS.values() if kind.simulator)}
"""Folders of what is installed, and is a part of the environment."""

UNKNOWN = re.compile(r"name '(\w+)' is not defined")
"""The message about a name that a section does not have."""


def with_reads(
    page: Page, blocks: Sequence[Block], outputs: Sequence[Output | None], root: Path, began: int
) -> list[Output | None]:
    """The outputs of a section's `blocks`, each with the files that it read; `began` is when, in nanoseconds.

    A block whose files changed meanwhile is a fault: nobody knows which text it ran.
    """
    written: set[str] = set()
    found = list(outputs)
    for block in blocks:
        output = outputs[block.index]
        if output is None:
            continue
        own = {block.path} if block.kind == "program" else set[str]()
        read = {path for path in _arguments(block, root) if not _changed(root / path, began)}  # else it was written
        for kind, path in _named(output.opened, root):
            if kind == OPENED and path not in written:
                read.add(path)
            elif kind == WRITTEN:
                written.add(path)
        read -= {page.path, block.path}
        read = {path for path in read if _is_ours(path, root, page)}
        if any(_changed(root / path, began) for path in (read | own) - written):
            found[block.index] = Output(died=CHANGED)
        else:
            hashed = tuple((path, file_hash(root / path)) for path in sorted(read))
            found[block.index] = replace(output, opened=(), read=hashed)
    return found


def _named(opened: Sequence[str], root: Path) -> Iterator[tuple[str, str]]:
    """What was done with which path below the repository's root."""
    for line in opened:
        kind, _, path = line.partition(" ")
        compiled = COMPILED.match(path)
        with contextlib.suppress(ValueError):
            name = f"{compiled['folder']}{compiled['name']}.py" if compiled else path
            yield (OPENED if compiled else kind), Path(name).relative_to(root).as_posix()


def _arguments(block: Block, root: Path) -> Iterator[str]:
    """The files that the commands of a block name: what programs other than Python open is not observed."""
    for command in block.code.split("\n") if block.kind == "console" else ():
        folder, words = root, list[str]()
        with contextlib.suppress(ValueError):  # a quote that the next line closes
            words = list(shlex.shlex(command.removeprefix("$ "), posix=True, punctuation_chars=True))
        for before, word in zip(["", *words], words, strict=False):
            if before == "cd":
                folder = folder / word
            pattern = Path(os.path.normpath(folder / word))
            if pattern.is_relative_to(root) and pattern != root:
                with contextlib.suppress(ValueError):  # what looks like a pattern may be none
                    yield from (path.relative_to(root).as_posix() for path in root.glob(str(pattern.relative_to(root))))


def _is_ours(path: str, root: Path, page: Page) -> bool:
    """Whether a path is that of a file that is kept with the pages: not hidden, made or installed."""
    parts, whole = Path(path).parts, root / path
    hidden = any(part.startswith(".") or part.endswith(".egg-info") or part in NOT_OURS for part in parts)
    made = Path(path).is_relative_to(page.settings.recordings)
    installed = whole.is_relative_to(PACKAGE) or whole.is_relative_to(sys.prefix)
    return not (hidden or made or installed) and whole.is_file()


def _changed(path: Path, began: int) -> bool:
    """Whether a file was changed since. No program can set the time that tells it, except on Windows."""
    try:
        about = path.stat()
        return max(about.st_mtime_ns, about.st_ctime_ns) > began
    except OSError:
        return True


def taken(run: Run, blocks: Sequence[Block], simulator: Simulator) -> Run:
    """A run without the outputs that a real device may give differently; `blocks` are those of one process, in order.

    What the simulator is unsure of may be in every value after it, so nothing below it is taken either.
    """
    doubt, unsure = "", dict[int, str]()
    for block in blocks:
        output = run.outputs[block.index]
        if output is None:
            continue
        own = "" if doubt else _doubt(output, simulator)
        why = doubt or own or block.not_simulated
        if why:
            unsure[block.index] = why
        if not doubt and (own or (block.not_simulated and output.died)):
            doubt = f"it comes after {block}" + (f": {own}" if own else f", which {output.died}")
    outputs = (None if index in unsure else output for index, output in enumerate(run.outputs))
    return replace(run, outputs=tuple(outputs), unsure=unsure)


def _doubt(output: Output, simulator: Simulator) -> str:
    """What a real device may do differently in a block; empty if nothing."""
    if output.unsure:
        return f"the simulator does not vouch for {output.unsure}"
    raised = output.raised
    said = "\n".join([output.shown, raised.trace if raised else ""])
    refused = next((line.strip() for line in said.split("\n") if simulator.refusal in line), "")
    return f"the simulator refused it: {refused}" if refused else ""


def hinted(page: Page, block: Block, output: Output | None) -> Output | None:
    """The output, where a name is missing with what to do about it in its traceback."""
    raised = output.raised if output else None
    missing = UNKNOWN.match(raised.message) if raised and raised.type == "NameError" else None
    hint = defined_elsewhere(missing[1], block, page.sections) if missing else ""
    if not (output and raised and hint):
        return output
    return replace(output, raised=replace(raised, trace=f"{raised.trace}\n{hint}"))


def merged(page: Page, runs: Sequence[Run]) -> Run:
    """The runs of a page's sections as one run of the page."""
    found = (next(filter(None, (run.outputs[block.index] for run in runs)), None) for block in page.blocks)
    outputs = tuple(found)
    environment = next((run.environment for run in runs if run.environment), None)
    unsure = {index: why for run in runs for index, why in run.unsure.items() if outputs[index] is None}
    left = ", ".join(filter(None, (run.left for run in runs)))
    count, seconds = max(run.count for run in runs), sum(run.seconds for run in runs)
    return Run(outputs, environment, count, seconds, unsure, left)
