"""A report as text that one screen holds."""

from __future__ import annotations

import linecache
import textwrap
from collections import Counter
from collections.abc import Iterator, Sequence

from .facts import Memory, OutOfMemory, Report
from .lines import BACKWARD, FORWARD, STEP

MOST = 5
"""The lines of each table; JSON has all."""
KEPT = "\N{NO-BREAK SPACE}"
WIDEST = 48
"""The characters of code in a row."""
UNKNOWN = (
    "Not known and not in the peak: the CUDA context; what cuDNN, cuSOLVER, NCCL, QR and unique hold while they work."
)


def describe(report: Report) -> str:
    """Return the report as text."""
    lines = [*_waits(report), "", *_copies(report), "", *_kernels(report)]
    for memory in report.memory:
        lines += ["", *_memory(memory, memory is report.fullest)]
    return "\n".join([*lines, *([UNKNOWN] if report.memory else []), *report.notes])


def size(number: int) -> str:
    """Return bytes in words: "1.5 GiB"."""
    for unit, factor in (("GiB", 2**30), ("MiB", 2**20), ("KiB", 2**10)):
        if abs(number) >= factor:
            return f"{number / factor:.1f} {unit}" if number < 100 * factor else f"{number / factor:.0f} {unit}"
    return f"{number} B"


def times(number: int) -> str:
    """Return how often, in words."""
    return "once" if number == 1 else f"{number} times"


def _waits(report: Report) -> Iterator[str]:
    rows = [(str(row.count), row.what, row.line) for row in report.waits]
    yield f"Python waits for the GPU {times(report.number_of_waits)}"
    yield from _table(("times", "in"), rows)


def _copies(report: Report) -> Iterator[str]:
    rows = [
        (
            str(row.count),
            size(row.bytes),
            "CPU to GPU" if row.to_gpu else "GPU to CPU",
            "pinned" if row.pinned else "pageable",
            "blocking" if row.blocking else "not blocking",
            row.line,
        )
        for row in report.copies
    ]
    number = report.number_of_copies
    total = size(sum(row.bytes for row in report.copies))
    yield f"{number} {'copy' if number == 1 else 'copies'} between CPU and GPU, {total}"
    yield from _table(("times", "bytes", "way", "CPU's memory", "Python"), rows)


def _kernels(report: Report) -> Iterator[str]:
    phases: Counter[str] = Counter()
    lines: Counter[str] = Counter()
    for row in report.kernels:
        phases[row.phase] += row.count
        lines[row.line] += row.count
    shares = ", ".join(f"{phase} {phases[phase]}" for phase in (FORWARD, BACKWARD, STEP) if phases[phase])
    number = report.number_of_kernels
    yield f"{number} {'kernel' if number == 1 else 'kernels'}{': ' if shares else ''}{shares}"
    yield from _table(("times",), [(str(number), line) for line, number in lines.most_common()])


def _memory(memory: Memory, whole: bool) -> Iterator[str]:
    taken = f"PyTorch took {size(memory.reserved)} of {size(memory.total)}"
    fits = f"does not fit, {taken}" if memory.failed else f"fits, {taken}"
    yield f"Memory of GPU {memory.device}: peak {size(memory.peak)} in {memory.phase}, {memory.line}; {fits}"
    if not whole:
        return
    shares = [f"{category} {size(held)}".replace(" ", KEPT) for category, held in memory.categories().items()]
    for line in textwrap.wrap(", ".join(shares), 118, initial_indent="  ", subsequent_indent="  "):
        yield line.replace(KEPT, " ")
    for row in memory.failed[:MOST]:
        yield f"  {row.line}: out of memory in {row.phase}: {size(row.asked)} did not fit: {_code(row.line)}"
    if memory.failed:
        yield from _levers(memory.failed[0])
    yield from _table(("bytes", "held as"), [(size(row.bytes), row.category, row.line) for row in memory.held])


def _levers(failed: OutOfMemory) -> Iterator[str]:
    """Yield what would have saved enough there, and what would not. What saves next to nothing is left out."""
    levers = [lever for lever in failed.levers if lever.bytes >= failed.missing / 100]
    if not levers:
        return
    yield f"  At least {size(failed.missing)} were missing there. Of what was held then,"
    rows = [
        (f"{'up to ' if lever.at_most else ''}{size(lever.bytes)}", lever.change, lever.because) for lever in levers
    ]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for saved, change, because in rows:
        yield f"  {saved:>{widths[0]}} would go with {change:{widths[1]}}  {because}"
    yield "  Run with autocast, fused attention or a chunked loss to see what they save: it does not follow from these."


def _table(heads: Sequence[str], rows: Sequence[tuple[str, ...]]) -> Iterator[str]:
    """Yield a table's lines. A row's last cell is a line of the program; its code follows."""
    if not rows:
        return
    cells = [(*heads, "line", "code"), *((*row, _code(row[-1])) for row in rows[:MOST])]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    for row in cells:
        yield "  " + "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
    if len(rows) > MOST:
        yield f"  and {len(rows) - MOST} more"


def _code(line: str) -> str:
    """Return the code of a line, short enough for a row."""
    file, _, number = line.rpartition(":")
    return linecache.getline(file, int(number)).strip()[:WIDEST] if number.isdigit() else ""
