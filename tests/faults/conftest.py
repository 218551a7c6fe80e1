"""What the tests of faults share: a checkout in a folder of its own, in which pytest and mkdocs are run as programs."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest
from made_conftest import CONFTEST

from samedevice.project import PACKAGE

LIGHT_TORCH = Path(__file__).parents[1] / "samples/light"
WHOLE = bool(os.environ.get("SAMEDEVICE_FAULTS"))
"""Whether all is asked for (`make faults`), or the sample that is part of the normal tests."""
DRAWS = """\
import os
import matplotlib.pyplot as plt

plt.plot([0, 1], [0, int(os.environ.get("ROUND", "0"))])
print("round", os.environ.get("ROUND", "0"))
"""
PAGE = f'# Page\n\n```python alt="A line."\n{DRAWS}```\n\n```python\nprint("two")\n```\n'
PYTEST = """\
[pytest]
testpaths = docs
filterwarnings =
  error
  default::pytest.PytestCacheWarning
"""
MKDOCS = """\
site_name: Made up
theme: mkdocs
plugins: [samedevice: {console: true}]
markdown_extensions:
  - pymdownx.superfences
"""


class Checkout:
    """A repository in `root` with a folder for temporary files beside it, so that each file left behind is seen."""

    def __init__(self, root: Path, temporary: Path) -> None:
        self.root = root
        self.temporary = temporary
        self.around: list[str] = []
        (root / "docs").mkdir(parents=True)
        temporary.mkdir()
        self.mark = f"SAMEDEVICE_TEST={root}"
        light = temporary.with_name("light")
        shutil.copytree(LIGHT_TORCH, light)
        (light / "torch/version.py").write_text(f"__version__ = {version('torch')!r}\n")
        path = os.pathsep.join(map(str, (light, PACKAGE.parent)))  # the engine beside these tests, installed or not
        self.environ = os.environ | {"TMPDIR": str(temporary), "SAMEDEVICE_TEST": str(root), "PYTHONPATH": path}
        (root / "conftest.py").write_text(CONFTEST)
        (root / "pytest.ini").write_text(PYTEST)
        (root / "mkdocs.yml").write_text(MKDOCS)

    def page(self, text: str, name: str = "page") -> Path:
        """Write a page."""
        path = self.root / f"docs/{name}.md"
        path.write_bytes(text.encode())
        return path

    @property
    def recordings(self) -> dict[str, bytes]:
        """All files below tests/recordings with what is in them."""
        folder = self.root / "tests/recordings"
        return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}

    @property
    def left(self) -> list[str]:
        """The temporary files that are there."""
        return sorted(path.name for path in self.temporary.iterdir())

    def start(self, *command: str, new_session: bool = False, **environ: str) -> subprocess.Popen[str]:
        """Start a Python program of the checkout."""
        how: dict[str, Any] = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "stdin": subprocess.DEVNULL}
        how |= {"cwd": self.root, "env": self.environ | environ, "text": True, "start_new_session": new_session}
        return subprocess.Popen([*self.around, sys.executable, "-m", *command], **how)

    def run(self, *command: str, **environ: str) -> str:
        """Run a Python program of the checkout; what it says."""
        with self.start(*command, new_session=False, **environ) as running:
            return running.communicate(timeout=120)[0]

    def record(self, *options: str, **environ: str) -> str:
        """Record the pages; what pytest says."""
        return self.run("pytest", "--device", "cpu", "--record", *options, **environ)

    def build(self, *options: str) -> str:
        """Build the site; what mkdocs says."""
        return self.run("mkdocs", "build", "-d", str(self.temporary.parent / "site"), *options)

    def running(self) -> list[int]:
        """The processes that were started from here, on Linux."""
        found = []
        for path in Path("/proc").glob("[0-9]*/environ"):
            try:
                if self.mark in path.read_text(errors="replace").split("\0"):
                    found.append(int(path.parent.name))
            except OSError:
                continue
        return found

    def all_end(self) -> bool:
        """Whether all those processes end within a minute."""
        give_up = time.monotonic() + 60
        while self.running() and time.monotonic() < give_up:
            time.sleep(0.02)
        return not self.running()

    def mounted(self, *commands: str, last: str = "true") -> None:
        """Have programs run between these commands, with mounts of their own; skip if none may mount."""
        script = " && ".join([*commands, f'{{ "$@"; {last}; }}'])
        self.around = ["unshare", "--map-root-user", "--mount", "sh", "-c", script, "sh"]
        if not shutil.which("unshare") or subprocess.run([*self.around, "true"], capture_output=True).returncode:
            pytest.skip(f"needs a system that lets us {commands[0]}")


def make(folder: Path) -> Checkout:
    """A checkout with one page of two blocks, whose pages run with a stand-in for torch."""
    made = Checkout(folder / "checkout", folder / "temporary")
    made.page(PAGE)
    return made


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    """Such a checkout, for one test."""
    return make(tmp_path)


@pytest.fixture(scope="session")
def recorded_once(tmp_path_factory: pytest.TempPathFactory) -> Checkout:
    """That checkout, recorded: once for all tests, which only copy it."""
    made = make(tmp_path_factory.mktemp("recorded"))
    assert "2 passed" in made.record()
    assert len(made.recordings) == 2
    return made


@pytest.fixture
def recorded(checkout: Checkout, recorded_once: Checkout) -> Checkout:
    """That checkout, recorded."""
    shutil.copytree(recorded_once.root, checkout.root, dirs_exist_ok=True)
    return checkout


@pytest.fixture
def whole() -> Callable[[int, int], int]:
    """Of two numbers of rounds the larger one where all is asked for, else the smaller one."""
    return lambda sample, all_of_them: all_of_them if WHOLE else sample
