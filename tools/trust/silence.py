"""silence: the blocks that print, draw, raise and assert nothing, and the reason that they have to be there."""

from __future__ import annotations

import ast
import itertools
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from same_device_site.settings import page_paths, parse_page
from samedevice.devices import DEVICES
from samedevice.outputs.recording_files import Recordings
from samedevice.outputs.recordings import Recording, block_statuses
from samedevice.pages.page import Block, Page
from samedevice.project import RECORDINGS

EXERCISE = re.compile(r"^(?:#|\*\*\d+\.\*\*|\d+\.) ?")
"""How the line after an exercise begins: a heading, or another one's number."""


def silent(root: Path) -> Iterator[tuple[Block, str]]:
    """Each such block of the pages with what uses it; that is empty if nothing does."""
    files = Recordings(root, RECORDINGS)
    for path in page_paths(root):
        page = parse_page(path, root)
        recorded, _ = files.load(page)
        for block in page.blocks:
            if not block.options.raises and not _asserts(block) and _prints_nothing(page, block, recorded):
                first = next((one for one in page.blocks if block in page.program(one) and _share(block, one)), None)
                yield block, f"needed by {first}" if first else use_in_text(page, block)


def _share(block: Block, later: Block) -> bool:
    """Whether a later block uses a name of a block."""
    return block.kind == later.kind == "python" and not _names(block.code).isdisjoint(_names(later.code))


def _names(code: str) -> set[str]:
    """The names that code uses, defines and imports."""
    found = set[str]()
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, ast.Name | ast.FunctionDef | ast.ClassDef | ast.alias):
            found.add(
                node.id if isinstance(node, ast.Name) else (getattr(node, "asname", "") or node.name).split(".")[0]
            )
    return found


def use_in_text(page: Page, block: Block) -> str:
    """What the page's text has the block for; empty if nothing."""
    return _begins(page, block) or _belongs(page, block)


def _begins(page: Page, block: Block) -> str:
    """The exercise that the block begins, which its solution ends; empty if it begins none."""
    after = page.text.split("\n")[block.line + block.code.count("\n") :]
    lines = itertools.takewhile(lambda line: not EXERCISE.match(line), after)
    return "begins an exercise" if any('"Solution"' in line for line in lines) else ""


def _belongs(page: Page, block: Block) -> str:
    """The block that runs the program which this one shows a part of; empty if it shows none, or nothing runs it."""
    file = block.options.part and block.options.file
    runs = (other for other in page.blocks if file and other.kind == "console" and file in other.code)
    return next((f"a part of the program that {other} runs" for other in runs), "")


def _prints_nothing(page: Page, block: Block, recorded: Sequence[Recording]) -> bool:
    """Whether the block is recorded, and on no device with an output."""
    found = [one.output for device in DEVICES for one in block_statuses(page, block.index, device, recorded)]
    outputs = [output for output in found if output]
    return bool(outputs) and not any(output.shown or output.figures for output in outputs)


def _asserts(block: Block) -> bool:
    """Whether the block would raise if something were not so."""
    nodes = list(ast.walk(ast.parse(block.code))) if block.kind == "python" else []
    called = [node.func for node in nodes if isinstance(node, ast.Call)]
    names = [getattr(function, "attr", getattr(function, "id", "")) for function in called]
    return any(isinstance(node, ast.Assert) for node in nodes) or any(name.startswith("assert") for name in names)
