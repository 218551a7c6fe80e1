"""shares: whether a section can run in a process in which others have run, by what its code says.

`samedevice.running.sharing` sees what a section leaves in its process, and ends the process then. This leaves out what
might leave what it does not see.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence

from samedevice.outputs.recordings import Recording
from samedevice.pages.page import Block, Page
from samedevice.running.sharing import WARNED

HIDDEN = re.compile(
    r"\bwarn|compile|\bjit\b|dynamo|inductor|export|triton|custom_op|register|safe_globals|\blibrary\b"
    r"|distributed|multiprocessing|subprocess|[Tt]hread|concurrent|asyncio|\bawait\b|num_workers|\bsignal\b|\batexit\b"
    r"|[Gg]raph|MemPool|[Ss]tream\b|\bEvent\b|pin_memory|pinned|host_memory|[Pp]rofil|history|snapshot"
    r"|memory_stats|memory_summary|is_initialized|cuda\.init\b|\bfork|environ|__main__|\bctypes\b|\b_C\b|\bsys\.|settrace|setattr"
)
"""Words in code that may leave what `sharing` does not see: warnings given in silence, what is compiled or registered,
other processes and threads, what the allocator or the driver remembers, whether CUDA has been started."""
READS = (
    r"mem_get_info|OutOfMemoryError|out of memory|device_memory_used|\butilization\b|nvidia-smi|perf_counter|monotonic"
    r"|process_time|time\.time|\bprofile"
)
"""Words in code that reads a clock, or what all programs on a device share; bytes of its own process are not that."""
STARTS = re.compile(
    rf"{READS}|\btimeit\.|environ|is_initialized|cuda\.init\b|memory_stats|memory_summary"
    r"|distributed|multiprocessing|subprocess|num_workers|\bfork|spawn"
)
"""Words in code to which it may matter that CUDA has been started, here or in other processes. PyTorch's `Timer` runs
what it times once before, and events are recorded by a GPU that runs."""


def shares(page: Page, run: Sequence[Block], known: Sequence[Recording]) -> bool:
    """Whether blocks of a section can run where others have run; `known` is what is recorded of the page."""
    plain = all(block.kind == "python" and block.options.count == 1 for block in run)
    return plain and not any(_hides(block) or _warned(page, block, known) for block in run)


def warms_up(run: Sequence[Block]) -> bool:
    """Whether blocks that measure do so with CUDA started, so that it can be started for them."""
    return all(block.kind == "python" and not STARTS.search(block.code) for block in run)


def _hides(block: Block) -> bool:
    """Whether a block may leave something that nobody sees; also of one that cannot be parsed."""
    try:
        patches = any(_patches(ast.parse(block.code)))
    except SyntaxError:
        return True
    return patches or bool(HIDDEN.search(block.code))


def _patches(tree: ast.Module) -> Iterator[bool]:
    """For each assignment to an attribute, whether it is one of a module or of what is in a module."""
    names = {
        (alias.asname or alias.name).partition(".")[0]
        for node in ast.walk(tree)
        if isinstance(node, (ast.Import, ast.ImportFrom))
        for alias in node.names
    }
    for node in ast.walk(tree):
        targets = node.targets if isinstance(node, (ast.Assign, ast.Delete)) else ()
        targets = [node.target] if isinstance(node, (ast.AugAssign, ast.AnnAssign)) else targets
        for target in targets:
            while isinstance(target, (ast.Attribute, ast.Subscript)):
                target = target.value
                if isinstance(target, ast.Name):
                    yield target.id in names | {"torch", "nn", "F", "np", "plt"}


def _warned(page: Page, block: Block, known: Sequence[Recording]) -> bool:
    """Whether a block has printed a warning on any machine, or ended its process."""
    entries = (one.find(page, block.index).entry for one in known)
    outputs = (entry.output for entry in entries if entry and entry.output)
    return any(one.died or WARNED.search(one.shown) for one in outputs)
