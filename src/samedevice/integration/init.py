"""init: what `samedevice init` does in a project: it lists the plugin, records, and says what it left out, and why."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from samedevice.devices import present_devices
from samedevice.errors import PageError
from samedevice.integration.preloading import worth_preloading
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
from samedevice.outputs.environments import Run
from samedevice.outputs.output import VARIES, Output
from samedevice.page_runs import PageRuns
from samedevice.pages import conventions
from samedevice.pages.options import PYTHON, RUN, TRANSCRIPTS
from samedevice.pages.page import Block, Page
from samedevice.pages.parsing import parse_page
from samedevice.pages.percent import page_files
from samedevice.project import Settings

LISTED = r"^{key}:(?P<rest>[^\r\n]*)(?:\r?\n|\Z)"
"""Where a mkdocs.yml begins a list."""
IN_LINE = re.compile(r"(?P<items>\s*\[.*[^\s,])[\s,]*(?P<end>\]\s*(?:#.*)?)")
"""A list in one line, which is not empty."""


def init(root: Path) -> Iterator[str]:
    """Begin in the project in `root`; yield what to tell. Raises SameDeviceError."""
    path, project = named(root), read(root)
    settings, refused, builder = settings_of(project, root), list[PageError](), _builder(project)
    changed, own = path.name, dict[str, list[str]]()
    keys = {"plugins": own} | ({"markdown_extensions": {}} if builder == "zensical" else {})
    if asks(project):
        yield f"{path.name} lists {PLUGIN} already"
    else:
        refused = list(_refused(root, settings))
        leave = [Path(error.path).relative_to(settings.docs).as_posix() for error in refused]
        own |= {"leave": leave} if leave else {}
        _with_entries(path, project, keys)  # raises, before anything runs
        settings = replace(settings, leave=tuple(leave))
    first = _run(root, _pages(root, settings))
    if not asks(project):
        preload = worth_preloading(run.modules for run in first)
        own |= {"preload": preload} if preload else {}
        changed = _add(path, project, keys)
        yield f"{changed}: added {PLUGIN} to {' and '.join(keys)}"
        if preload:
            yield f"pytest imports {', '.join(preload)} once, not on each page, as preload says in {changed}"
        settings = settings_of(read(root), root)
    pages = _pages(root, settings)
    yield from _record(root, pages, first, settings)
    for why, count in _left(pages).most_common():
        yield f"left as they are, {why}: {count} blocks"
    for error in refused:
        yield f"left as it is, a page that is listed below leave: {error}"
    watch = f", which needs the line watch: [{settings.recordings}] in {path.name}" if builder == "zensical" else ""
    yield f"look: python -m {builder} serve{watch}; then commit {changed} and {settings.recordings}"


def _builder(project: Mapping[str, Any]) -> str:
    """What builds the site: Zensical if the project uses its extensions, or if MkDocs is not installed."""
    names = [name for name, _ in entries(project.get("markdown_extensions"))]
    return "mkdocs" if find_spec("mkdocs") and not any(name.startswith("zensical.") for name in names) else "zensical"


def _add(path: Path, project: Mapping[str, Any], keys: Mapping[str, Mapping[str, list[str]]]) -> str:
    """Add the plugin, with settings, below each key; return the names of the files. Raises ProjectError first."""
    texts = _with_entries(path, project, keys)
    for file, text in texts.items():
        file.write_bytes(text.encode())
    return " and ".join(file.name for file in texts)


def _with_entries(
    path: Path, project: Mapping[str, Any], keys: Mapping[str, Mapping[str, list[str]]]
) -> dict[Path, str]:
    """The files that list what is below each key, with the plugin added. Raises ProjectError."""
    texts: dict[Path, str] = {}
    for key, own in keys.items():
        file = _listing(path, key, project.get(key))
        text = texts.get(file) or file.read_bytes().decode()
        texts[file] = with_entry(text, file, key, own, project.get(key))
    return texts


def _listing(path: Path, key: str, listed: object) -> Path:
    """The file that lists what is below a key: that in `path`, or one that it inherits from, in the same folder."""
    before = read_text(path.read_text(encoding="utf-8"), path)
    parent = (path.parent / str(before.get("INHERIT", ""))).resolve()
    if isinstance(listed, list) and key not in before and parent.is_relative_to(path.parent.resolve()):
        return _listing(parent, key, listed) if parent.is_file() else path
    return path


def with_entry(text: str, path: Path, key: str, own: Mapping[str, list[str]], inherited: object = None) -> str:
    """The text of a mkdocs.yml with `samedevice` at the end of what it lists under `key`, and nothing else changed.

    `own` are its settings, `inherited` is what is listed with what the file inherits. Raises ProjectError where that
    is not what YAML reads.
    """
    settings = ", ".join(f"{name}: {json.dumps(value)}" for name, value in own.items())
    before, options = read_text(text, path), f" {{{settings}}}" if own else ""
    mapping, given = isinstance(before.get(key, inherited), dict), entries(before.get(key))
    entry = f"{PLUGIN}:{options or ' {}'}" if mapping else f"- {PLUGIN}{':' * bool(options)}{options}"
    advice = f"add this below {key}:, and run samedevice init again:\n\n  {entry}"
    if key not in before:
        if not mapping and (inherited or key != "plugins"):  # a list replaces what is inherited, or Zensical's defaults
            raise ProjectError(
                f"{path.name} itself lists no {key}; in the file that does, or in a whole list, {advice}"
            )
        given = [("search", None)] if key == "plugins" and not mapping else []  # one mapping is merged with another
        text = "\n".join([text.rstrip(), "", f"{key}:", *(f"  - {name}" for name, _ in given), ""])
    after = _added(text, key, entry)
    try:
        found = read_text(after, path)
    except ProjectError:  # the list is written in a way that is not known here
        found = {}
    listed = [(name, said or {} if name == PLUGIN else said) for name, said in entries(found.get(key))]
    wanted = [*given, (PLUGIN, dict(own))]
    if {**before, key: wanted} != {**found, key: listed}:
        raise ProjectError(f"{path.name} cannot be changed safely, so nothing was; {advice}")
    return after


def _added(text: str, key: str, entry: str) -> str:
    """The text with one more entry below a key, if its list is written as lists mostly are."""
    end = "\r\n" if "\r\n" in text else "\n"
    listed = re.search(LISTED.format(key=key), text, re.M)
    if listed is None:
        return text
    in_line = IN_LINE.fullmatch(listed["rest"])
    if in_line:
        items = f"{in_line['items']}, {entry.removeprefix('- ')}{in_line['end']}"
        return f"{text[: listed.start('rest')]}{items}{text[listed.end('rest') :]}"
    first, last, at = "", listed.end(), listed.end()
    for line in text[at:].splitlines(keepends=True):
        at += len(line)
        if line.strip() and not line.lstrip().startswith("#"):
            if line[0] not in " \t-":
                break
            first, last = first or line, at
    indent = first[: len(first) - len(first.lstrip())] if first else "  "
    above = text[:last] if text[:last].endswith("\n") else text[:last] + end
    return f"{above}{indent}{entry}{end}{text[last:]}"


def _refused(root: Path, settings: Settings) -> Iterator[PageError]:
    """What is wrong with the pages that cannot be read."""
    for path in page_files(root, settings):
        try:
            parse_page(path, root, settings=settings)
        except PageError as error:
            yield error


def _pages(root: Path, settings: Settings) -> list[Page]:
    return [parse_page(one, root, settings=settings) for one in page_files(root, settings)]


def _selected(pages: list[Page]) -> list[tuple[Page, str]]:
    """The pages with code, each on each device of this machine."""
    return [(page, device) for page in pages for device in present_devices() if page.blocks]


def _run(root: Path, pages: list[Page]) -> list[Run]:
    """Run the pages. Raises SameDeviceError."""
    runs, selected = PageRuns(root), _selected(pages)
    try:
        runs.start((page, device, None) for page, device in selected)
        return [runs.result(page, device) for page, device in selected]
    finally:
        runs.close()


def _record(root: Path, pages: list[Page], first: list[Run], settings: Settings) -> Iterator[str]:
    """Run the pages again, and record them; yield what came of each, and what failed. Raises SameDeviceError.

    Modules are preloaded the second time only: so what a block prints because of that is not the same, and not kept.
    The fork server is another one: what it imported before, NumPy, may hold a state of random numbers.
    """
    runs, selected = PageRuns(root, preload=settings.preload), _selected(pages)
    try:
        runs.start((page, device, None) for page, device in selected)
        for (page, device), run in zip(selected, first, strict=True):
            again = zip(page.blocks, run.outputs, runs.result(page, device).outputs, strict=True)
            run = replace(run, outputs=tuple(_the_same(device, *three) for three in again))
            yield runs.write(page, device, run)
            for block, output in zip(page.blocks, run.outputs, strict=True):
                wrong = fault(block, device, output) if output else ""
                if wrong:
                    yield f"  without output: {wrong.splitlines()[0]}"
    finally:
        runs.close()


def _the_same(device: str, block: Block, one: Output | None, other: Output | None) -> Output | None:
    """What a block printed in two runs; if that is not the same, an output that says so, unless it failed in both."""
    if not one or not other or (fault(block, device, one) and fault(block, device, other)):
        return one
    return Output(died=VARIES) if difference(one, other, block.options.numbers_vary) else one


def _left(pages: list[Page]) -> Counter[str]:
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
                found[f"by `{why}`" if why else f"without `{RUN}` or `>>>`"] += 1
        found.update(f'by `{RUN}="no"`' for block in page.blocks if block.kind == "shown")
    return found
