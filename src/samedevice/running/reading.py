"""reading: which files of the repository a section's blocks read, given what its processes opened."""

from __future__ import annotations

import contextlib
import os
import re
import shlex
import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from samedevice.devices import KINDS
from samedevice.outputs.output import CHANGED, Output
from samedevice.outputs.recording_files import file_hash
from samedevice.pages.page import Block, Page
from samedevice.project import PACKAGE
from samedevice.running.observing import OPENED, WRITTEN

COMPILED = re.compile(r"^(?P<folder>.*)__pycache__/(?P<name>[^/]+)\.[\w-]+(?:\.opt-\d)?\.pyc$")
"""The file of a module that Python compiled before: its source is what counts."""
NOT_OURS = {"site-packages", "node_modules", *(kind.simulator.module for kind in KINDS.values() if kind.simulator)}
"""Folders of what is installed, and is a part of the environment."""


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
