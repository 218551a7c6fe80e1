"""What readers copy and take along from the real pages, run as they would run it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from samedevice.devices import torch_build
from samedevice.outputs.comparison import difference
from samedevice.outputs.recording_files import load, paths, place
from samedevice.pages.options import Options
from samedevice.pages.page import Block, Page
from samedevice.pages.parsing import parse_page
from samedevice.project import RECORDINGS
from samedevice.running.processes import Launcher
from samedevice.running.sessions import Sessions
from samedevice.weaving.closures import closures
from samedevice.weaving.exports import script
from samedevice.weaving.panes import Shown

CPU_FOLDER = f"cpu-{torch_build().version}"
"""The folder of the recordings of this interpreter."""

ROOT = Path(__file__).parents[1]
FILES = sorted(path for suffix in ("md", "py") for path in (ROOT / "docs").rglob(f"*.{suffix}"))
PAGES = [parse_page(path, ROOT) for path in FILES]


@pytest.fixture(scope="module")
def real(launcher: Launcher) -> Iterator[Sessions]:
    """Runs pages of this repository."""
    with Sessions(ROOT) as sessions:
        sessions.launcher = launcher
        yield sessions


def programs(page: Page, needs: dict[int, tuple[int, ...]]) -> Iterator[tuple[Block, ...]]:
    """Copies to run that show for every block of the page what its own copy gives.

    A copy whose blocks each have the copy's earlier blocks as all that they need shows it for them too.
    """
    shown: set[int] = set()
    for block in reversed(page.blocks):
        if block.kind == "python" and block.runs_on("cpu") and block.index not in shown:
            whole = [*needs[block.index], block.index]
            shown |= {index for index in whole if list(needs[index]) == [one for one in whole if one < index]}
            yield tuple(page.blocks[index] for index in whole)


@pytest.mark.parametrize("page", [page for page in PAGES if page.blocks], ids=lambda page: page.name)
def test_each_copy_to_run_gives_the_output_of_its_block(page: Page, real: Sessions) -> None:
    """The block with the earlier blocks that it needs, and no others, in a fresh process."""
    recording = load(place(ROOT / RECORDINGS, CPU_FOLDER, page), among=paths(ROOT / RECORDINGS, page))
    assert recording is not None
    needs = closures(page)
    jobs = []
    for blocks in programs(page, needs):
        alone = tuple(replace(one, index=number) for number, one in enumerate(blocks))
        jobs.append((blocks, real.submit(Page(page.path, page.text, alone), "cpu")))
    wrong = []
    for blocks, job in jobs:
        for block, output in zip(blocks, job.result().outputs, strict=True):
            recorded = recording.find(page, block.index).output
            assert recorded is not None
            assert output is not None
            own = list(needs[block.index]) == [one.index for one in blocks if one.index < block.index]
            found = difference(recorded, output, block.options.numbers_vary) if own else ""
            wrong += [f"{block}: {found}"] if found else []
    assert not wrong


@pytest.mark.parametrize("page", [page for page in PAGES if page.blocks], ids=lambda page: page.name)
def test_each_script_runs_from_top_to_bottom(page: Page, real: Sessions) -> None:
    """A program that stops half way is worse than none."""
    recording = load(place(ROOT / RECORDINGS, CPU_FOLDER, page), among=paths(ROOT / RECORDINGS, page))
    assert recording is not None
    shown = {}
    for block in page.blocks:
        output = recording.find(page, block.index).output if block.runs_on("cpu") else None
        shown[block.index] = [Shown("cpu", output, recording.environment)] if output else []
    code = script(page, shown)
    whole = replace(
        page.blocks[0], index=0, kind="python", code=code, path=page.path, code_line=1, options=Options(alt="-")
    )
    (output,) = real.run(Page(page.path, page.text, (whole,)), "cpu").outputs
    assert output is not None
    assert not output.died
    assert output.raised is None, output.raised
