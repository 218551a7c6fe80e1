"""percent: a percent-format notebook (`# %%`, as jupytext writes it) to its cells.

A code cell is given as a Fence whose info is what stands in its marker, so that pages and notebooks share their
options: `# %% needs="cuda"` is what "```python needs="cuda"" is on a page. A Markdown cell is comment lines under
`# %% [markdown]`. A first comment between `# ---` lines is front matter.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from samedevice.errors import PageError
from samedevice.pages.fences import Fence
from samedevice.project import NOTEBOOK, Settings

MARK = "# %%"
MARKED = re.compile(rf"{MARK}(?:\s|$)")
LOOKALIKE = re.compile(r"\s*#\s*%%+")
FRONT_MATTER = re.compile(r"\A# ---\n(.*?)^# ---[ \t]*$", re.M | re.S)


@dataclass(frozen=True)
class Cell:
    """One cell of a notebook."""

    markdown: str | None
    """The text of a Markdown cell, without comment marks; None for a code cell."""
    fence: Fence
    """Where the cell stands: from its marker to its last line that is not blank; `body` is the cell as written."""


def read_cells(text: str, path: str) -> list[Cell]:
    """The cells of a percent-format notebook in order.

    `path` is only named in errors. Raises PageError for a marker that cannot be read, and for a line of a Markdown
    cell that is no comment.
    """
    return list(_cells(text, path))


def has_cells(text: str) -> bool:
    """Whether a file of Python is a notebook: its first line that is neither blank nor a comment begins a cell."""
    lines = (line for line in text.splitlines() if line.strip())
    first = next((line for line in lines if not line.startswith("#") or MARKED.match(line)), "")
    return MARKED.match(first) is not None


def is_program(path: Path) -> bool:
    """Whether a file of Python has no cell: it is a program beside the pages, and no page.

    False for a file that cannot be read, so that it is read as a page, and the error says why.
    """
    if path.suffix != NOTEBOOK:
        return False
    try:
        return not has_cells(path.read_text(encoding="utf-8", errors="replace"))
    except OSError:
        return False


def page_files(root: Path, settings: Settings) -> list[Path]:
    """The files of the pages below the project's root; no program beside them."""
    return [path for path in settings.page_paths(root) if not is_program(path)]


def find_cells(text: str, path: str) -> Iterator[Fence]:
    """Yield the code cells of a percent-format notebook as fences. Raises PageError, as `read_cells` does."""
    return (cell.fence for cell in read_cells(text, path) if cell.markdown is None)


def front_matter(text: str) -> str:
    """The notebook's front matter as a page has it; empty if it has none."""
    match = FRONT_MATTER.match(text)
    return f"---\n{_uncommented(match[1])}---\n" if match else ""


def prose(text: str, path: str) -> str:
    """The Markdown cells of a percent-format notebook as one text. Raises PageError, as `read_cells` does."""
    return "\n\n".join(cell.markdown for cell in read_cells(text, path) if cell.markdown is not None)


def _cells(text: str, path: str) -> Iterator[Cell]:
    lines = re.findall(r"[^\n]*\n|[^\n]+", text)
    marks = [number for number, line in enumerate(lines) if _is_mark(line, path, number + 1)]
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line))
    for mark, following in zip(marks, [*marks[1:], len(lines)], strict=True):
        last = max(number for number in range(mark, following) if lines[number].strip())
        body = "".join(line.rstrip("\r\n") + "\n" for line in lines[mark + 1 : last + 1])
        end = starts[last] + len(lines[last].rstrip("\r\n"))
        yield _cell(lines[mark][len(MARK) :].strip(), body, (starts[mark], end, mark + 1), path)


def _cell(rest: str, body: str, place: tuple[int, int, int], path: str) -> Cell:
    start, end, line = place
    if not rest.startswith("["):
        return Cell(None, Fence(start, end, line, "", MARK, f"python {rest}".strip(), body))
    if rest != "[markdown]":
        raise PageError(path, line, f'"{MARK} {rest}" is no cell; write "{MARK} [markdown]", or "{MARK}" for code')
    for number, text in enumerate(body.split("\n"), start=line + 1):
        if text.strip() and text.rstrip() != "#" and not text.startswith("# "):
            raise PageError(path, number, 'this line of a Markdown cell is no comment; start it with "# "')
    return Cell(_uncommented(body), Fence(start, end, line, "", MARK, rest, body))


def _is_mark(line: str, path: str, number: int) -> bool:
    if MARKED.match(line):
        return True
    if LOOKALIKE.match(line):
        raise PageError(path, number, f'this line looks like the start of a cell; write "{MARK}" and a blank')
    return False


def _uncommented(text: str) -> str:
    return re.sub(r"^#[ ]?", "", text, flags=re.M)
