"""The fork server: what it leaves behind when it ends, and what it survives."""

from __future__ import annotations

import os
import signal
import subprocess
import tempfile
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from samedevice.errors import SessionError
from samedevice.outputs.output import Output
from samedevice.pages.page import Page
from samedevice.running.forkserver import kill_group
from samedevice.running.processes import CAN_FORK, Launcher
from samedevice.running.section_runner import SectionRunner

LIGHT_TORCH = Path(__file__).parents[1].joinpath("samples") / "light/torch/__init__.py"

pytestmark = pytest.mark.skipif(not CAN_FORK, reason="there is no fork here")


@pytest.fixture
def pages(root: Path, write: Callable[..., Page]) -> list[Page]:
    """Six pages that each say the number of a child through the pipe and never end."""
    os.mkfifo(root / "pipe")
    text = "```console\n$ sh -c 'echo $$ > pipe; exec sleep 600'\n```\n"
    return [write(text, f"docs/{name}.md") for name in "abcdef"]


@pytest.mark.skipif(not hasattr(os, "pidfd_open"), reason="waits for a process by its descriptor, as Linux can")
def test_closing_ends_the_server_and_what_runs_and_starts_nothing_new(
    light_torch: None, root: Path, pages: list[Page], gone: Callable[[int], bool]
) -> None:
    """Ctrl-C must end all of it at once: no process may hold the GPU, no queued page may start."""
    sessions = SectionRunner(root, time_limit=60, workers=1)
    runs = [sessions.submit(page, "cpu") for page in pages]
    child = int((root / "pipe").read_text())
    assert sessions.launcher.server is not None
    server = sessions.launcher.server
    sessions.close()
    assert server.returncode is not None
    assert gone(child)
    assert all(run.cancelled() or run.exception() or died(run.result()) for run in runs)
    assert not sessions.folder.exists()
    assert sessions.launcher.server is None


@pytest.mark.parametrize("workers", [1, 2])
def test_closing_starts_nothing_new_however_the_threads_run(
    light_torch: None, root: Path, pages: list[Page], monkeypatch: pytest.MonkeyPatch, workers: int
) -> None:
    """A thread whose page was killed, or was just about to start, must not take a new server for the next."""
    sessions = SectionRunner(root, time_limit=3, workers=workers)
    close, closed, make, made = sessions.launcher.close, threading.Event(), tempfile.mkdtemp, list[str]()

    def make_late(dir: Path) -> str:
        """A page's folder; for all but the first page only once the server is closed."""
        if made:
            closed.wait(10)
            dir.mkdir(exist_ok=True)
        made.append(make(dir=dir))
        return made[-1]

    monkeypatch.setattr("samedevice.running.section_runner.tempfile.mkdtemp", make_late)
    monkeypatch.setattr(sessions.launcher, "close", lambda: (close(), closed.set()))
    runs = [sessions.submit(page, "cpu") for page in pages]
    (root / "pipe").read_text()
    sessions.close()
    server = sessions.launcher.server
    sessions.launcher.close()
    assert server is None
    assert not any(run.running() for run in runs)
    assert not sessions.folder.exists()


def died(run: object) -> bool:
    """Whether the first block of a run had to end."""
    return bool(run.outputs[0].died)  # type: ignore[attr-defined]


def test_ctrl_c_while_torch_is_imported_is_for_the_parent_alone(
    root: Path, write: Callable[..., Page], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A terminal sends it to all; a traceback out of the middle of torch tells a person nothing."""
    for name in ("importing", "go on"):
        os.mkfifo(root / name)
    slow = f"open({str(root / 'importing')!r}, 'w').close(); open({str(root / 'go on')!r}).close()\n"
    (root / "torch").mkdir()
    (root / "torch/__init__.py").write_text(slow + LIGHT_TORCH.read_text(encoding="utf-8"), encoding="utf-8")
    monkeypatch.setenv("PYTHONPATH", str(root), prepend=os.pathsep)
    with SectionRunner(root) as sessions:
        run = sessions.submit(write("```python\nprint(1)\n```\n"), "cpu")
        (root / "importing").read_bytes()
        assert sessions.launcher.server is not None
        sessions.launcher.server.send_signal(signal.SIGINT)
        resume = threading.Thread(target=(root / "go on").write_bytes, args=[b""], daemon=True)
        resume.start()
        assert run.result().outputs == (Output("1\n"),)


def test_ctrl_c_while_the_server_is_started_leaves_no_server(
    light_torch: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It went on to import torch in a folder that was gone, and MKL complained."""
    started = []

    class Interrupted(subprocess.Popen[bytes]):
        def __init__(self, *given: Any, **named: Any) -> None:
            super().__init__(*given, **named)
            started.append(self)
            signal.raise_signal(signal.SIGINT)

    monkeypatch.setattr("samedevice.running.processes.subprocess.Popen", Interrupted)
    launcher, before = Launcher(tmp_path), signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with pytest.raises(KeyboardInterrupt):
            launcher.start()
    finally:
        signal.signal(signal.SIGINT, before)  # a shell that starts the tests in the background has it ignored
        launcher.close()
    assert [server.returncode for server in started] == [0]


def test_a_server_that_has_ended_is_told_for_every_page(
    root: Path, write: Callable[..., Page], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where torch is missing, or the kernel killed the server, a traceback of sockets would tell a person nothing."""
    (root / "torch.py").write_text("raise ImportError('no torch here')")
    monkeypatch.setenv("PYTHONPATH", str(root), prepend=os.pathsep)
    with SectionRunner(root) as sessions:
        for name in "abc":
            page = write("```python\n1\n```\n", f"docs/{name}.md")
            with pytest.raises(SessionError, match=rf"docs/{name}\.md: .*is torch installed\?"):
                sessions.run(page, "cpu")
            assert sessions.launcher.server is not None
            sessions.launcher.server.wait(10)


def test_a_server_that_does_not_answer_is_killed_and_named(
    root: Path, write: Callable[..., Page], monkeypatch: pytest.MonkeyPatch
) -> None:
    """An import of torch that hangs, as with a broken driver, must not make the whole run hang."""
    (root / "torch.py").write_text("import time\ntime.sleep(600)\n")
    monkeypatch.setenv("PYTHONPATH", str(root), prepend=os.pathsep)
    monkeypatch.setattr("samedevice.running.processes.SERVER_LIMIT", 0.1)
    with SectionRunner(root) as sessions:
        with pytest.raises(SessionError, match=r"docs/page\.md: .* did not answer within 0\.1 s .*import torch"):
            sessions.run(write("```python\n1\n```\n"), "cpu")
        assert sessions.launcher.server is not None
        assert sessions.launcher.server.wait(60) == -signal.SIGKILL


def test_closing_does_not_wait_for_a_server_that_hangs(
    root: Path, write: Callable[..., Page], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ctrl-C must end the run."""
    (root / "torch.py").write_text("import time\ntime.sleep(600)\n")
    monkeypatch.setenv("PYTHONPATH", str(root), prepend=os.pathsep)
    monkeypatch.setattr("samedevice.running.processes.CLOSE_LIMIT", 0.1)
    sessions = SectionRunner(root)
    sessions.launcher.start()
    server = sessions.launcher.server
    assert server is not None
    sessions.close()
    assert server.wait(60) == -signal.SIGKILL


BROKEN = ["raise ImportError('no such module')", "raise ValueError('numpy.dtype size changed')"]


@pytest.mark.parametrize("code", BROKEN, ids=["missing", "broken"])
def test_a_module_that_cannot_be_imported_ahead_does_not_end_the_server(
    light_torch: None, root: Path, write: Callable[..., Page], monkeypatch: pytest.MonkeyPatch, code: str
) -> None:
    """Importing ahead only saves time; a machine with a broken pandas must still run the pages that merely name it."""
    monkeypatch.setattr("samedevice.running.section_runner.HEAVY", {"word": "heavy"})
    monkeypatch.setenv("PYTHONPATH", str(root), prepend=os.pathsep)
    (root / "heavy.py").write_text(code)
    page = write("```python\n# a word\nprint(1)\n```\n")
    with SectionRunner(root) as sessions:
        assert sessions.run(page, "cpu").outputs == (Output("1\n"),)


def test_a_group_that_has_ended_can_be_killed() -> None:
    """A page may have ended between the look and the kill."""
    process = os.fork()
    if process == 0:
        os._exit(0)
    os.waitpid(process, 0)
    kill_group(process)


def test_a_page_collects_its_own_garbage_alone(one_server: object, root: Path, write: Callable[..., Page]) -> None:
    """To look through all that the server imported would copy its memory for each page."""
    page = write("```python\nimport gc\n\ngc.isenabled(), gc.get_freeze_count() > len(gc.get_objects())\n```\n")
    with SectionRunner(root) as sessions:
        assert sessions.run(page, "cpu").outputs == (Output(value="(True, True)"),)


LEFT = """
```console
$ setsid sleep 600 & echo $! > one
$ (setsid sh -c 'setsid sleep 600 & echo $! > three; exec sleep 600' & echo $! > two)
$ while [ ! -s three ]; do :; done
```

```python
{code}
```
"""
ENDS = {"as it should": "1", "by a signal": "import os; os.abort()", "too late": "while True: pass"}


@pytest.mark.skipif(not hasattr(os, "pidfd_open"), reason="only Linux tells the server of them")
@pytest.mark.parametrize("code", ENDS.values(), ids=ENDS.keys())
def test_what_a_page_leaves_running_in_sessions_of_its_own_ends_with_it(
    one_server: object, root: Path, write: Callable[..., Page], gone: Callable[[int], bool], code: str
) -> None:
    """A daemon that a page starts would hold a core, or the GPU's memory, until the machine is restarted."""
    with SectionRunner(root, time_limit=2) as sessions:
        sessions.run(write(LEFT.format(code=code)), "cpu")
    assert [gone(int((root / name).read_text())) for name in ("one", "two", "three")] == [True] * 3


@pytest.mark.skipif(not hasattr(os, "pidfd_open"), reason="only Linux tells the server of them")
def test_what_another_page_has_running_goes_on(light_torch: None, root: Path, write: Callable[..., Page]) -> None:
    """Ending one page must not end the children of the next one."""
    for name in ("begun", "go on"):
        os.mkfifo(root / name)
    waits = "$ setsid sh -c 'echo > begun; cat \"go on\"' & wait $!\n"
    with SectionRunner(root, time_limit=20, workers=2) as sessions:
        run = sessions.submit(write(f"```console\n{waits}```\n", "docs/waits.md"), "cpu")
        (root / "begun").read_text()
        sessions.run(write("```console\n$ setsid sleep 600 &\n```\n"), "cpu")
        (root / "go on").write_text("went on\n")
        assert run.result().outputs == (Output("went on\n"),)


@pytest.mark.skipif(not hasattr(os, "pidfd_open"), reason="waits for a process by its descriptor, as Linux can")
def test_where_the_server_is_killed_what_pages_run_ends_too(
    light_torch: None, root: Path, pages: list[Page], gone: Callable[[int], bool]
) -> None:
    """The kernel does that when memory runs out."""
    with SectionRunner(root, time_limit=60, workers=1) as sessions:
        run = sessions.submit(pages[0], "cpu")
        child = int((root / "pipe").read_text())
        assert sessions.launcher.server is not None
        sessions.launcher.server.kill()
        assert died(run.result())
        assert gone(child)


def test_a_server_that_a_block_kills_is_started_again_and_the_block_is_named(
    light_torch: None, root: Path, write: Callable[..., Page]
) -> None:
    """One page must not fail all that come after it."""
    killer = write("```python\nimport os, signal, time\nos.kill(os.getppid(), signal.SIGKILL)\ntime.sleep(60)\n```\n")
    good = write("```python\nprint(1)\n```\n", "docs/good.md")
    with SectionRunner(root, workers=1) as sessions:
        for _ in range(2):
            (told,) = sessions.run(killer, "cpu").outputs
            assert told is not None
            assert "something killed the process that starts pages, this block or" in told.died
            assert sessions.run(good, "cpu").outputs == (Output("1\n"),)


@pytest.mark.parametrize("above", ["parent", "parent.parent"])
@pytest.mark.parametrize("fork", [True, False], ids=["fork", "spawn"])
def test_a_block_that_removes_a_folder_above_its_own_fails_no_other(
    light_torch: None, root: Path, write: Callable[..., Page], above: str, fork: bool
) -> None:
    """A test of `shutil.rmtree` may go wrong. What pages find there is there again: programs, a place for files."""
    page = write(f"```python\nimport shutil, pathlib\nshutil.rmtree(pathlib.Path.cwd().{above})\n```\n")
    programs = "print(os.path.dirname(shutil.which('python')) in os.environ['PATH'].split(os.pathsep)[0])"
    code = f"import os, shutil, tempfile\n{programs}\ntempfile.mkdtemp() and 1"
    good = write(f"```python\n{code}\n```\n", "docs/good.md")
    with SectionRunner(root, workers=1) as sessions:
        sessions.launcher = Launcher(sessions.folder, fork=fork)
        sessions.run(page, "cpu")
        assert sessions.run(good, "cpu").outputs == (Output("True\n", "1"),)
        assert sessions.run(good, "cpu").outputs == (Output("True\n", "1"),)


NO_PROCESS = """
import errno, os

fork = os.fork

def once():
    os.fork = fork
    raise BlockingIOError(errno.EAGAIN, os.strerror(errno.EAGAIN))

os.fork = once
"""


def test_a_page_for_which_there_is_no_process_left_is_told_and_the_next_one_runs(
    root: Path, write: Callable[..., Page], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A machine may be short of processes for a moment; the server must outlive it."""
    (root / "torch").mkdir()
    (root / "torch/__init__.py").write_text(NO_PROCESS + LIGHT_TORCH.read_text(encoding="utf-8"), encoding="utf-8")
    monkeypatch.setenv("PYTHONPATH", str(root), prepend=os.pathsep)
    page = write("```python\nprint(1)\n```\n")
    with SectionRunner(root) as sessions:
        with pytest.raises(SessionError, match=r"docs/page\.md: .*\n.*end other processes, or raise the limit"):
            sessions.run(page, "cpu")
        assert sessions.run(page, "cpu").outputs == (Output("1\n"),)
