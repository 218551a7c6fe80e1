"""What the tests in the browser share: the site, built with a made-up GPU's recordings, served, and Chromium."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from otherwise import BUILDER, OTHERWISE, SEARCH
from served import NAME, served

from same_device_site.settings import parse_page
from samedevice.devices import torch_build
from samedevice.outputs.environments import Environment
from samedevice.outputs.output import Output
from samedevice.outputs.recording_files import Recordings, load_all
from samedevice.outputs.recordings import update
from samedevice.pages.page import Page
from samedevice.project import CACHE, RECORDINGS

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
COPIED = ("docs", "snippets", "src/same_device_site", "tests/claims", "tests/recordings", CACHE)
FLAGS = ("--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update")
BUILDERS = {
    "mkdocs": ("mkdocs", "build", "--strict"),  # quiet, it would not see its warnings
    "properdocs": ("properdocs", "build", "--quiet"),
    "zensical": ("zensical", "build"),
}
"""What can build the site, as modules of Python with arguments."""
HERE_NOW = Environment("cpu", "This machine", torch_build().version, "3.11.7", "", "2026-01-03")
"""The version of PyTorch that is here; Zensical runs nothing, so what it prints has to be recorded."""
OLD = Environment("cpu", "An old machine", "2.1.0", "3.10.1", "", "2026-01-02")
"""A version of PyTorch that printed something else in every other block of one page."""
MADE_UP = Environment("cuda", "A made-up GPU", "2.11.0", "3.12.0", "580", "2026-01-01")
BESIDE = '# Beside\n\n```python compare="cuda"\nprint("of the cpu")\n```\n'
SIXTY = "# Sixty\n" + "".join(f'\n```python\nprint("line {number} of the cpu")\n```\n' for number in range(60))


def wanted(found: object, what: str) -> None:
    """Skip where something is missing, but for CI, where nothing may be: there the test goes on, and fails."""
    if not found and not os.environ.get("CI"):
        pytest.skip(f"needs {what}")


def on_cuda(output: Output) -> Output:
    """What a GPU would have printed where the CPU printed this."""
    found = json.loads(json.dumps(output.to_json()).replace("cpu", "cuda"))
    if found.get("value", "").startswith("tensor("):
        found["value"] = found["value"][:-1] + ", device='cuda:0')"
    return Output.from_json(found)


def pretend_cuda(tree: Path, page: Page, printed: dict[int, Output]) -> None:
    """Give a page a recording from a GPU; only tests see it."""
    outputs = [on_cuda(printed[block.index]) if block.index in printed else None for block in page.blocks]
    record(tree, page, MADE_UP, outputs)


def record(tree: Path, page: Page, environment: Environment, outputs: Sequence[Output | None]) -> None:
    """Give a page a recording of these outputs."""
    found = update(None, page, environment, outputs)
    assert found is not None
    Recordings(tree, RECORDINGS).save(page, found)


def copy_if_there(source: str, target: str) -> None:
    """Copy a file, unless it is gone: other tests write the cache meanwhile."""
    with contextlib.suppress(FileNotFoundError):
        shutil.copy2(source, target)


def copy_of_the_repository(tree: Path) -> None:
    """Pages, recordings and cache, with a page of sixty blocks, and a history of one commit."""
    for name in COPIED:
        if (ROOT / name).exists():
            shutil.copytree(ROOT / name, tree / name, copy_function=copy_if_there)
    for name in ("mkdocs.yml", ".gitignore"):
        shutil.copy(ROOT / name, tree)
    home = parse_page(tree / "docs/index.md", tree)
    recorded = next(one for one in load_all(tree, RECORDINGS, home)[0] if one.environment.device == "cpu")
    everywhere = [block.index for block in home.blocks if block.options.needs == ""]
    outputs = [entry.output for entry in recorded.entries if entry.output]
    pretend_cuda(tree, home, dict(zip(everywhere, outputs, strict=True)))
    (tree / "docs/sixty.md").write_text(SIXTY, encoding="utf-8")
    (tree / "docs/beside.md").write_text(BESIDE, encoding="utf-8")
    pretend_cuda(tree, parse_page(tree / "docs/beside.md", tree), {0: Output("of the cpu\n")})
    sixty = parse_page(tree / "docs/sixty.md", tree)
    pretend_cuda(tree, sixty, {number: Output(f"line {number} of the cpu\n") for number in range(60)})
    outputs = [Output(f"line {number} of the {'old' if number % 2 else 'cpu'}\n") for number in range(60)]
    record(tree, sixty, OLD, outputs)
    record(tree, sixty, HERE_NOW, [Output(f"line {number} of the cpu\n") for number in range(60)])
    record(tree, parse_page(tree / "docs/beside.md", tree), HERE_NOW, [Output("of the cpu\n")])
    for command in (["init", "-q"], ["add", "docs"], ["commit", "-q", "-m", "Begin <here>"]):
        identity = ["-c", "user.name=A", "-c", "user.email=a@example.org"]
        subprocess.run(["git", *identity, *command], cwd=tree, check=True)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put the test that takes longest first, and the others in the browser last: so no process waits for the site."""
    own = [item for item in items if item.path.parent == HERE]
    visits = [item for item in own if item.name.startswith("test_every_page_")]
    others = [item for item in items if item.path.parent != HERE]
    items[:] = [*visits, *others, *(item for item in own if item not in visits)]
    for item in own:
        for name, why in OTHERWISE.get(BUILDER, {}).items():
            if item.nodeid.rpartition("/")[2].startswith(name):
                item.add_marker(pytest.mark.xfail(reason=why, run=why != SEARCH))


@pytest.fixture(scope="session")
def site(once: Callable[..., Path]) -> Path:
    """The built site, for a repository that is known."""

    def built(tree: Path) -> None:
        copy_of_the_repository(tree)
        environ = os.environ | {"NO_MKDOCS_2_WARNING": "1", "SAMEDEVICE_REPOSITORY": f"someone/{NAME}"}
        subprocess.run([sys.executable, "-m", *BUILDERS[BUILDER]], cwd=tree, check=True, env=environ)

    return once("tree", built) / "site"


@pytest.fixture(scope="session")
def address(site: Path) -> Iterator[str]:
    """Where the site is served."""
    with served(site) as found:
        yield found


@pytest.fixture(scope="session")
def whole_chromium() -> dict[str, Any]:
    """How to start Chromium with what only a person's browser has, such as a history."""
    if not os.environ.get("CI"):
        pytest.importorskip("playwright")
    found = shutil.which("chromium")
    wanted(found, "chromium")
    return {"executable_path": found, "args": list(FLAGS)}


@pytest.fixture(scope="session")
def chromium(whole_chromium: dict[str, Any]) -> dict[str, Any]:
    """How to start Chromium: without windows, where that is there, for it takes half the processor time."""
    return whole_chromium | {
        "executable_path": shutil.which("chromium-headless-shell") or whole_chromium["executable_path"]
    }


@pytest.fixture(scope="session")
def browser(chromium: dict[str, Any]) -> Iterator[Any]:
    """Chromium."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        found = playwright.chromium.launch(**chromium)
        yield found
        found.close()


@pytest.fixture
def context(browser: Any) -> Iterator[Any]:
    """A reader who has not been here before, and lets pages use the clipboard."""
    found = browser.new_context(viewport={"width": 1280, "height": 900})
    found.grant_permissions(["clipboard-read", "clipboard-write"])
    yield found
    found.close()


@pytest.fixture
def home(context: Any, address: str) -> Any:
    """The home page, opened."""
    page = context.new_page()
    page.goto(address)
    return page
