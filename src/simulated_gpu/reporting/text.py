"""A report as text that one screen holds."""

from __future__ import annotations

import linecache
from collections import Counter
from collections.abc import Sequence

from .facts import Memory, Report
from .lines import BACKWARD, FORWARD, STEP

MOST = 5
"""The lines of each part."""
UNKNOWN = "not known here: the CUDA context (some hundred MiB of a real GPU), and the work of cuDNN, QR and unique"


def describe(report: Report) -> str:
    """Return the report as text."""
    parts = [_waits(report), _copies(report), _kernels(report)]
    if report.fullest is not None:
        parts += [_memory(memory, memory is report.fullest) for memory in report.memory] + [[UNKNOWN]]
    return "\n".join(line for part in parts for line in part)


def size(number: int) -> str:
    """Return bytes in words: "1.5 GiB"."""
    for unit, factor in (("GiB", 2**30), ("MiB", 2**20), ("KiB", 2**10)):
        if abs(number) >= factor:
            return f"{number / factor:.1f} {unit}" if number < 100 * factor else f"{number / factor:.0f} {unit}"
    return f"{number} B"


def _waits(report: Report) -> list[str]:
    rows = [f"{row.line:24} {row.count:6} x  {row.what}{_code(row.line)}" for row in report.waits]
    return _part(f"waits     {report.number_of_waits}: Python waits for the GPU", rows)


def _copies(report: Report) -> list[str]:
    rows = [
        f"{row.line:24} {row.count:6} x  {size(row.bytes):>9}  {'CPU to GPU' if row.to_gpu else 'GPU to CPU'}, "
        f"{'pinned' if row.pinned else 'pageable'}, {'blocking' if row.blocking else 'not blocking'}{_code(row.line)}"
        for row in report.copies
    ]
    total = size(sum(row.bytes for row in report.copies))
    return _part(f"copies    {report.number_of_copies} between CPU and GPU, {total}", rows)


def _kernels(report: Report) -> list[str]:
    phases: Counter[str] = Counter()
    lines: Counter[str] = Counter()
    for row in report.kernels:
        phases[row.phase] += row.count
        lines[row.line] += row.count
    rows = [f"{line:24} {count:6} x{_code(line)}" for line, count in lines.most_common()]
    shares = ", ".join(f"{phase} {phases[phase]}" for phase in (FORWARD, BACKWARD, STEP) if phases[phase])
    return _part(f"kernels   {report.number_of_kernels}{': ' if shares else ''}{shares}", rows)


def _memory(memory: Memory, whole: bool) -> list[str]:
    head = f"memory    GPU {memory.device}: peak {size(memory.peak)} in {memory.phase}, {memory.line}; " + _fits(memory)
    if not whole:
        return [head]
    shares = ", ".join(f"{category} {size(held)}" for category, held in memory.categories().items())
    failed = [
        f"{row.line:24} out of memory in {row.phase}: {size(row.asked)} did not fit{_code(row.line)}"
        for row in memory.failed
    ]
    rows = [f"{row.line:24} {size(row.bytes):>9}  {row.category}{_code(row.line)}" for row in memory.held]
    return [head, f"  {shares}", *(f"  {row}" for row in failed[:MOST]), *_part("", rows)[1:]]


def _fits(memory: Memory) -> str:
    kept = f"PyTorch took {size(memory.reserved)} of {size(memory.total)}"
    return f"does not fit, {kept}" if memory.failed else f"fits, {kept}"


def _part(head: str, rows: Sequence[str]) -> list[str]:
    rest = len(rows) - MOST
    return [head, *(f"  {row}" for row in rows[:MOST]), *([f"  and {rest} more"] if rest > 0 else [])]


def _code(line: str) -> str:
    """Return the code of a line, short enough for a row."""
    file, _, number = line.rpartition(":")
    code = linecache.getline(file, int(number)).strip() if number.isdigit() else ""
    return f"    {code[:40]}" if code else ""
