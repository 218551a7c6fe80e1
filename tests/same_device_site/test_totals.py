"""The totals of the site: true on the day, and after the next recording without an edit."""

from __future__ import annotations

from collections.abc import Callable

from same_device_site.site import Site
from same_device_site.totals import Total, figures, proof, totals, totals_table
from samedevice.outputs.environments import Environment
from samedevice.outputs.output import Output
from samedevice.outputs.recordings import Recording, update
from samedevice.pages.page import Page

Write = Callable[..., Page]
OLD = Environment("cpu", "EPYC", "2.9.1+cpu", "3.11.7", "", "2026-11-19")
NEW = Environment("cpu", "EPYC", "2.15.0+cu132", "3.11.7", "", "2026-11-21")
GPU = Environment("cuda", "NVIDIA H100", "2.11.0+cu130", "3.12.1", "580", "2026-11-22")
PAGE = '# Title\n\n```python\n1\n```\n\n```python needs="cuda"\n3\n```\n\n```python needs="mps"\n4\n```\n'


def made(page: Page, about: Environment, *outputs: Output | None) -> Recording:
    found = update(None, page, about, outputs)
    assert found is not None
    return found


def test_blocks_are_counted_where_they_can_run(write: Write) -> None:
    """A block that needs nothing can run on a GPU too, and has not: that must not look like a full account."""
    page = write(PAGE)
    recordings = (made(page, OLD, Output("1"), None, None), made(page, NEW, Output("1"), None, None))
    site = Site((page,), {page.path: recordings}, {})
    assert totals(site) == [Total("cpu", 1, 1, 0), Total("cuda", 2, 0, 1), Total("mps", 2, 0, 1)]
    assert "| CUDA | 2 | 0 | 0 | 1 |" in totals_table(site)
    assert figures(site).split("\n") == [
        "**3 code blocks on 1 page.**",
        "1 of 1 ran on CPU, with PyTorch 2.9.1 and 2.15.0, last on 2026-11-21.",
        "1 waits for a machine with CUDA.",
        "1 waits for a machine with MPS.",
    ]


def test_a_recording_from_a_gpu_changes_the_sentence_by_itself(write: Write) -> None:
    """The home page must be true on the day that a GPU is lent, without an edit."""
    page = write(PAGE)
    recordings = (made(page, NEW, Output("1"), None, None), made(page, GPU, Output("1"), Output("3"), None))
    said = figures(Site((page,), {page.path: recordings}, {}))
    assert "2 of 2 that use it ran on CUDA, with PyTorch 2.11.0, last on 2026-11-22." in said
    assert "for a machine with CUDA" not in said


def test_home_says_why_to_trust_it(write: Write) -> None:
    """In one line, with numbers that the build counts; versions that did not run are not in it."""
    page = write(PAGE)
    recordings = (
        made(page, OLD, Output("1"), None, None),
        made(page, NEW, Output("1"), None, None),
        made(page, GPU, Output("1"), Output("3"), None),
    )
    said = proof(Site((page,), {page.path: recordings}, {}))
    assert said.startswith("1 programs ran on a CPU with PyTorch 2.9 and 2.15, and 2 on an H100; tests compare")
    assert "\n" not in said
    assert " on an " not in proof(Site((page,), {page.path: recordings[:2]}, {}))
