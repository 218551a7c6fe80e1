"""What the tests share: a repository in a temporary folder, one fork server, the site's Markdown."""

from __future__ import annotations

import json
import os
import select
import shutil
import signal
import subprocess
from collections.abc import Callable, Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from filelock import FileLock

from same_device_site.settings import parse_page
from samedevice.devices import torch_build
from samedevice.outputs.checks import fault
from samedevice.outputs.output import Output
from samedevice.pages.page import Page
from samedevice.running.processes import Launcher
from samedevice.running.section_runner import SectionRunner

pytest_plugins = ("pytester",)

HERE = Path(__file__).parent


SLOW = {
    "bench": "the tools that measure: their figures are of what they say",
    "browser": "the site in Chromium: reading, copying, searching, playing, on every page",
    "faults": "full disks, kills, links, floods: nothing committed is lost, nothing is left behind",
    "gpu": "the kit that records on a machine with a GPU, and the archives that come back",
    "simulated_gpu": "the simulated GPU, where a CUDA build of PyTorch is installed",
    "trust": "the tools that try to fool the harness: they find what they should",
    "widgets": "the things to play with, run by Node and compared with PyTorch",
    "integration/test_cli.py": "the command of a wheel, and Ctrl-C in it",
    "integration/test_init.py": "`samedevice init` finds its way in other projects, and leaves what is theirs",
    "integration/test_material_site.py": "a real site with other plugins stays as it is",
    "integration/test_notebooks.py": "notebooks: converted, downloaded, run from the first cell to the last",
    "integration/test_other_projects.py": "projects without our conftest.py",
    "integration/test_pytest_entry.py": "a wheel and two lines are enough in another project",
    "integration/test_your_own_docs.py": "the page for other projects works as written",
    "integration/test_scripts.py": "scripts to take along run whole, process groups and all",
    "integration/test_zensical.py": "the other builder shows the same pages",
    "outputs/test_linear.py": "no output takes more than linear time to read",
    "same_device_site/test_markers.py": "every name on a page is one of PyTorch's",
    "test_copies.py": "what readers copy prints what the page shows",
    "test_injection.py": "made-up pages: nothing hides a block that ran",
    "test_one_way.py": "how many files and functions one block passes: a count, which is printed",
    "test_snippets.py": "the programs that no page runs in this way",
    "test_tools.py": "the tools: what they import is there, and what no other test uses does what it says",
}
"""The tests, by folder or module, that a run without arguments leaves to `make check`, and what they protect."""


def is_slow(path: Path) -> bool:
    """Whether a test module or its folder is in that list."""
    place = path.relative_to(HERE).as_posix() if path.is_relative_to(HERE) else ""
    return place.partition("/")[0] in SLOW or place in SLOW


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Leave what is slow out of a run that names neither files nor marks, and read nothing else if slow is the mark."""
    given = config.option.file_or_dir or config.option.markexpr or config.option.keyword
    if config.option.markexpr == "slow" and collection_path.match("test_*.py"):
        return None if is_slow(collection_path) else True
    return True if not given and is_slow(collection_path) else None


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark what is slow."""
    for item in items:
        if is_slow(item.path):
            item.add_marker("slow")


class SharedLauncher(Launcher):
    """A launcher that outlives the runners that use it."""

    def close(self) -> None:
        """Do nothing; `end` ends it."""

    def end(self) -> None:
        """End the fork server."""
        super().close()


class CodeBlocks(HTMLParser):
    """Collects the code blocks of rendered HTML as pairs of language and text."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[tuple[str, str]] = []
        self.language = ""
        self.inside = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Remember the language of a highlighted block; begin one at `<pre>`."""
        classes = (dict(attrs).get("class") or "").split()
        if tag == "div" and "highlight" in classes:
            self.language = next((name[9:] for name in classes if name.startswith("language-")), "")
        if tag == "pre":
            self.inside = True
            self.found.append((self.language, ""))

    def handle_endtag(self, tag: str) -> None:
        """End a block."""
        if tag == "pre":
            self.inside, self.language = False, ""

    def handle_data(self, data: str) -> None:
        """Take in text."""
        if self.inside:
            language, text = self.found.pop()
            self.found.append((language, text + data))


@pytest.fixture(scope="session")
def once(tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest) -> Callable[..., Path]:
    """Makes a folder by its name, for all of pytest's processes: the first one to need it fills it, the others wait."""
    several = hasattr(request.config, "workerinput")
    base = tmp_path_factory.getbasetemp().parent if several else tmp_path_factory.getbasetemp()

    def once(name: str, fill: Callable[[Path], object]) -> Path:
        folder, ready = base / name, base / f"{name}.ready"
        with FileLock(base / f"{name}.lock"):
            if not ready.exists():
                shutil.rmtree(folder, ignore_errors=True)
                folder.mkdir()
                fill(folder)
                ready.touch()
        return folder

    return once


@pytest.fixture(scope="session")
def launcher(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Launcher]:
    """One fork server for all tests, because each takes seconds to import torch."""
    shared = SharedLauncher(tmp_path_factory.mktemp("launcher"))
    shared.start()
    yield shared
    shared.end()


@pytest.fixture(autouse=True)
def only_one_core(monkeypatch: pytest.MonkeyPatch) -> None:
    """Hides this machine's GPUs, on which no test may depend; compute threads would wait for the cores of other tests.

    With two threads a script of seconds took four times the processor time beside other tests.
    """
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "")
    monkeypatch.setenv("OMP_NUM_THREADS", "1")


@pytest.fixture
def one_server(launcher: Launcher, monkeypatch: pytest.MonkeyPatch) -> Launcher:
    """Makes every SectionRunner of a test use the one fork server."""
    monkeypatch.setattr("samedevice.running.section_runner.Launcher", lambda folder, environ: launcher)
    return launcher


@pytest.fixture
def light_torch(monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory) -> None:
    """Has new processes import a stand-in for PyTorch with the version of the real one, which takes no time."""
    folder = tmp_path_factory.mktemp("light")
    shutil.copytree(HERE / "samples/light/torch", folder / "torch")
    (folder / "torch/version.py").write_text(f"__version__ = {torch_build().version!r}\n", encoding="utf-8")
    monkeypatch.setenv("PYTHONPATH", str(folder), prepend=os.pathsep)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A repository with an empty documentation folder."""
    (tmp_path / "docs").mkdir()
    return tmp_path


@pytest.fixture
def write(root: Path) -> Callable[..., Page]:
    """Writes a page, `docs/page.md` unless named otherwise, and parses it."""

    def write(text: str, name: str = "docs/page.md") -> Page:
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return parse_page(path, root)

    return write


@pytest.fixture
def run(one_server: Launcher, root: Path, write: Callable[..., Page]) -> Callable[..., tuple[Output | None, ...]]:
    """Writes a page, runs it on the CPU, and returns the outputs of its blocks."""

    def run(text: str, name: str = "docs/page.md", time_limit: float = 30) -> tuple[Output | None, ...]:
        with SectionRunner(root, time_limit, workers=1) as sessions:
            return sessions.run(write(text, name), "cpu").outputs

    return run


@pytest.fixture
def faults(one_server: Launcher, root: Path, write: Callable[..., Page]) -> Callable[..., list[str]]:
    """Writes a page, runs it on the CPU, and returns what a person is told is wrong with each block."""

    def faults(text: str, name: str = "docs/page.md", time_limit: float = 30) -> list[str]:
        page = write(text, name)
        with SectionRunner(root, time_limit, workers=1) as sessions:
            outputs = sessions.run(page, "cpu").outputs
        assert None not in outputs
        return [fault(block, "cpu", output) for block, output in zip(page.blocks, outputs, strict=True) if output]

    return faults


@pytest.fixture
def gone() -> Callable[[int], bool]:
    """Waits up to a minute for a process to end, on Linux, and tells whether it did."""

    def gone(process: int) -> bool:
        try:
            handle = os.pidfd_open(process)
        except ProcessLookupError:
            return True
        try:
            return bool(select.select([handle], [], [], 60)[0])
        finally:
            os.close(handle)

    return gone


def heed_interrupts() -> None:
    """A shell starts what it runs in the background with Ctrl-C ignored, and all its children inherit that."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


@pytest.fixture
def interrupt() -> Callable[..., tuple[str, list[int]]]:
    """Runs a command and presses Ctrl-C once a page has said through a pipe which processes are its own."""

    def interrupt(pipe: Path, *command: str) -> tuple[str, list[int]]:
        os.mkfifo(pipe)
        streams: dict[str, Any] = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "text": True}
        streams |= {"preexec_fn": heed_interrupts, "start_new_session": True}
        with subprocess.Popen(command, cwd=pipe.parent, **streams) as running:
            try:
                said = pipe.read_text(encoding="utf-8")
                os.killpg(running.pid, signal.SIGINT)
                return running.communicate(timeout=60)[0], [int(word) for word in said.split()]
            finally:
                running.kill()

    return interrupt


@pytest.fixture(scope="session")
def render() -> Callable[[str], str]:
    """Renders Markdown to HTML with the extensions of the site's mkdocs.yml."""
    from markdown import Markdown
    from mkdocs.config import load_config

    from samedevice.integration.extension import prepare

    config = load_config(str(HERE.parent / "mkdocs.yml"))
    options = {name: dict(given) for name, given in config.mdx_configs.items()}
    options.setdefault("pymdownx.highlight", {})["pygments_lang_class"] = True
    markdown = Markdown(extensions=list(config.markdown_extensions), extension_configs=options)
    prepare(markdown)

    def render(text: str) -> str:
        return str(markdown.reset().convert(text))

    return render


@pytest.fixture(scope="session")
def code_blocks() -> Callable[[str], list[tuple[str, str]]]:
    """Lists the code blocks of HTML as pairs of language and text."""

    def code_blocks(html: str) -> list[tuple[str, str]]:
        parser = CodeBlocks()
        parser.feed(html)
        return parser.found

    return code_blocks


@pytest.fixture
def build(one_server: object, root: Path) -> Any:
    """A build of this repository."""
    from made_build import Build

    return Build(root)


@pytest.fixture
def repository(pytester: pytest.Pytester, one_server: object) -> Any:
    """A repository with one page, whose pages share the one fork server."""
    from made_repository import Repository

    return Repository(pytester)


@pytest.fixture
def recorded(repository: Any) -> Any:
    """That repository, its page recorded on the CPU."""
    repository.pytest("--record")
    assert repository.recording().exists()
    return repository


WIDGETS = HERE.parent / "docs/assets/widgets"
Ask = Callable[[str, str, list[list[Any]]], list[Any]]
CALL = """
const [file, name, call] = process.argv.slice(1), fs = require("fs");
require("vm").runInThisContext(fs.readFileSync(file, "utf8"));
const special = (key, value) => typeof value === "number" && !Number.isFinite(value) ? String(value) : value;
const asked = JSON.parse(fs.readFileSync(0, "utf8"));
console.log(JSON.stringify(asked.map((given) => sdWidgets[name][call](...given)), special));
"""


@pytest.fixture(scope="session")
def ask() -> Ask:
    """Calls a function of a widget once for each list of arguments, and returns what it returned."""
    node = shutil.which("node")
    if node is None and not os.environ.get("CI"):
        pytest.skip("needs node")

    def ask(widget: str, function: str, given: list[list[Any]]) -> list[Any]:
        command = [node or "node", "-e", CALL, str(WIDGETS / f"{widget}.js"), widget, function]
        done = subprocess.run(command, input=json.dumps(given), capture_output=True, text=True, check=True)
        found: list[Any] = json.loads(done.stdout)
        return found

    return ask
