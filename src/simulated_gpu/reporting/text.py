"""Writes a report as text that one screen holds, and as JSON."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Any

from .lines import Line
from .memory import Memory
from .owners import OWNERS
from .result import LineCount, Report

MOST_LINES = 6  # of each table; the JSON has all
WIDEST_CODE = 48


def write(report: Report) -> str:
    """Return a report as text."""
    title = f": {report.title}" if report.title else ""
    parts = [
        f"Simulated GPU{title}. Python waited {_times(report.waits)} for the GPU. {_number(report.copies, 'copy')} "
        f"between CPU and GPU, {_size(_copied(report.lines.values()))}. {_number(report.launches, 'launch')}.",
        *_waits(report),
        *_copies(report),
        *_launches(report),
    ]
    for memory in sorted(report.memory, key=lambda memory: -memory.peak)[:2]:
        parts += _memory(memory)
    return "\n".join([*parts, *report.notes])


def as_json(report: Report) -> str:
    """Return a report as JSON."""
    whole = {
        "title": report.title,
        "waits": report.waits,
        "copies": report.copies,
        "launches": report.launches,
        "peak": report.peak,
        "lines": [_line_data(line, count) for line, count in report.lines.items()],
        "memory": [_memory_data(memory) for memory in report.memory],
        "notes": report.notes,
    }
    return json.dumps(whole, indent=1) + "\n"


def _waits(report: Report) -> Iterable[str]:
    rows = [(sum(count.waits.values()), line, count) for line, count in report.lines.items() if count.waits]
    return _table(
        "Python waits",
        ("times", "in"),
        [(str(number), ", ".join(count.waits), line) for number, line, count in _most(rows)],
    )


def _copies(report: Report) -> Iterable[str]:
    rows = [
        (count.bytes[copy], line, (number, copy))
        for line, count in report.lines.items()
        for copy, number in count.copies.items()
    ]
    return _table(
        "Copies",
        ("times", "bytes", "from, to", "CPU memory", "Python"),
        [
            (
                str(number),
                _size(size),
                copy.direction,
                "pinned" if copy.pinned else "not pinned",
                "waits" if copy.blocking else "goes on",
                line,
            )
            for size, line, (number, copy) in _most(rows)
        ],
    )


def _launches(report: Report) -> Iterable[str]:
    rows = [(count.launches, line, None) for line, count in report.lines.items() if count.launches]
    return _table("Launches", ("times",), [(str(number), line) for number, line, _ in _most(rows)])


def _memory(memory: Memory) -> Iterable[str]:
    yield ""
    yield f"Memory of GPU {memory.gpu}: {_size(memory.peak)} at the peak, {_size(memory.reserved)} reserved"
    held = [f"{owner} {_size(memory.owners[owner])}" for owner in OWNERS if memory.owners[owner]]
    yield "  " + ", ".join(held)
    rows = [(size, line, owner) for (line, owner), size in memory.lines.items()]
    yield from _table("", ("bytes", "held as"), [(_size(size), owner, line) for size, line, owner in _most(rows)])
    for line, size in memory.refused:
        yield f"  Out of memory at {line}, which asked for {_size(size)}: {line.code}"


def _most(rows: list[tuple[int, Line, Any]]) -> list[tuple[int, Line, Any]]:
    return sorted(rows, key=lambda row: (-row[0], row[1]))


def _table(title: str, heads: Sequence[str], rows: Sequence[tuple[Any, ...]]) -> Iterable[str]:
    """Yield a table's lines. A row's last cell is the line of the program."""
    if not rows:
        return
    if title:
        yield from ("", title)
    cells = [[*heads, "line", "code"]]
    cells += [[*row[:-1], str(row[-1]), row[-1].code[:WIDEST_CODE]] for row in rows[:MOST_LINES]]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    for row in cells:
        yield "  " + "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
    if len(rows) > MOST_LINES:
        yield f"  and {len(rows) - MOST_LINES} more"


def _line_data(line: Line, count: LineCount) -> dict[str, Any]:
    copies = [{**copy._asdict(), "number": n, "bytes": count.bytes[copy]} for copy, n in count.copies.items()]
    place = {"file": line.file, "line": line.number, "code": line.code}
    return {**place, "waits": dict(count.waits), "copies": copies, "launches": count.launches}


def _memory_data(memory: Memory) -> dict[str, Any]:
    return {
        "gpu": memory.gpu,
        "peak": memory.peak,
        "reserved": memory.reserved,
        "held": dict(memory.owners),
        "lines": [
            {"file": line.file, "line": line.number, "code": line.code, "held as": owner, "bytes": size}
            for (line, owner), size in memory.lines.most_common()
        ],
        "out of memory": [{"file": line.file, "line": line.number, "bytes": size} for line, size in memory.refused],
    }


def _copied(counts: Iterable[LineCount]) -> int:
    return sum(size for count in counts for size in count.bytes.values())


def _times(number: int) -> str:
    return {1: "once"}.get(number, f"{number} times")


def _number(number: int, name: str) -> str:
    plural = name[:-1] + "ies" if name.endswith("y") else name + "es"
    return f"{number} {name if number == 1 else plural}"


def _size(size: int) -> str:
    """Return bytes in words, such as 2.5 MiB."""
    value, unit = float(size), "bytes"
    for larger in ("KiB", "MiB", "GiB", "TiB"):
        if value < 1024:
            break
        value, unit = value / 1024, larger
    return f"{value:.4g} {unit}"
