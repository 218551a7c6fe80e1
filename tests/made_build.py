"""A book of pages that a test wrote: its build, and recordings for it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from samedevice.devices import torch_build
from samedevice.outputs.environments import Environment
from samedevice.outputs.output import Output
from samedevice.outputs.recording_files import Recordings, place
from samedevice.outputs.recordings import update
from samedevice.page_runs import PageRuns
from samedevice.pages.page import Page
from samedevice.project import CACHE, RECORDINGS
from samedevice.weaving.panes import ShownOutput
from samedevice.weaving.shown import outputs_of

CPU_HERE = f"cpu-{torch_build().version}"
"""The environment of this interpreter's CPU."""


CUDA = Environment("cuda", "NVIDIA H200", "2.13.0+cu130", "3.11.7", "580.95.05", "2026-11-20")


TWO = "```python\nprint('one')\n```\n\n```python\nprint('two')\n```\n"


COMMAND = "pytest docs/page.md --device cpu --record"


Write = Callable[..., Page]


class Build:
    """Reads pages as a build does, with a book of its own, and remembers what is told to whoever builds."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.lines: list[str] = []
        self.problems: list[str] = []

    def __call__(self, *pages: Page) -> list[dict[int, list[ShownOutput]]]:
        runs = PageRuns(self.root, devices=("cpu",), report=self.lines.append)
        runs.build(pages)
        try:
            found = [outputs_of(runs.known(page)) for page in pages]
        finally:
            runs.close()
        self.problems += [problem for _, problems in found for problem in problems]
        return [shown for shown, _ in found]

    @property
    def faults(self) -> list[str]:
        """The problems, without those that only ask for a recording."""
        return [problem for problem in self.problems if "are not recorded on" not in problem]


def record(root: Path, page: Page, *outputs: Output | None, environment: Environment = CUDA) -> Path:
    """Write a recording of these outputs; the file."""
    found = update(None, page, environment, outputs)
    assert found is not None
    Recordings(root, RECORDINGS).save(page, found)
    return place(root / RECORDINGS, page)


def kept(root: Path, page: Page) -> Path:
    """The file of what the cache holds of a page."""
    return place(root / CACHE / "outputs", page)


def record_as_run(root: Path, page: Page) -> None:
    """Write a recording of what the cache holds."""
    ((found,), errors) = Recordings(root, CACHE / "outputs").load(page)
    assert not errors
    Recordings(root, RECORDINGS).save(page, found)


def texts(shown: dict[int, list[ShownOutput]]) -> list[list[str]]:
    """The device and text of each output, or the note in its place."""
    return [
        [f"{one.device}: {one.output.shown if one.output else one.note}" for one in shown[n]] for n in sorted(shown)
    ]
