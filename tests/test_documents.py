"""The documents of the repository: what they name is there."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
DOCUMENTS = sorted(
    path.relative_to(ROOT).as_posix()
    for pattern in ("*.md", "src/*/*.md", ".github/**/*.md", ".github/**/*.yml")
    for path in ROOT.glob(pattern)
    if path.name != "CHANGELOG.md"  # what a version had may be gone
)
BASES = (".", "src", "src/samedevice", "src/simulated_gpu", "docs")
"""Folders that documents leave out where they name a file."""
MADE = {".cache", ".venv", "build", "site", "dist", "~", ""}
"""Folders that commands make, or that are not the repository's."""
EXAMPLES = {"snippets/x.py", "docs/errors/<slug>.md", "tests/recordings/<topic>/<page>.json"}
"""Paths that stand for any."""
ELSEWHERE = {"about/simulated.md", "tests/test_accelerator.py"}
"""Files of other projects."""
PATH = re.compile(r"[\w.~{},<>-]*(?:/[\w.~{},<>-]*)+|[\w-]+\.(?:py|yml|toml|cff|sh|css|js)")
"""What may be a path in a span of code."""


def tracked() -> set[str]:
    """All files of the repository and their folders."""
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, encoding="utf-8", check=True)
    files = [Path(line) for line in listed.stdout.splitlines()]
    return {path.as_posix() for file in files for path in (file, *file.parents)}


def named(text: str) -> set[str]:
    """The paths that a document's spans of code name; `x.{css,js}` are two."""
    words = {word for span in re.findall(r"`([^`\n]+)`", text) for word in span.split() if PATH.fullmatch(word)}
    return {word.replace(group, one) for word in words for group, one in _choices(word)}


def _choices(word: str) -> list[tuple[str, str]]:
    """The parts in braces, each with what it may be."""
    found = re.search(r"\{([\w,]+)\}", word)
    return [(found[0], one) for one in found[1].split(",")] if found else [("", "")]


def missing(paths: set[str], there: set[str], folder: str = ".") -> list[str]:
    """The paths below the repository's own folders, and the names of files, that are not there."""
    names = {Path(path).name for path in there}
    tops = {part.partition("/")[0] for base in BASES for part in _below(base, there)}
    found = []
    for path in sorted(paths - EXAMPLES - ELSEWHERE):
        top = path.partition("/")[0]
        if "/" not in path:
            found += [path] if path not in names else []
        elif top in tops - MADE:
            places = {_join(base, path) for base in (*BASES, folder)}
            found += [path] if not there & {place + end for place in places for end in ("", ".md")} else []
    return found


def _below(base: str, there: set[str]) -> list[str]:
    """The paths below a folder, relative to it."""
    return [path.removeprefix(f"{base}/") for path in there if base == "." or path.startswith(f"{base}/")]


def _join(base: str, path: str) -> str:
    return (Path(base) / path.rstrip("/")).as_posix()


@pytest.mark.parametrize("document", DOCUMENTS)
def test_every_path_that_a_document_names_is_there(document: str) -> None:
    """A reader who follows it must find something: SECURITY.md named a module that had been renamed."""
    text = (ROOT / document).read_text(encoding="utf-8")
    assert missing(named(text), tracked(), Path(document).parent.as_posix()) == []


@pytest.mark.parametrize("document", DOCUMENTS)
def test_every_relative_link_of_a_document_leads_somewhere(document: str) -> None:
    """GitHub shows these files, and checks nothing."""
    text = (ROOT / document).read_text(encoding="utf-8")
    prose = re.sub(r"(`+)(?!`).*?\1|^```.*?^```|^ {4}[^\n]*", "", text, flags=re.S | re.M)
    links = {link.partition("#")[0] for link in re.findall(r"\]\(([^)\s]+)\)", prose) if "://" not in link}
    assert [link for link in links if link and not ((ROOT / document).parent / link).exists()] == []


@pytest.mark.parametrize(
    ("text", "gone"),
    [
        ("`running/gone.py` runs", ["running/gone.py"]),
        ("`python tools/trust/gone.py --all`", ["tools/trust/gone.py"]),
        ("`docs/assets/samedevice.{css,gone}`", ["docs/assets/samedevice.gone"]),
        ("`gone.py`", ["gone.py"]),
        ("`tests/gone`", ["tests/gone"]),
        ("`running/worker.py`, `worker.py`, `outputs/`, `.cache/x`, `gpu/...`, `a / b`, `about/how-it-works`", []),
    ],
)
def test_a_path_that_is_gone_is_noticed(text: str, gone: list[str]) -> None:
    """In each of the ways in which documents name files."""
    assert missing(named(text), tracked()) == gone
