"""`samedevice check`: a served page on this machine; what a person sees, and the exit status."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import tarfile
import threading
from collections.abc import Callable, Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from samedevice.devices import TorchBuild
from samedevice.exporting.check_export import check_export
from samedevice.integration import check as checking
from samedevice.integration.cli import DIFFERENT, FAILED, SAME, arguments, main
from samedevice.integration.fetching import beside
from samedevice.outputs.output import Output
from samedevice.outputs.recordings import update
from samedevice.pages.page import Page
from samedevice.project import PACKAGE
from samedevice.running.processes import Launcher
from samedevice.running.section_runner import SectionRunner

Write = Callable[..., Page]
PAGE = "# Title\n\n```python\nx = 6\nx * 7\n```\n\n```python\nopen('data.txt', 'w').close()\nprint('two')\n```\n"


@pytest.fixture
def publish(root: Path, write: Write, one_server: Launcher) -> Iterator[Callable[..., str]]:
    """Writes a page and what an environment printed for it; returns the address where it is served."""
    site = root / "site"
    site.mkdir()

    class Quiet(SimpleHTTPRequestHandler):
        def log_message(self, *_: object) -> None:
            """Say nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(site))) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()

        def publish(text: str = PAGE, printed: tuple[str, ...] | None = None) -> str:
            page = write(text)
            with SectionRunner(root, workers=1) as sessions:
                run = sessions.run(page, "cpu")
            assert run.environment is not None
            outputs = [Output(value=one) for one in printed] if printed else run.outputs
            recorded = update(None, page, run.environment, outputs)
            assert recorded is not None
            (site / "page.check.json").write_text(check_export(page, "Title", {}, [recorded]), encoding="utf-8")
            return f"http://127.0.0.1:{server.server_port}/page.html"

        yield publish
        server.shutdown()


@pytest.mark.parametrize(
    ("page", "file"),
    [
        ("https://x.org/a/b.html?device=cuda#err-x", "https://x.org/a/b.check.json"),
        ("https://x.org/a/", "https://x.org/a/index.check.json"),
        ("https://x.org", "https://x.org/index.check.json"),
        ("https://x.org/a/b.py", "https://x.org/a/b.check.json"),
        ("https://x.org/a/b.check.json", "https://x.org/a/b.check.json"),
    ],
)
def test_the_file_is_beside_the_page(page: str, file: str) -> None:
    """Readers copy the address from the browser, with what hangs on it."""
    assert beside(page) == file


def test_a_machine_that_prints_the_same(publish: Callable[..., str], capsys: pytest.CaptureFixture[str]) -> None:
    """It says first what it runs."""
    assert main(["check", publish(), "--yes"]) == 0
    said = capsys.readouterr().out
    assert said.startswith('"Title" (docs/page.md): 2 of 2 blocks\n    1 python   x = 6\n')
    assert "2 blocks print what was recorded, 0 blocks print something else." in said


def test_a_machine_that_prints_something_else(publish: Callable[..., str], capsys: pytest.CaptureFixture[str]) -> None:
    """As a diff below the code."""
    assert main(["check", publish(printed=("41", "two")), "--yes"]) == 1
    said = capsys.readouterr().out
    assert "1 block prints what was recorded, 1 block prints something else." in said
    assert "block 1 (docs/page.md:3):\n    x = 6\n    x * 7\n" in said
    assert "-41\n  +42" in said


def test_a_local_file_will_do(root: Path, publish: Callable[..., str]) -> None:
    """A machine with a GPU may have no network."""
    publish()
    assert main(["check", str(root / "site/page.check.json"), "--yes"]) == 0


@pytest.mark.parametrize(("answer", "status"), [("y", 0), ("n", 2), (None, 2)])
def test_it_asks(publish: Callable[..., str], monkeypatch: pytest.MonkeyPatch, answer: str | None, status: int) -> None:
    """Code from the network runs with the reader's rights."""

    def say(prompt: str) -> str:
        if answer is None:
            raise EOFError
        return answer

    monkeypatch.setattr("builtins.input", say)
    assert main(["check", publish()]) == status


def test_a_recording_can_be_contributed(
    root: Path, publish: Callable[..., str], capsys: pytest.CaptureFixture[str]
) -> None:
    """`make gpu-import` takes it."""
    archive = root / "mine.tar.gz"
    assert main(["check", publish(), "--yes", "--record", str(archive)]) == 0
    assert f"make gpu-import ARCHIVE={archive}" in capsys.readouterr().out
    with tarfile.open(archive) as packed:
        names = packed.getnames()
    assert {"record.log", "results.json"} < set(names)
    assert any(name.endswith("/page.json") for name in names)


@pytest.mark.parametrize(
    ("page", "told"),
    [
        ("http://127.0.0.1:9/x.html", "the server cannot be reached"),
        ("ftp://127.0.0.1/x.html", "only addresses that begin with https://"),
        ("no-such-file.json", "No such file"),
    ],
)
def test_what_cannot_be_fetched(page: str, told: str, capsys: pytest.CaptureFixture[str]) -> None:
    """No network, no such file: one line, no traceback."""
    assert main(["check", page, "--yes"]) == 2
    said = capsys.readouterr().err
    assert said.startswith("samedevice: ")
    assert said.count("\n") == 1
    assert told in said


def test_no_such_page(publish: Callable[..., str], capsys: pytest.CaptureFixture[str]) -> None:
    """The site is there, the page is not; or it is a page of somebody else."""
    assert main(["check", publish().replace("page.html", "gone.html"), "--yes"]) == 2
    assert "no such page (404" in capsys.readouterr().err


def test_a_package_is_missing(publish: Callable[..., str], capsys: pytest.CaptureFixture[str]) -> None:
    """All that are missing at once, with the command that installs them; nothing is run."""
    text = "# T\n\n```python\nif False:\n    import no_such_one, no_such_other\n```\n"
    assert main(["check", publish(text), "--yes"]) == 2
    assert "-m pip install no_such_one no_such_other" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("build", "device", "told"),
    [
        (TorchBuild("2.4.1", False), "cpu", "PyTorch 2.4.1 is too old; install 2.9 or newer"),
        (TorchBuild("", False), "cpu", "PyTorch is not installed"),
        (TorchBuild("2.13.0+cpu", False), "cuda", "is built without CUDA"),
    ],
)
def test_a_machine_that_cannot_run_it(
    publish: Callable[..., str],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    build: TorchBuild,
    device: str,
    told: str,
) -> None:
    """PyTorch too old, none, or no GPU."""
    address = publish()
    for place in (checking, sys.modules["samedevice.devices"]):
        monkeypatch.setattr(place, "torch_build", lambda: build)
    assert main(["check", address, "--yes", "--device", device]) == 2
    assert told in capsys.readouterr().err


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such signal")
def test_ctrl_c_ends_it(root: Path, publish: Callable[..., str]) -> None:
    """With all that it started, and one line."""
    address = publish(
        "# T\n\n```python\nimport os\nif 'WAIT' in os.environ: input = __import__('time').sleep(600)\n```\n"
    )
    command = [sys.executable, "-m", "samedevice", "check", address, "--yes"]
    environ = os.environ | {"WAIT": "1", "PYTHONPATH": str(PACKAGE.parent)}
    heed = partial(signal.signal, signal.SIGINT, signal.default_int_handler)
    pipes: dict[str, Any] = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    with subprocess.Popen(command, env=environ, preexec_fn=heed, **pipes) as running:
        assert running.stdout is not None
        while "your rights" not in running.stdout.readline():
            pass
        running.send_signal(signal.SIGINT)
        _, said = running.communicate(timeout=60)
    assert running.returncode == 130
    assert said == "\nsamedevice: stopped; nothing was written\n"


DOCUMENTS = ("README.md", "CONTRIBUTING.md", "docs/about/how-it-works.md")


def documented() -> list[str]:
    """The commands that the documents give."""
    texts = [(PACKAGE.parents[1] / name).read_text(encoding="utf-8") for name in DOCUMENTS]
    return [found.strip("` ") for text in texts for found in re.findall(r"samedevice check ADDRESS[^\n#`]*", text)]


@pytest.mark.parametrize("command", documented())
def test_the_documented_commands_are_understood(command: str) -> None:
    """And the three documents have some."""
    assert arguments(command.split()[1:]).page == "ADDRESS"
    assert len(documented()) >= 5


def test_the_documented_statuses_are_those_of_the_command() -> None:
    """Somebody's script depends on them."""
    text = (PACKAGE.parents[1] / "docs/about/how-it-works.md").read_text(encoding="utf-8")
    (sentence,) = [one for one in re.findall(r"[^.]*\.", text) if f"status {SAME} " in one]
    assert [int(one) for one in re.findall(r"\b\d\b", sentence)] == [SAME, DIFFERENT, FAILED]


def test_it_needs_neither_mkdocs_nor_sybil() -> None:
    """A reader's machine has PyTorch, and no tools for documentation."""
    code = "import sys; sys.modules |= dict.fromkeys(['mkdocs', 'sybil', 'markdown', 'jinja2', 'rcssmin', 'pytest'])\n"
    code += "import samedevice.integration.cli; assert 'torch' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True, env=os.environ | {"PYTHONPATH": str(PACKAGE.parent)})


def test_a_built_wheel_has_the_command(
    tmp_path: Path, installed: Callable[..., Path], publish: Callable[..., str]
) -> None:
    """In an environment of its own, which has nothing but PyTorch and what PyTorch needs."""
    programs = installed("torch", "numpy")
    environ = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
    pipes: dict[str, Any] = {"capture_output": True, "text": True, "check": False, "env": environ, "cwd": tmp_path}
    done = subprocess.run([programs / "samedevice", "check", publish(), "--yes"], **pipes)
    assert done.returncode == 0, done.stderr
    assert "2 blocks print what was recorded" in done.stdout
    refused = subprocess.run([programs / "python", "-c", "import mkdocs"], **pipes)
    assert "No module named 'mkdocs'" in refused.stderr
