"""own_build: the documentation of other projects built as they build it, with and without this engine.

Their own mkdocs.yml, plugins and hooks; only inventories that mkdocstrings would fetch are left out of both builds. The
strict build comes first as it is, with two orders of Python's sets, which says what differs without us. Then comes
`samedevice init`, then the strict build twice. The builds must warn of the same, and the pages must be the same but for
what this engine puts there.
"""

from __future__ import annotations

import itertools
import json
import re
import shutil
import statistics
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

from measure import children
from pages_run import Tests, call, run_tests
from projects import DOCS, Project

from samedevice.integration.project_file import read, settings_of
from samedevice.pages.page import Page
from samedevice.pages.parsing import parse_page
from samedevice.pages.percent import page_files
from samedevice.project import MARKDOWN

FETCHED = re.compile(r"^(( *)(?:import|inventories):)\n(?:\2 *- [^\n]*https?:[^\n]*\n(?:\2 +domains:[^\n]*\n)?)+", re.M)
"""Inventories of mkdocstrings in a mkdocs.yml."""
FETCHED_TOML = re.compile(r"^inventories = \[\n.*?^\]\n", re.M | re.S)
"""The same in a zensical.toml."""
WARNING = re.compile(r"WARNING|ERROR|\x1b\[33mWarning")
"""How a line begins that warns."""
CHANGES = re.compile(r"Build Date UTC[^\n]*|0x[0-9a-f]{8,}")
"""What is another text in each build of the same page."""
CODE = re.compile(r'(?:<div[^>]*>(?:<span class="filename">.*?</span>)?)?(?P<pre><pre\b.*?</pre>)', re.S)
"""Code on a page, with the element that it is in and its title."""
SCRIPT = re.compile(r"<script\b.*?</script>", re.S)
"""A program, which may hold what looks like code on a page."""
OWN = re.compile(r'data-block="|class="sd-text"|__(?:span|codelineno)-b-')
"""What marks our own code and outputs."""
LEFT = re.compile(r"^  (?P<count>\d+) (?P<why>[^,\n]+), first ", re.M)
"""How `samedevice init` counts the blocks that fail, by kind."""
COLLECTED = re.compile(r"^(?P<path>[^:]+\.md)::.*\[line:(?P<line>\d+)\]$", re.M)
"""How pytest-markdown-docs names a fence that it reads."""
PLAIN = ("--noconftest", "-o", "addopts=", "-o", "filterwarnings=")
"""What has pytest run pages, whatever a project says for its own tests."""
ROUNDS, LONG = 5, 10.0
"""How often tools run in turn for the median of their processor time; once, where it is longer, in seconds."""
VOID = frozenset("area base br col embed hr img input link meta source track wbr".split())
"""Elements without an end."""


class OtherText(HTMLParser):
    """The text of a page without what this engine puts there."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.open: list[tuple[str, bool]] = []
        self.found: list[str] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in VOID:
            ours = (dict(attrs).get("class") or "").startswith("sd-") or tag in ("script", "style")
            self.open.append((tag, ours))

    def handle_endtag(self, tag: str) -> None:
        while self.open and self.open.pop()[0] != tag:
            continue

    def handle_data(self, data: str) -> None:
        if not any(ours for _, ours in self.open):
            self.found += data.split()


def difference(before: Path, after: Path) -> list[str]:
    """The files of two builds of a site that are not the same, but for outputs, style and scripts of this engine."""
    one, other = (
        {path.relative_to(site): path for path in site.rglob("*") if path.is_file()} for site in (before, after)
    )
    found = [str(name) for name in one.keys() ^ other.keys() if not str(name).startswith("assets/samedevice/")]
    for name in one.keys() & other.keys():
        if name.suffix == ".html":
            texts = [CHANGES.sub("", path.read_text(encoding="utf-8")) for path in (one[name], other[name])]
            words = ["".join(OtherText(text).found) for text in texts]
            same = texts[0] == texts[1] or (words[0] == words[1] and not other_code(*texts))
        else:  # the search knows the outputs, too
            same = name.name in ("search_index.json", "search.json") or one[name].suffix == ".gz"
            same = same or one[name].is_dir() or one[name].read_bytes() == other[name].read_bytes()
        found += [] if same else [str(name)]
    return sorted(found)


def other_code(before: str, after: str) -> Counter[str]:
    """The code on a page that is neither ours nor marked up as it was before."""
    after = SCRIPT.sub("", after)
    codes = (found["pre"] for found in CODE.finditer(after) if not OWN.search(found[0]))
    return Counter(codes) - Counter(found["pre"] for found in CODE.finditer(before))


def build(folder: Path, site: Path, python: Path, builder: str = "mkdocs", seed: str = "0") -> tuple[int, list[str]]:
    """Build a project's site strictly; its status and its warnings. `seed` decides the order of Python's sets."""
    arguments = ["-d", site] if builder == "mkdocs" else []
    said, status = call([python, "-m", builder, "build", "--strict", *arguments], folder, seed)
    if builder != "mkdocs":
        shutil.move(folder / "site", site)
    return status, sorted(line for line in said.splitlines() if WARNING.match(line))


def copy(checkout: Path, folder: Path) -> None:
    """Copy a checkout, without inventories that the network has."""
    shutil.copytree(checkout, folder, symlinks=True)
    for path in (*folder.glob("mkdocs*.y*ml"), *folder.glob("zensical.toml")):
        text = FETCHED.sub(r"\1 []\n", path.read_text(encoding="utf-8"))
        path.write_text(FETCHED_TOML.sub("", text), encoding="utf-8")


def keep_shared(folder: Path, python: Path, tests: tuple[str, ...]) -> int:
    """Make text of the fences that we run and the other tool does not read; return how many are left."""
    command = [python, "-m", "pytest", "-q", "--collect-only", "-p", "no:cacheprovider", *PLAIN, *tests]
    theirs = {(found["path"], int(found["line"])) for found in COLLECTED.finditer(call(command, folder)[0])}
    left = 0
    for page in pages_of(folder):
        path = folder / page.path
        lines = path.read_bytes().decode().splitlines(keepends=True)
        for block in page.blocks:
            shared = (page.path, block.line) in theirs
            lines[block.line - 1] = lines[block.line - 1].replace(
                block.fence.info, block.fence.info if shared else "text"
            )
            left += shared
        path.write_bytes("".join(lines).encode())
    return left


def pages_of(folder: Path) -> Iterator[Page]:
    """The pages of a project, notebooks aside."""
    settings = settings_of(read(folder), folder)
    for path in (path for path in page_files(folder, settings) if path.suffix == MARKDOWN):
        yield parse_page(path, folder, settings=settings)


def code_alone(folder: Path, python: Path, *options: str) -> dict[str, Any]:
    """What the code of a project's pages takes by itself, as `alone.py` runs it, and how many blocks pass."""
    file, taken = folder / "alone.json", list[float]()
    pages = [[(block.kind, block.code) for block in page.blocks] for page in pages_of(folder)]
    while len(taken) < ROUNDS and max(taken, default=0) < LONG:
        file.write_text(json.dumps(pages), encoding="utf-8")
        before = children()
        call([python, Path(__file__).with_name("alone.py"), file, *options], folder)
        taken.append(children() - before)
    return {"passed": int(file.read_text(encoding="utf-8")), "cpu": round(statistics.median(taken), 2)}


def tests_in_turn(ways: Sequence[tuple[str, ...]], folder: Path, python: Path) -> list[Tests]:
    """What pytest finds in each of these ways, with the median of its processor time over several rounds."""
    rounds = list[list[Tests]]()
    while len(rounds) < ROUNDS and max((one.cpu for row in rounds for one in row), default=0) < LONG:
        rounds.append([run_tests((*PLAIN, *arguments), folder, python) for arguments in ways])
    return [
        replace(way[-1], cpu=round(statistics.median(one.cpu for one in way), 2)) for way in zip(*rounds, strict=True)
    ]


def shared_fences(project: Project, made: Path, python: Path) -> dict[str, Any]:
    """What both tools take for the fences that both read, and what the code takes by itself; empty without any."""
    blocks = keep_shared(made, python, project.tests)
    if not blocks:
        return {}
    call([python, "-m", "samedevice", "init"], made)  # it records again
    ours, theirs = tests_in_turn(((DOCS,), project.tests), made, python)
    alone, fresh = (code_alone(made, python, *options) for options in ((), ("--fresh",)))
    found = {"blocks": blocks, "passed": ours.passed, "cpu": ours.cpu, "code alone": alone["cpu"]}
    other = {"passed": theirs.passed, "cpu": theirs.cpu, "code alone": fresh["cpu"]}
    return {"the fences of both": found | {f"with {project.tool}": other}}


def prove_build(project: Project, checkout: Path, folder: Path, python: Path) -> dict[str, Any]:
    """What comes of building a copy of a checkout."""
    made, sites = folder / "made", [folder / name for name in ("alone", "before", "after", "again")]
    copy(checkout, made)
    builds = [build(made, site, python, project.builder, seed) for site, seed in zip(sites[:2], "10", strict=True)]
    for name, text in project.lines:
        with (made / name).open("a", encoding="utf-8") as file:
            file.write(text)
    said, status = call([python, "-m", "samedevice", "init"], made)
    builds += [build(made, site, python, project.builder) for site in sites[2:]]
    ours, theirs = tests_in_turn(((DOCS,), project.tests), made, python)
    alone = code_alone(made, python)
    pages = [difference(*pair) for pair in itertools.pairwise(sites)]
    shared = shared_fences(project, made, python) if project.tool == "pytest-markdown-docs" else {}
    return {
        "address": project.address,
        "commit": project.commit,
        "init": status,
        "status": [status for status, _ in builds],
        "warnings": [len(warnings) for _, warnings in builds],
        "other warnings": sorted({*builds[2][1], *builds[3][1]} ^ {*builds[1][1]}),
        "other pages without us": pages[0],
        "other pages": pages[1:],
        "refused": sum(map(int, re.findall(r"^left as they are, (\d+) pages", said, re.M))),
        "passed": ours.passed,
        "failed": len(ours.failed),
        "without output": {one["why"]: int(one["count"]) for one in LEFT.finditer(said)},
        "cpu": ours.cpu,
        "code alone": alone["cpu"],
        f"with {project.tool}": {"passed": theirs.passed, "failed": len(theirs.failed), "cpu": theirs.cpu},
        **shared,
    }
