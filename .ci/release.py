"""Checks what must hold before a package of this repository is released, and prints what its changelog says.

Usage: python .ci/release.py samedevice|simulated_gpu [TAG]. With TAG, the version must be that of the tag. Without it,
there must be no such tag, and the work tree must be clean. Prints what does not hold, and then exits with 1.
"""

from __future__ import annotations

import datetime
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[1]
HEADING = re.compile(r"^## (\S+), (\S+)$", re.M)
"""A version and its day in a changelog."""


@dataclass(frozen=True)
class Package:
    """What is released by itself."""

    name: str
    """As it is imported."""
    project: Path
    """Its pyproject.toml, below the repository's root."""
    tags: str
    """What begins its tags."""

    @property
    def source(self) -> Path:
        """The folder of its modules."""
        return Path("src") / self.name


PACKAGES = {
    "samedevice": Package("samedevice", Path("pyproject.toml"), "v"),
    "simulated_gpu": Package("simulated_gpu", Path("src/simulated_gpu/pyproject.toml"), "simulated-gpu-v"),
}


def version(root: Path, package: Package) -> str:
    """The version that a package says it has; empty if it says none."""
    text = (root / package.source / "__init__.py").read_text(encoding="utf-8")
    found = re.search(r'^__version__ = "(\d+\.\d+\.\d+)"$', text, re.M)
    return found[1] if found else ""


def notes(text: str, number: str) -> str:
    """What a changelog says of a version; empty if it says nothing."""
    parts = HEADING.split(text)
    return next((body.strip() for one, body in zip(parts[1::3], parts[3::3], strict=True) if one == number), "")


def faults(root: Path, package: Package, today: datetime.date) -> Iterator[str]:
    """What its files say that must not be so in a release."""
    number = version(root, package)
    if not number:
        yield f"{package.source}/__init__.py: no version of three numbers"
    logs = [package.source / "CHANGELOG.md"] + [Path("CHANGELOG.md")] * (package.name == "samedevice")
    days = set()
    for path in logs:
        text = (root / path).read_text(encoding="utf-8")
        first = HEADING.search(text)
        if re.search(r"^## .*unreleased", text, re.M | re.I):
            yield f"{path}: something is still unreleased"
        if first is None or first[1] != number:
            yield f"{path}: the first version is not {number}"
            continue
        days.add(first[2])
        try:
            if datetime.date.fromisoformat(first[2]) > today:
                yield f"{path}: {first[2]} is still to come"
        except ValueError:
            yield f"{path}: {first[2]} is no day"
        if not notes(text, number):
            yield f"{path}: nothing is said of {number}"
    if len(days) > 1:
        yield f"the changelogs name several days: {', '.join(sorted(days))}"
    yield from _pythons(root, package)
    if package.name == "samedevice":
        yield from _citation(root, number, days)


def _pythons(root: Path, package: Package) -> Iterator[str]:
    """The versions of Python that are promised are those that CI tries."""
    said = tomllib.loads((root / package.project).read_text(encoding="utf-8"))["project"]
    promised = re.findall(r"Python :: (3\.\d+)", "\n".join(said["classifiers"]))
    if said["requires-python"] != f">={promised[0]}":
        yield f"{package.project}: requires-python is {said['requires-python']}, the oldest that is named {promised[0]}"
    tried = re.findall(r"python: \[(.*)\]", (root / ".github/workflows/ci.yml").read_text(encoding="utf-8"))
    for one in tried:
        if re.findall(r"3\.\d+", one) != promised:
            yield f".github/workflows/ci.yml: tries Python {one}, and {package.project} names {', '.join(promised)}"


def _citation(root: Path, number: str, days: set[str]) -> Iterator[str]:
    said = (root / "CITATION.cff").read_text(encoding="utf-8")
    for name, values in (("version", {number}), ("date-released", days)):
        found = re.search(rf'^{name}: "?([^"\n]+)"?$', said, re.M)
        if found is None or found[1] not in values:
            yield f"CITATION.cff: {name} is not {' or '.join(values)}"


def state(root: Path, package: Package, tag: str) -> Iterator[str]:
    """What is wrong with the commit: its tag, or what is not committed."""
    wanted = package.tags + version(root, package)
    if tag and tag != wanted:
        yield f"the tag is {tag}, and the version wants {wanted}"
    if not tag and _git(root, "tag", "--list", wanted):
        yield f"the tag {wanted} is there already: raise the version"
    if not tag and (changed := _git(root, "status", "--porcelain")):
        yield f"not committed:\n{changed}"


def _git(root: Path, *command: str) -> str:
    done = subprocess.run(["git", *command], cwd=root, capture_output=True, encoding="utf-8", check=True)
    return done.stdout.rstrip()


def main() -> int:
    """Check, and print what a release says."""
    sys.stdout.reconfigure(encoding="utf-8")  # type: ignore[union-attr]
    package, tag = PACKAGES[sys.argv[1]], sys.argv[2] if len(sys.argv) > 2 else ""
    today = datetime.datetime.now(datetime.UTC).date()
    found = [*faults(ROOT, package, today), *state(ROOT, package, tag)]
    for fault in found:
        print(fault, file=sys.stderr)
    if not found:
        text = (ROOT / package.source / "CHANGELOG.md").read_text(encoding="utf-8")
        print(notes(text, version(ROOT, package)))
    return int(bool(found))


if __name__ == "__main__":
    sys.exit(main())
