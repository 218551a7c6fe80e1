"""init: what `samedevice init` does in a project: it says what it will do, lists the plugin, records, and sums up."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from samedevice.devices import present_devices
from samedevice.errors import PageError
from samedevice.integration.builders import builders
from samedevice.integration.plugin_entry import with_entries
from samedevice.integration.preloading import worth_preloading
from samedevice.integration.project_file import (
    OTHER_TOML,
    PLUGIN,
    ProjectError,
    asks,
    named,
    read,
    settings_of,
    weaves,
)
from samedevice.outputs.checks import fault
from samedevice.outputs.comparison import difference
from samedevice.outputs.environments import Run
from samedevice.outputs.failures import Failed, by_kind, failed
from samedevice.outputs.output import VARIES, Output
from samedevice.page_runs import UNCHANGED, PageRuns
from samedevice.pages import conventions
from samedevice.pages.options import PYTHON, RUN, TRANSCRIPTS
from samedevice.pages.page import Block, Page
from samedevice.pages.parsing import parse_page
from samedevice.pages.percent import page_files
from samedevice.pages.starts import what_it_starts
from samedevice.project import CACHE, Settings

Selected = Sequence[tuple[Page, str]]
"""Pages with code, each on each device of this machine."""
Progress = Callable[[str], None]
"""What is told how far it has come."""


def init(root: Path, dry: bool = False, progress: Progress = lambda text: None) -> Iterator[str]:
    """Begin in the project in `root`; yield what to tell. If it is `dry`, only say what would be done.

    Raises SameDeviceError. Nothing is written before all pages have run.
    """
    path, project = named(root), read(root)
    settings, tools, refused = settings_of(project, root), builders(root, project), list[PageError]()
    keys = dict[str, dict[str, list[str]]]()
    if "zensical" in tools and not weaves(project):
        if (root / "zensical.toml").is_file():
            raise ProjectError(OTHER_TOML)
        keys["markdown_extensions"] = {}
    if not asks(project):
        refused = list(_refused(root, settings))
        leave = [Path(error.path).relative_to(settings.docs).as_posix() for error in refused]
        keys = {"plugins": {"leave": leave} if leave else {}, **keys}
        settings = replace(settings, leave=tuple(leave))
    texts = with_entries(path, project, keys)
    pages = _pages(root, settings)
    yield from _plan(root, pages, settings, " and ".join(one.name for one in texts), keys)
    if dry:
        yield "nothing was run or written; leave out --dry-run to do so"
        return
    selected = [(page, device) for page in pages for device in present_devices() if page.blocks]
    first = _run(PageRuns(root), selected, progress, "first run")
    preload = worth_preloading(run.modules for run in first) if "plugins" in keys else []
    if preload:
        keys["plugins"]["preload"] = preload
        texts = with_entries(path, project, keys)
        settings = replace(settings, preload=tuple(preload))
    # another fork server: what it has imported, NumPy, may hold a state of random numbers
    second = _run(PageRuns(root, preload=settings.preload), selected, progress, "second run")
    for file, text in texts.items():
        file.write_bytes(text.encode())
    yield from _sum_up(root, selected, list(map(_same, selected, first, second)))
    if preload:
        yield f"pytest imports {', '.join(preload)} once, not on each page, as `preload` says"
    if refused:
        yield f"left as they are, {len(refused)} pages, which are listed below `leave`, first {refused[0]}"
    watch = f", which needs the line watch: [{settings.recordings}] in {path.name}" if "zensical" in tools else ""
    changed = [*(file.name for file in texts), settings.recordings]
    yield f"look: python -m {next(iter(tools))} serve{watch}; then commit {' and '.join(changed)}"


def _plan(
    root: Path, pages: Sequence[Page], settings: Settings, files: str, keys: dict[str, dict[str, list[str]]]
) -> Iterator[str]:
    """What will be run, what will not, and where it writes."""
    blocks = [block for page in pages for block in page.blocks if block.kind != "shown"]
    where = f"{sum(1 for page in pages if page.blocks)} of {len(pages)} pages"
    limit = f"each block at most {settings.time_limit:g} s"
    yield f"runs {len(blocks)} blocks on {where} twice, {limit}, with your rights"
    left = [f"{count} {why}" for why, count in _left(pages).most_common()]
    if left:
        yield f"leaves as they are: {', '.join(left)}"
    if any(block.options.skips_main for block in blocks):
        yield 'leaves out what is below `if __name__ == "__main__":`, but where a fence has the word `run`'
    yield f"writes {', '.join(filter(None, (files, settings.recordings, CACHE.as_posix())))} in {root}"
    if keys:
        yield f"adds {PLUGIN} to {' and '.join(keys)} in {files}"
    else:
        yield f"{named(root).name} lists {PLUGIN} already"


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
    """The first of two runs; where a block printed something else the second time, its output says so.

    Modules are preloaded the second time only: so what a block prints because of that is not the same, and not kept.
    """
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
    said = [runs.write(page, device, run) for (page, device), run in zip(selected, ran, strict=True)]
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
            if output is not None:
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
