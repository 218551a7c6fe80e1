"""A repository made for a test, in which pytest is run."""

from __future__ import annotations

from pathlib import Path

import pytest
from made_conftest import CONFTEST

from same_device_site.settings import parse_page
from samedevice.devices import torch_build
from samedevice.outputs.environments import Environment
from samedevice.outputs.output import Output
from samedevice.outputs.recording_files import Recordings, place
from samedevice.outputs.recordings import update

CUDA = Environment("cuda", "NVIDIA H200", "2.13.0+cu130", "3.11.7", "580.95.05", "2026-11-20")


TWO = "# Page\n\n```python\nx = 1\nprint('one', x)\n```\n\n```python\nprint('two', x + 1)\n```\n"


CPU_FOLDER = f"cpu-{torch_build().version}"
"""The environment of this interpreter's CPU."""


COMMAND = "pytest docs/page.md --device cpu --record"


class Repository:
    """A repository with pages, in which pytest is run."""

    def __init__(self, pytester: pytest.Pytester) -> None:
        self.pytester = pytester
        self.root = pytester.path
        pytester.makeini("[pytest]\ntestpaths = docs\n")
        pytester.makeconftest(CONFTEST)
        self.page("page", TWO)

    def page(self, name: str, text: str) -> Path:
        """Write a page."""
        path = self.root / f"docs/{name}.md"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return path

    def pytest(self, *options: str) -> tuple[str, dict[str, int]]:
        """Run pytest in this process: what it prints, and how many items passed, failed and so on."""
        result = self.pytester.runpytest_inprocess("--rootdir", str(self.root), *options)
        outcomes = {} if result.ret == pytest.ExitCode.USAGE_ERROR else result.parseoutcomes()
        return result.stdout.str() + result.stderr.str(), outcomes

    def recording(self, name: str = "page") -> Path:
        """Where the recordings of a page are."""
        return self.root / f"tests/recordings/{name}.json"

    def record_cuda(self, *outputs: Output | None, name: str = "page") -> Path:
        """Make up a recording from a GPU."""
        page = parse_page(self.root / f"docs/{name}.md", self.root)
        found = update(None, page, CUDA, outputs)
        assert found is not None
        files = Recordings(self.root, "tests/recordings")
        files.save(page, found)
        return place(files.folder, page)
