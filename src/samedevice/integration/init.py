"""init: what `samedevice init` does in a project: it lists the plugin, records, and says what it left out, and why."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from samedevice.devices import present_devices
from samedevice.errors import PageError
from samedevice.integration.project_file import (
    PLUGIN,
    ProjectError,
    asks,
    entries,
    named,
    read,
    read_text,
    settings_of,
)
from samedevice.outputs.checks import fault
from samedevice.outputs.comparison import difference
from samedevice.outputs.output import VARIES, Output
from samedevice.page_runs import PageRuns
from samedevice.pages import conventions
from samedevice.pages.options import PYTHON, RUN, TRANSCRIPT
from samedevice.pages.page import Block, Page
from samedevice.pages.parsing import parse_page
from samedevice.pages.percent import page_files
from samedevice.project import Settings

LISTED = re.compile(r"^plugins:(?P<rest>[^\r\n]*)(?:\r?\n|\Z)", re.M)
"""Where a mkdocs.yml begins its list of plugins."""
IN_LINE = re.compile(r"(?P<items>\s*\[.*[^\s,])[\s,]*(?P<end>\]\s*(?:#.*)?)")
"""A list in one line, which is not empty."""


def init(root: Path) -> Iterator[str]:
    """Begin in the project in `root`; yield what to tell. Raises SameDeviceError."""
    path, project = named(root), read(root)
    settings, refused = settings_of(project, root), list[PageError]()
    if asks(project):
        yield f"{path.name} lists {PLUGIN} already"
    else:
        refused = list(_refused(root, settings))
        leave = [Path(error.path).relative_to(settings.docs).as_posix() for error in refused]
        path.write_bytes(with_plugin(path.read_bytes().decode(), path, leave, "plugins" in project).encode())
        yield f"{path.name}: added {PLUGIN} to plugins"
        settings = settings_of(read(root), root)
    pages = [parse_page(one, root, settings=settings) for one in page_files(root, settings)]
    yield from _record(root, pages)
    for why, count in _left(pages).most_common():
        yield f"left as they are, {why}: {count} blocks"
    for error in refused:
        yield f"left as it is, a page that is listed below leave: {error}"
    yield f"look: python -m mkdocs serve; then commit {path.name} and {settings.recordings}"


def with_plugin(text: str, path: Path, leave: list[str], inherits_plugins: bool = False) -> str:
    """The text of a mkdocs.yml with the plugin at the end of its list, and nothing else changed.

    Raises ProjectError where that is not what YAML reads then.
    """
    before, options = read_text(text, path), f" {{leave: {json.dumps(leave)}}}" if leave else ""
    after = _added(text, options)
    advice = f"add this below plugins:, and run samedevice init again:\n\n  - {PLUGIN}{':' * bool(options)}{options}"
    if "plugins" not in before and inherits_plugins:
        raise ProjectError(f"{path.name} inherits its plugins; in the file that lists them {advice}")
    wanted = [*(entries(before.get("plugins")) or [("search", None)]), (PLUGIN, {"leave": leave} if leave else {})]
    try:
        found = read_text(after, path)
    except ProjectError:  # the list is written in a way that is not known here
        found = {}
    listed = [(name, given or {} if name == PLUGIN else given) for name, given in entries(found.get("plugins"))]
    if {**before, "plugins": wanted} != {**found, "plugins": listed}:
        raise ProjectError(f"{path.name} cannot be changed safely, so nothing was; {advice}")
    return after


def _added(text: str, options: str) -> str:
    """The text with one more plugin, if its list is written as lists mostly are."""
    end = "\r\n" if "\r\n" in text else "\n"
    entry = f"{PLUGIN}:{options}" if options else PLUGIN
    listed = LISTED.search(text)
    if listed is None:
        return f"{text.rstrip()}{end * 2}plugins:{end}  - search{end}  - {entry}{end}"
    in_line = IN_LINE.fullmatch(listed["rest"])
    if in_line:
        return f"{text[: listed.start('rest')]}{in_line['items']}, {entry}{in_line['end']}{text[listed.end('rest') :]}"
    first, last, at = "", listed.end(), listed.end()
    for line in text[at:].splitlines(keepends=True):
        at += len(line)
        if line.strip() and not line.lstrip().startswith("#"):
            if line[0] not in " \t-":
                break
            first, last = first or line, at
    indent = first[: len(first) - len(first.lstrip())]
    item = f"- {entry}" if first.lstrip().startswith("-") else f"{PLUGIN}:{options or ' {}'}"
    above = text[:last] if text[:last].endswith("\n") else text[:last] + end
    return f"{above}{indent}{item}{end}{text[last:]}"


def _refused(root: Path, settings: Settings) -> Iterator[PageError]:
    """What is wrong with the pages that cannot be read."""
    for path in page_files(root, settings):
        try:
            parse_page(path, root, settings=settings)
        except PageError as error:
            yield error


def _record(root: Path, pages: list[Page]) -> Iterator[str]:
    """Run the pages twice, and record them; yield what came of each, and what failed. Raises SameDeviceError."""
    runs, selected = PageRuns(root), [(page, device) for page in pages for device in present_devices() if page.blocks]
    try:
        runs.start((page, device, None) for page, device in selected)
        first = [runs.result(page, device) for page, device in selected]
        runs.forget()
        runs.close()  # a process that starts anew: what it imported before, NumPy, may hold a state of random numbers
        runs.start((page, device, None) for page, device in selected)
        for (page, device), run in zip(selected, first, strict=True):
            again = zip(page.blocks, run.outputs, runs.result(page, device).outputs, strict=True)
            run = replace(run, outputs=tuple(_the_same(*three) for three in again))
            yield runs.write(page, device, run)
            for block, output in zip(page.blocks, run.outputs, strict=True):
                wrong = fault(block, device, output) if output else ""
                if wrong:
                    yield f"  without output: {wrong.splitlines()[0]}"
    finally:
        runs.close()


def _the_same(block: Block, one: Output | None, other: Output | None) -> Output | None:
    """What a block printed in two runs; if that is not the same, an output that says so."""
    if one and other and difference(one, other, block.options.numbers_vary):
        return Output(died=VARIES)
    return one


def _left(pages: list[Page]) -> Counter[str]:
    """How many blocks of Python are not run, by the reason."""
    found: Counter[str] = Counter()
    for page in pages:
        taken = {block.fence.start for block in page.blocks}
        for fence in page.fences:
            language = re.search(r"[\w#+-]+", fence.info)
            if fence.start not in taken and language and language[0].lower() in (*PYTHON, TRANSCRIPT):
                why = conventions.why_left(fence.info, page.text[: fence.start])
                found[f"by `{why}`" if why else f"without `{RUN}` or `>>>`"] += 1
        found.update(f'by `{RUN}="no"`' for block in page.blocks if block.kind == "shown")
    return found
