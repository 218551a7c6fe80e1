"""The simulated outputs that this site shows: each must be what PyTorch's own code decides, on any GPU."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import pytest

from same_device_site.settings import SETTINGS, page_paths, parse_page
from samedevice.outputs.environments import Environment
from samedevice.outputs.output import Output
from samedevice.outputs.recording_files import Recordings
from samedevice.outputs.recordings import Recording, block_statuses
from samedevice.pages.page import Block, Page

ROOT = Path(__file__).parents[2]
REAL = re.compile(r"\b(?:GeForce|Tesla|Quadro|[RG]TX|Instinct|[AHBVL]\d{2,3}|T4|MI\d{3}X?)\b")
"""Names of real GPUs."""
TIME = re.compile(r"\b\d+(?:\.\d+)? ?(?:ns|us|µs|ms|s|seconds|GB/s|TFLOP/s|GFLOP/s|tokens a second|samples/s)\b")
"""A measured time or rate."""


@cache
def pages() -> tuple[Page, ...]:
    """All pages of the site."""
    return tuple(parse_page(path, ROOT) for path in page_paths(ROOT))


RECORDED = Recordings(ROOT, SETTINGS.recordings)


@cache
def recorded(page: Page) -> tuple[Recording, ...]:
    """What is recorded of a page."""
    return RECORDED.load(page)[0]


@cache
def simulated() -> tuple[tuple[Block, Environment, Output], ...]:
    """Each simulated output that a page can show."""
    return tuple(
        (block, one.environment, one.output)
        for page in pages()
        for block in page.blocks
        for one in block_statuses(page, block.index, "cuda", recorded(page), simulated=True)
        if one.output
    )


def only_simulated(block: Block, output: Output) -> bool:
    """Whether the CPU did not print the same: then the device decides it, and not the page's own words."""
    page = next(page for page in pages() if page.path == block.page)
    statuses = block_statuses(page, block.index, "cpu", recorded(page))
    return not any(one.output and one.output.shown == output.shown for one in statuses)


def test_there_are_some() -> None:
    """Or else the tests below hold of nothing."""
    assert len(simulated()) > 1_000


def test_none_measures() -> None:
    """A time of the simulator is the time of a CPU."""
    for block, _, output in simulated():
        assert not block.not_simulated, block
        if only_simulated(block, output):
            said = [found[0] for found in TIME.finditer(output.shown) if found[0] not in block.code]
            assert not said, f'{block} shows {said}: say numbers="vary", if it is measured'


def test_none_names_a_real_gpu() -> None:
    """A reader who sees a real name takes the output for that GPU's."""
    for block, environment, output in simulated():
        assert (environment.name, environment.driver) == ("Simulated GPU", "")
        if only_simulated(block, output):
            said = [found[0] for found in REAL.finditer(output.shown) if found[0] not in block.code]
            assert not said, f"{block} names {said}"


def test_none_was_refused() -> None:
    """What the simulator does not do is no output of PyTorch."""
    for block, _, output in simulated():
        assert "NotSimulated" not in output.shown, block
        assert not output.died, block


@pytest.mark.parametrize("path", page_paths(ROOT), ids=lambda path: path.relative_to(ROOT / "docs").as_posix())
def test_a_block_for_cuda_shows_an_output_or_says_why_not(path: Path) -> None:
    """A reader without a GPU wonders what it prints."""
    page = parse_page(path, ROOT)
    simulated = [one for one in recorded(page) if one.environment.simulated]
    for block in page.blocks:
        if block.options.needs == "cuda" and not block.not_simulated:
            torch = simulated[0].environment.torch if simulated else ""
            shown = block_statuses(page, block.index, "cuda", recorded(page))
            shown += block_statuses(page, block.index, "cuda", simulated, simulated=True)
            assert any(one.output for one in shown) or not block.runs_on("cuda", torch), (
                f'{block}: record it with --device cuda --simulated, or say simulated="no" reason="..."'
            )
