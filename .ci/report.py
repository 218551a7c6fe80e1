"""Prints what a run of pytest says as Markdown for the summary of a CI job: versions, the count, what differed.

Usage: python .ci/report.py REPORT, where REPORT is what pytest printed.
"""

from __future__ import annotations

import platform
import re
import sys
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

LIMIT = 200_000
"""Characters of pytest's words to show; a summary may have 1 MiB."""


def installed(package: str) -> str:
    """The package with its version."""
    try:
        return f"{package} {version(package)}"
    except PackageNotFoundError:
        return f"no {package}"


def report(text: str) -> str:
    """What pytest printed as Markdown: its last line, then each failure, then errors of collection."""
    lines = text.rstrip().splitlines() or ["pytest printed nothing"]
    last = lines[-1].strip("= ")
    start = re.search(r"^=+ (?:ERRORS|FAILURES) =+$", text, re.M)
    end = re.search(r"^=+ (?:recordings|short test summary info) =+$", text, re.M)
    told = text[start.end() : end.start() if end else None].strip()[:LIMIT] if start else ""
    if not told:
        return last if re.search(r"\bpassed\b", last) else f"{last}\n\n{fenced(text[-LIMIT:])}"
    return f"{last}\n\n{fenced(told)}"


def fenced(text: str) -> str:
    """Text in a fence that it cannot close."""
    longest = max((len(run) for run in re.findall(r"`+", text)), default=0)
    mark = "`" * max(3, longest + 1)
    return f"{mark}text\n{text}\n{mark}"


def main() -> None:
    """Print the report."""
    sys.stdout.reconfigure(encoding="utf-8")  # type: ignore[union-attr]
    about = ", ".join([f"Python {platform.python_version()} on {platform.system()}", installed("torch")])
    print(f"## {about}\n\n{report(Path(sys.argv[1]).read_text(encoding='utf-8', errors='replace'))}")


if __name__ == "__main__":
    main()
