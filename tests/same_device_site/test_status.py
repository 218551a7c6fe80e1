"""The account of what has run where: its numbers are those of pytest."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from made_conftest import CONFTEST

from same_device_site.error_index import Entry
from same_device_site.error_sections import Evidence, Proof, error_sections
from same_device_site.settings import parse_page
from same_device_site.site import Site
from same_device_site.status import status
from samedevice.outputs.environments import Environment
from samedevice.outputs.output import Output
from samedevice.outputs.recording_files import Recordings, load_all
from samedevice.outputs.recordings import Count, Recording, count_blocks, update
from samedevice.pages.page import Page
from samedevice.project import RECORDINGS

Write = Callable[..., Page]
WHERE = Page("docs/about/status.md", "# Status", ())
CUDA = Environment("cuda", "NVIDIA H200", "2.13.0+cu130", "3.11.7", "580.95.05", "2026-11-20")
ROW = re.compile(r"^\| \[(?P<title>.*?)\]\(.*?\) \| (\d+) \| (\d+) \| (\d+) \| (\d+) \| \d+ \| (?P<why>.*?) ?\|$", re.M)
BLOCKS = "# {}\n\n```python\nx = {}\n```\n\n```python\nx\n```\n\n"
GPU = '```python needs="cuda"\nx\n```\n\n```python needs="2 cuda"\nx\n```\n'


def rows(markdown: str, device: str) -> dict[str, tuple[int, ...]]:
    """Blocks, ran, stale and never ran of each page on a device, as the status page has them."""
    section = markdown.split(f"{{ #{device} ")[1].split("\n## ")[0]
    return {row["title"]: tuple(map(int, row.groups()[1:5])) for row in ROW.finditer(section)}


def made_up(page: Page, *outputs: Output | None) -> Recording:
    """A recording from a GPU."""
    found = update(None, page, CUDA, outputs)
    assert found is not None
    return found


def test_the_numbers_are_those_that_pytest_reports(pytester: pytest.Pytester, one_server: object) -> None:
    """Each page on each device: passed is ran, failed is stale or never ran, the summary has the rest."""
    pytester.makeini("[pytest]\ntestpaths = docs\n")
    pytester.makeconftest(CONFTEST)
    docs = pytester.path / "docs"
    docs.mkdir()
    texts = {"fresh": BLOCKS.format("fresh", 1) + GPU, "stale": BLOCKS.format("stale", 1), "gpu": "# gpu\n\n" + GPU}
    for name, text in texts.items():
        (docs / f"{name}.md").write_text(text, encoding="utf-8")
    pytester.runpytest_inprocess("--record")
    fresh = parse_page(docs / "fresh.md", pytester.path)
    made = made_up(fresh, Output(), Output(), Output(), None)
    Recordings(pytester.path, "tests/recordings").save(fresh, made)
    (docs / "stale.md").write_text(BLOCKS.format("stale", 2) + "```python\nx\n```\n", encoding="utf-8")

    pages = tuple(parse_page(docs / f"{name}.md", pytester.path) for name in texts)
    recordings = {page.path: load_all(pytester.path, RECORDINGS, page)[0] for page in pages}
    markdown = status(WHERE, Site(pages, recordings, {}), [])
    result = pytester.runpytest_inprocess("-v", "-rN")
    told = result.stdout.str()

    cpu, cuda = rows(markdown, "cpu"), rows(markdown, "cuda")
    assert cpu == {"stale": (3, 0, 2, 1)}
    assert markdown.count("| 1 page of which all ran | 2 | 2 | 0 | 0 | 0 |  |") == 1
    for name, (blocks, ran, stale, never) in {"fresh": (2, 2, 0, 0), **cpu}.items():
        items = re.findall(rf"^docs/{name}\.md::cpu-\S+ (PASSED|FAILED)", told, re.M)
        assert (len(items), items.count("PASSED"), items.count("FAILED")) == (blocks, ran, stale + never)
    assert cuda == {"fresh": (4, 3, 0, 1), "gpu": (2, 0, 0, 2)}
    assert "cuda: 3 missing of 6 blocks, on docs/fresh.md, docs/gpu.md" in told
    assert result.parseoutcomes() == {"passed": 4, "failed": 3}


def test_a_page_that_a_device_never_ran_counts_only_the_blocks_that_ask_for_it(write: Write) -> None:
    """Nobody has to run a page of plain tensors on a Mac for it to be whole."""
    page = write(BLOCKS.format("page", 1) + GPU)
    assert count_blocks(page, "cuda", ()) == Count(missing=2)
    assert count_blocks(page, "mps", ()).blocks == 0
    assert count_blocks(page, "cuda", (made_up(page, Output(), Output(), Output(), None),)) == Count(fresh=3, missing=1)


def test_the_account_names_devices_reasons_and_what_never_ran(write: Write) -> None:
    """The whole of it, as Markdown."""
    page = write(BLOCKS.format("A page", 1) + GPU)
    other = write(BLOCKS.format("Other", 1), "docs/topic/other.md")
    recording = made_up(page, Output(), Output(), Output(), None)
    site = Site((page, other), {page.path: (recording,)}, {})
    head = (
        "| Page | Blocks | Ran | Stale | Never ran | Simulated | Why |\n| --- | --: | --: | --: | --: | --: | --- |\n"
    )
    totals, *rest = status(WHERE, site, []).split("\n\n")
    assert totals.endswith("| CPU | 4 | 0 | 0 | 0 |\n| CUDA | 6 | 3 | 0 | 1 |\n| MPS | 4 | 0 | 0 | 0 |")
    assert rest == [
        "## CPU { #cpu data-search-exclude }",
        "Nothing is recorded, and no block asks for it.",
        "## CUDA { #cuda data-search-exclude }",
        "- NVIDIA H200, PyTorch 2.13.0+cu130, Python 3.11.7, driver 580.95.05: 1 page, recorded 2026-11-20",
        head
        + "| [A page](../page.md) | 4 | 3 | 0 | 1 | 0 | needs 2 devices with CUDA |\n"
        + "| **1 page** | 4 | 3 | 0 | 1 | 0 |  |",
        "Not recorded on this device, with blocks that run on every device: 1 page more.",
        "## MPS { #mps data-search-exclude }",
        "Nothing is recorded, and no block asks for it.",
        "## Blocks that no device ever ran { #never data-search-exclude }",
        "| Page | Lines of the page's file | Why |\n| --- | --- | --- |\n"
        "| [A page](../page.md) | 15 | needs 2 devices with CUDA |\n"
        "| [Other](../topic/other.md) | 3, 7 | not recorded yet |",
        "## Messages that only a simulated device gave { #simulated data-search-exclude }",
        "None.",
        "## Messages that wait for a recording { #waiting data-search-exclude }",
        "None.",
        "## Messages that are cited { #cited data-search-exclude }",
        "None.",
    ]


def test_stale_blocks_and_changed_ones_are_told(write: Write) -> None:
    """A stale block ran once, so it is not among those that never ran."""
    old = write(BLOCKS.format("page", 1))
    recording = made_up(old, Output(), Output())
    page = write(BLOCKS.format("page", 2))
    told = status(WHERE, Site((page,), {page.path: (recording,)}, {}), [])
    assert "| [page](../page.md) | 2 | 0 | 2 | 0 | 0 | the code changed after 2026-11-20 |" in told
    assert "## Blocks that no device ever ran { #never data-search-exclude }\n\nNone." in told


def test_messages_that_wait_and_that_are_cited_are_listed(write: Write) -> None:
    """The index of errors promises no more than was seen; here stands what is owed."""
    page = write("# `it ...` { #err-it }\n\nWhy.\n", "docs/errors/it.md")
    (section,) = error_sections(page)
    found = [Entry(f"it {one.value}", False, ((section, Evidence(one, "")),)) for one in Proof]
    told = status(WHERE, Site((page,), {}, {}), found)
    assert told.endswith(
        "## Messages that wait for a recording { #waiting data-search-exclude }\n\n"
        "- `it waiting`: [`it ...`](../errors/it.md#err-it)\n\n"
        "## Messages that are cited { #cited data-search-exclude }\n\n- `it cited`: [`it ...`](../errors/it.md#err-it)"
    )


def test_a_missing_folder_of_recordings_is_an_empty_account(write: Write, root: Path) -> None:
    """A new site builds."""
    page = write(BLOCKS.format("page", 1))
    assert load_all(root, RECORDINGS, page)[0] == ()
