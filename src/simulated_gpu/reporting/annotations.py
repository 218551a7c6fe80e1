"""A report as annotations of GitHub Actions: a remark at each line, beside the code of a pull request."""

from __future__ import annotations

from collections.abc import Iterator

from .facts import Report
from .text import size, times


def remarks(report: Report) -> Iterator[str]:
    """Yield a workflow command for each line that waits, copies without pinned memory, or does not fit."""
    for wait in report.waits:
        yield from _at(wait.line, "notice", "Python waits for the GPU", f"{times(wait.count)}, in {wait.what}")
    for copy in report.copies:
        way = "CPU to GPU" if copy.to_gpu else "GPU to CPU"
        kind = f"{'pinned' if copy.pinned else 'pageable'}, {'blocking' if copy.blocking else 'not blocking'}"
        yield from _at(copy.line, "notice", f"Copies {way}", f"{times(copy.count)}, {size(copy.bytes)}, {kind}")
    for memory in report.memory:
        for failed in memory.failed:
            text = f"{size(failed.asked)} did not fit into the {size(memory.total)} of GPU {memory.device}"
            yield from _at(failed.line, "error", "Out of memory", text)


def _at(line: str, level: str, title: str, text: str) -> Iterator[str]:
    file, _, number = line.rpartition(":")
    if number.isdigit():
        yield f"::{level} file={file},line={number},title={title}::{text}"
