"""Run the pages of other projects as their authors would, and as the tools do that test them there.

The pages of a project of the first three get a mkdocs.yml with `plugins: [samedevice]`, and nothing else.
pytest records them; a block that fails is an expected failure. A second run says how many blocks print the same again,
and a build which pages it refuses. At last the tool that the project uses, or the nearest, tests the same pages.

NAME=FOLDER takes the checkout in a folder; otherwise git fetches the source. What was found goes to results.json and to
the page about/your-own-docs. The other projects are built as they build themselves, see own_build. Takes some minutes
once the projects are installed.
"""

from __future__ import annotations

import argparse
import re
import shutil
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

import results
from own_build import prove_build
from pages_run import call, run_tests
from projects import BUILT, DOCS, PROJECTS, Project, environment, make_project, source

from same_device_site.settings import parse_page
from samedevice.errors import PageError
from samedevice.integration.project_file import read, settings_of
from samedevice.pages.page import Block
from samedevice.project import MARKDOWN

PAGES = ("--continue-on-collection-errors", DOCS)
"""What runs all pages that can be read, and compares."""
RECORD = ("--samedevice-record", *PAGES)
FAULT = re.compile(r"(?P<path>\S+\.md):(?P<line>\d+) (?:on cpu )?(?P<what>raised \w+|draws a figure|[^;:,\n]+)")
"""How the message on a block that failed begins."""
REFUSED = re.compile(rf"ERROR +- +({DOCS}/\S+\.md:\d+: .*)")
"""How a build refuses a page."""
Fault = tuple[str, int, str]
"""Path and line of a block that failed, and why."""


def fault(message: str) -> Fault:
    """What a message of pytest says of a block. Raises SystemExit for one that is of no block."""
    found = FAULT.match(message)
    if found is None:
        raise SystemExit(f"this failure is not that of a block:\n{message}")
    return found["path"], int(found["line"]), found["what"]


def reasons(faults: list[Fault]) -> dict[str, int]:
    """How many blocks failed for each reason, the most frequent first."""
    return dict(Counter(why for _, _, why in faults).most_common())


def read_pages(folder: Path) -> tuple[int, list[Block], list[str]]:
    """How many pages the engine reads in a folder, their blocks, and why others are refused."""
    settings = settings_of(read(folder), folder)
    paths = [path for path in settings.page_paths(folder) if path.suffix == MARKDOWN]
    blocks, refused = list[Block](), list[str]()
    for path in paths:
        try:
            blocks += parse_page(path, folder, settings=settings).blocks
        except PageError as error:
            refused.append(str(error))
    return len(paths) - len(refused), blocks, refused


def ours(folder: Path, python: Path) -> dict[str, Any]:
    """What this engine finds in a folder with the pages of a project."""
    pages, blocks, refused = read_pages(folder)
    skipped = Counter(block.options.reason for block in blocks if block.options.reason)
    first = run_tests(RECORD, folder, python)
    failed = reasons([fault(message) for message in first.failed])
    again = run_tests(PAGES, folder, python)
    said, status = call([python, "-m", "mkdocs", "build", "-q"], folder)
    if status:
        raise SystemExit(f"the build of {folder} failed:\n{said[-3000:]}")
    return {
        "pages": pages,
        "refused": refused,
        "refused by the build": [line for line in REFUSED.findall(said) if line not in "\n".join(refused)],
        "blocks": len(blocks),
        "skipped": dict(skipped.most_common()),
        "passed": first.passed,
        "failed": failed,
        "left out": failed,
        "recorded": first.passed,
        "the same again": again.passed,
        "seconds": first.seconds,
        "cpu": first.cpu,
    }


def theirs(project: Project, checkout: Path, folder: Path, python: Path) -> dict[str, Any]:
    """What the tool of the project finds, or the nearest, in a copy of its checkout."""
    shutil.copytree(checkout, folder, symlinks=True, ignore=shutil.ignore_patterns(".git"))
    if project.conftest:
        (folder / "conftest.py").write_text(project.conftest, encoding="utf-8")
    found = run_tests(project.tests, folder, python)
    version = f"import importlib.metadata; print(importlib.metadata.version({project.tool!r}))"
    return {
        "tool": f"{project.tool} {call([python, '-c', version], folder)[0].strip()}",
        "passed": found.passed,
        "skipped": found.skipped,
        "failed": len(found.failed),
        "seconds": found.seconds,
        "cpu": found.cpu,
    }


def prove(project: Project, given: str) -> dict[str, Any]:
    """All that is found of a project."""
    checkout = source(project, given)
    python = environment(project, checkout)
    with tempfile.TemporaryDirectory(prefix="samedevice-prove-") as place:
        if project in BUILT:
            return prove_build(project, checkout, Path(place), python)
        make_project(project, checkout, Path(place) / "ours")
        found = ours(Path(place) / "ours", python)
        found["their tool"] = theirs(project, checkout, Path(place) / "theirs", python)
    return {"address": project.address, "commit": project.commit, "release": project.release} | found


def main() -> None:
    """Run, print and keep."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    names = {project.name: project for project in (*PROJECTS, *BUILT)}
    parser.add_argument("projects", nargs="*", metavar="NAME[=FOLDER]", help=f"{', '.join(names)} (default: all)")
    parser.add_argument("--quick", action="store_true", help="print only; nothing is written")
    options = parser.parse_args()
    given = dict(one.partition("=")[::2] for one in options.projects or names)
    unknown = sorted(set(given) - set(names))
    if unknown:
        parser.error(f"{unknown[0]} is no project; choose from {', '.join(names)}")
    for name, folder in given.items():
        found = prove(names[name], folder)
        results.print_project(name, found)
        if not options.quick:
            results.save(f"{results.BUILT if names[name] in BUILT else results.PROJECT}{name}", found, [])
    if not options.quick:
        results.write_projects()


if __name__ == "__main__":
    main()
