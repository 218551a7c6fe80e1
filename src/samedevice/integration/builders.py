"""builders: which tools build a project's documentation: what its own files run or install, else what is installed."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from samedevice.integration.project_file import entries

FILES = (
    "*akefile",
    "[Tt]askfile.y*ml",
    "justfile",
    "tox.ini",
    "noxfile.py",
    "duties.py",
    "package.json",
    ".readthedocs.y*ml",
    ".gitlab-ci.yml",
    ".github/workflows/*.y*ml",
    "scripts/*",
    "hatch.toml",
    "pyproject.toml",
    "requirements*.txt",
    "requirements/*.txt",
    "docs/requirements*.txt",
)
"""The files that say how a project is built, by their places below its root."""
RUNS = re.compile(r"\b(?P<name>mkdocs|zensical|properdocs)[\"', ]+(?:build|serve|gh-deploy)\b")
"""A command that builds."""
INSTALLS = re.compile(
    r"(?:^|[\"'\s])(?P<name>mkdocs|zensical|properdocs)(?:-material)?(?=[\"'\s=<>~!,\[]|$)(?!\s*:)", re.M
)
"""A package among others."""
NAMED = {
    "pyproject.toml": re.compile(
        r"^\[(?:project|tool\.poetry)\]\n(?:(?!\[).*\n)*?name\s*=\s*[\"'](?P<name>[\w.-]+)", re.M
    ),
    "setup.cfg": re.compile(r"^name\s*=\s*(?P<name>[\w.-]+)", re.M),
    "setup.py": re.compile(r"\bname\s*=\s*[\"'](?P<name>[\w.-]+)[\"']"),
}
"""The files that say what a project is called, and where they do."""
LARGEST = 500_000
"""Bytes of a file that is read."""


def builders(root: Path, project: Mapping[str, Any]) -> dict[str, str]:
    """The tools that build the project in `root`, each with what says so; `project` is what its mkdocs.yml says."""
    names = [name for name, _ in entries(project.get("markdown_extensions"))]
    own = next((name for name in names if name.startswith("zensical.")), "")
    if own:
        return {"zensical": f"the extension {own}"}
    texts = dict(_texts(root))
    for pattern in (RUNS, INSTALLS):
        found = {one["name"]: name for name, text in reversed(texts.items()) for one in pattern.finditer(text)}
        if found:
            return dict(sorted(found.items()))
    return {next((name for name in ("mkdocs", "properdocs") if find_spec(name)), "zensical"): "what is installed"}


def documented(root: Path) -> str:
    """The package that the project in `root` is, if one of the name that its files say is installed; else empty."""
    for name, pattern in NAMED.items():
        path = root / name
        found = pattern.search(path.read_text(encoding="utf-8", errors="replace")) if path.is_file() else None
        if found:
            with suppress(PackageNotFoundError):
                version(found["name"])
                return found["name"]
    return ""


def _texts(root: Path) -> Iterator[tuple[str, str]]:
    """The texts of these files, by their places."""
    for path in (path for pattern in FILES for path in sorted(root.glob(pattern))):
        if path.is_file() and path.stat().st_size <= LARGEST:
            yield path.relative_to(root).as_posix(), path.read_text(encoding="utf-8", errors="replace")
