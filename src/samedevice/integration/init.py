"""init: what `samedevice init` does in a project: it says what it will do, lists the plugin, records, and sums up."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from samedevice.devices import present_devices
from samedevice.errors import PageError
from samedevice.integration.plugin_entry import with_entries
from samedevice.integration.project_file import (
    OTHER_TOML,
    PLUGIN,
    ProjectError,
    asks,
    entries,
    named,
    read,
    settings_of,
    weaves,
)
from samedevice.integration.summary import Failed, by_kind, failed
from samedevice.outputs.checks import fault, unexpected
from samedevice.outputs.comparison import difference
from samedevice.outputs.environments import Run
from samedevice.outputs.output import VARIES, Output
from samedevice.outputs.record import UNCHANGED
from samedevice.page_runs import PageRuns
from samedevice.pages import conventions
from samedevice.pages.conventions import what_it_starts
from samedevice.pages.options import PYTHON, RUN, TRANSCRIPTS
from samedevice.pages.page import Block, Page
from samedevice.pages.parsing import parse_page
from samedevice.pages.percent import page_files
from samedevice.project import CACHE, DEFAULTS, Settings

Selected = Sequence[tuple[Page, str]]
"""Pages with code, each on each device of this machine."""
Progress = Callable[[str], None]
"""What is told how far it has come."""
NAMED = {
    "pyproject.toml": re.compile(
        r"^\[(?:project|tool\.poetry)\]\n(?:(?!\[).*\n)*?name\s*=\s*[\"'](?P<name>[\w.-]+)", re.M
    ),
    "setup.cfg": re.compile(r"^name\s*=\s*(?P<name>[\w.-]+)", re.M),
    "setup.py": re.compile(r"\bname\s*=\s*[\"'](?P<name>[\w.-]+)[\"']"),
}
"""The files that say what a project is called, and where they do."""


def init(root: Path, dry: bool = False, progress: Progress = lambda text: None) -> Iterator[str]:
    """Begin in the project in `root`; yield what to tell. If it is `dry`, only say what would be done.

    Raises SameDeviceError. Nothing is written before all pages have run.
    """
    project = _Project(root)
    yield from project.plan()
    if dry:
        yield "nothing was run or written; leave out --dry-run to do so"
        return
    ran = project.run(progress)
    says, others = _says(project.selected, ran)
    few = 2 * len(others) >= len(says)  # most are something else than outputs, or there are none
    if project.new:
        project.settle(expect="recorded" if few else "following")
        says, others = ([], []) if few else (says, others)
    project.write()
    yield from _sum_up(root, project.selected, ran)
    if says:
        yield f"{len(says)} blocks say themselves what they print, and pytest compares with that"
    if others:
        told = f"pytest fails until they say so, which --{project.settings.flags.strip('-')}-record writes there"
        yield f"{len(others)} of them print something else, first {others[0]}; {told}"
    yield from project.rest()


class _Project:
    """The project in `root`, whose mkdocs.yml is to list the plugin. Raises SameDeviceError."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.path, self.project = named(root), read(root)
        self.settings, self.tool = settings_of(self.project, root), _tool(self.project)
        self.new = not asks(self.project)
        """Whether the plugin is listed now."""
        self.refused: list[PageError] = []
        self.pages: list[Page] = []
        self.own: dict[str, Any] = {}
        """What the plugin's entry will say."""
        if self._lacks_extension and (root / "zensical.toml").is_file():
            raise ProjectError(OTHER_TOML)
        if self.new:
            self.refused = list(_refused(root, self.settings))
            leave = [Path(error.path).relative_to(self.settings.docs).as_posix() for error in self.refused]
            self.settings = replace(self.settings, expect="following")  # tried, and said only if they say something
            self.settle(leave=leave)
            torch = any("torch" in block.code for page in self.pages for block in page.blocks)
            library = "" if torch else _documented(root)
            self.settle(library=library, show=["origin", "details"] if library else list(DEFAULTS.show))
        self.pages = _pages(root, self.settings)
        self.files = [file.name for file in self._texts()]  # raises, before anything runs

    def settle(self, **said: Any) -> None:
        """Have settings say this."""
        plain: dict[str, Any] = {name: tuple(one) if isinstance(one, list) else one for name, one in said.items()}
        self.own |= {name: said[name] for name, one in plain.items() if one != getattr(DEFAULTS, name)}
        self.settings = replace(self.settings, **plain)
        self.pages = _pages(self.root, self.settings)

    @property
    def selected(self) -> Selected:
        """The pages with code, each on each device of this machine."""
        return [
            (page, device) for page in self.pages for device in present_devices(self.settings.library) if page.blocks
        ]

    @property
    def _lacks_extension(self) -> bool:
        return self.tool == "zensical" and not weaves(self.project)

    @property
    def _keys(self) -> dict[str, dict[str, Any]]:
        """What is added, below which keys of mkdocs.yml."""
        keys: dict[str, dict[str, Any]] = {"plugins": self.own} if self.new else {}
        return keys | ({"markdown_extensions": {}} if self._lacks_extension else {})

    def _texts(self) -> dict[Path, str]:
        return with_entries(self.path, self.project, self._keys)

    def write(self) -> None:
        """Write the files that list the plugin now."""
        for file, text in self._texts().items():
            file.write_bytes(text.encode())

    def plan(self) -> Iterator[str]:
        """What will be run, what will not, and where it writes."""
        blocks = [one for page in self.pages for one in page.blocks if one.kind != "shown" and not one.of_project]
        where = f"{sum(1 for page in self.pages if page.blocks)} of {len(self.pages)} pages"
        limit = f"each block at most {self.settings.time_limit:g} s"
        yield f"runs {len(blocks)} blocks on {where} twice, {limit}, with your rights"
        left = [f"{count} {why}" for why, count in _left(self.pages).most_common()]
        if left:
            yield f"leaves as they are: {', '.join(left)}"
        if any(block.options.skips_main for block in blocks):
            yield 'leaves out what is below `if __name__ == "__main__":`, but where a fence has the word `run`'
        files = " and ".join(self.files)
        yield f"writes {', '.join(filter(None, (files, self.settings.recordings, CACHE.as_posix())))} in {self.root}"
        if files:
            yield f"adds {PLUGIN} to {' and '.join(self._keys)} in {files}"
        else:
            yield f"{self.path.name} lists {PLUGIN} already"

    def run(self, progress: Progress) -> list[Run]:
        """Run the pages twice, and tell how far it has come. Raises SameDeviceError."""
        first = _run(PageRuns(self.root), self.selected, progress, "first run")
        # another fork server: what it has imported, NumPy, may hold a state of random numbers
        pairs = list(zip(self.selected, first, strict=True))
        ends = {  # a block that hangs is not waited for twice
            (page.path, device): {index: one for index, one in enumerate(run.outputs) if one and one.ended}
            for (page, device), run in pairs
        }
        runs = PageRuns(self.root, preload=self.settings.preload, ends=ends)
        return list(map(_same, self.selected, first, _run(runs, self.selected, progress, "second run")))

    def rest(self) -> Iterator[str]:
        """What else to tell."""
        if self.refused:
            yield f"left as they are, {len(self.refused)} pages, listed below `leave`, first {self.refused[0]}"
        needs = f", which needs the line watch: [{self.settings.recordings}] in {self.path.name}"
        watch = needs if self.tool == "zensical" else ""
        changed = [*self.files, self.settings.recordings]
        yield f"look: python -m {self.tool} serve{watch}; then commit {' and '.join(changed)}"


def _tool(project: Mapping[str, Any]) -> str:
    """The tool that builds the project: Zensical, if it uses its extensions, or if that is installed at all.

    mkdocstrings installs MkDocs beside Zensical; and what Zensical needs is of no harm to MkDocs.
    """
    uses = any(name.startswith("zensical.") for name, _ in entries(project.get("markdown_extensions")))
    if uses or find_spec("zensical"):
        return "zensical"
    return next((name for name in ("mkdocs", "properdocs") if find_spec(name)), "mkdocs")


def _documented(root: Path) -> str:
    """The package that the project in `root` is, if one of the name that its files say is installed; else empty."""
    for name, pattern in NAMED.items():
        path = root / name
        found = pattern.search(path.read_text(encoding="utf-8", errors="replace")) if path.is_file() else None
        if found:
            with suppress(PackageNotFoundError):
                version(found["name"])
                return found["name"]
    return ""


def _says(selected: Selected, ran: Sequence[Run]) -> tuple[list[Block], list[Block]]:
    """The blocks whose page says what they print, and those of them that print something else."""
    found = [one for one in _outputs(selected, ran) if one[0].expected and not one[2].died]
    pages = {page.path: page for page, _ in selected}
    found = [one for one in found if not fault(*one)]
    return [one[0] for one in found], [one[0] for one in found if unexpected(pages[one[0].page], *one)]


def _refused(root: Path, settings: Settings) -> Iterator[PageError]:
    """What is wrong with the pages that cannot be read."""
    for path in page_files(root, settings):
        try:
            parse_page(path, root, settings=settings)
        except PageError as error:
            yield error


def _pages(root: Path, settings: Settings) -> list[Page]:
    return [parse_page(one, root, settings=settings) for one in page_files(root, settings)]


def _run(runs: PageRuns, selected: Selected, progress: Progress, what: str) -> list[Run]:
    """Run the pages, and tell how far it has come. Raises SameDeviceError."""
    found = list[Run]()
    try:
        runs.start((page, device, None) for page, device in selected)
        for page, device in selected:
            progress(f"{what}: {len(found)} of {len(selected)} pages, now {page.path}")
            found.append(runs.result(page, device))
        return found
    finally:
        runs.close()


def _same(chosen: tuple[Page, str], first: Run, second: Run) -> Run:
    """The first of two runs; where a block printed something else the second time, its output says so."""
    page, device = chosen
    pairs = zip(page.blocks, first.outputs, second.outputs, strict=True)
    return replace(first, outputs=tuple(_the_same(device, *three) for three in pairs))


def _the_same(device: str, block: Block, one: Output | None, other: Output | None) -> Output | None:
    """What a block printed in two runs; if that is not the same, an output that says so, unless it failed in both."""
    if not one or not other or (fault(block, device, one) and fault(block, device, other)):
        return one
    return Output(died=VARIES) if difference(one, other, block.options.numbers_vary) else one


def _sum_up(root: Path, selected: Selected, ran: Sequence[Run]) -> Iterator[str]:
    """Record the runs; yield how many blocks print, fail, or print something else each time."""
    runs = PageRuns(root)
    said = [runs.write(page, device, run, into_page=False) for (page, device), run in zip(selected, ran, strict=True)]
    yield from (line for line in said if line.startswith("not recorded"))
    outputs = list(_outputs(selected, ran))
    wrong = list(failed(outputs))
    shown = sum(bool(output.shown or output.figures) for _, _, output in outputs)
    shown -= sum(bool(output.shown or output.figures) for _, _, output in wrong)
    varies = [block for block, _, output in outputs if output.died == VARIES]
    unchanged = sum(line.startswith(UNCHANGED) for line in said)
    known = f", {unchanged} of them as they were" if unchanged else ""
    yield f"recorded {len(said)} pages{known}: {len(outputs)} blocks, {shown} with an output, {len(wrong)} failed"
    if wrong:
        yield "of those that failed, which show no output:"
        yield from (f"  {line}" for line in by_kind(wrong))
    if varies:
        yield f"{len(varies)} show no output, since they print something else each time, first {varies[0]}"


def _outputs(selected: Selected, ran: Iterable[Run]) -> Iterator[Failed]:
    """The blocks with what they did."""
    for (page, device), run in zip(selected, ran, strict=True):
        for block, output in zip(page.blocks, run.outputs, strict=True):
            if output is not None and not (block.of_project and not output.died and not output.raised):
                yield block, device, output


def _left(pages: Iterable[Page]) -> Counter[str]:
    """How many blocks of Python are not run, by the reason."""
    found: Counter[str] = Counter()
    for page in pages:
        taken = {block.fence.start for block in page.blocks}
        for fence in page.fences:
            language = re.search(r"[\w#+-]+", fence.info)
            if fence.start not in taken and language and language[0].lower() in (*PYTHON, *TRANSCRIPTS):
                custom = "custom_fences" if language[0] in page.settings.custom else ""
                why = custom or conventions.why_left(
                    fence.info, page.text[: fence.start], fence.body, page.settings.macros
                )
                started = what_it_starts(fence.body)
                started = started and f"that start {started}"
                found[f"by `{why}`" if why else started or f"without `{RUN}` or `>>>`"] += 1
        found.update(f'by `{RUN}="no"`' for block in page.blocks if block.kind == "shown")
    return found
