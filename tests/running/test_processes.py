"""How a page's process is started: forked, or where there is no fork, with an interpreter of its own."""

from __future__ import annotations

import io
import os
import queue
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from samedevice.errors import SessionError
from samedevice.outputs.checks import fault
from samedevice.outputs.environments import Run
from samedevice.outputs.output import Output
from samedevice.pages.page import Page
from samedevice.running.processes import Launcher, page_environ, read_messages
from samedevice.running.section_runner import SectionRunner

PAGE = """
```python
import os, sys
print("text")
os.write(2, b"descriptor 2\\n")
sys.stdin.read()
```

```python alt="A line."
import matplotlib.pyplot as plt

plt.plot([0, 1, 2], [0.5, 0.25, 0.75], label="loss")
plt.legend()
None
```

```console
$ python -c "print('child')"
```

```python
1 / 0
```

```python
os._exit(3)
```

```python
x = 2
```
"""


@pytest.fixture
def spawn(light_torch: None, root: Path, write: Callable[..., Page]) -> Callable[..., Run]:
    """Writes a page and runs it on the CPU in a new interpreter."""

    def spawn(text: str, time_limit: float) -> Run:
        with SectionRunner(root, time_limit) as sessions:
            sessions.launcher = Launcher(sessions.folder, fork=False)
            return sessions.run(write(text), "cpu")

    return spawn


def test_a_page_runs_the_same_without_fork(
    spawn: Callable[..., Run], one_server: Launcher, root: Path, write: Callable[..., Page]
) -> None:
    """Windows has no fork; its pages print and draw the same bytes, and fail the same."""
    page, spawned = write(PAGE), spawn(PAGE, 30)
    with SectionRunner(root) as sessions:
        forked = sessions.run(page, "cpu")
    assert spawned.outputs == forked.outputs
    assert spawned.environment is not None
    assert forked.environment is not None
    assert replace(spawned.environment, numpy=forked.environment.numpy) == forked.environment  # our torch has no NumPy
    outputs = [output for output in spawned.outputs if output]
    assert [output.shown for output in outputs[:3]] == ["text\ndescriptor 2\n''", "", "child"]
    assert len(outputs[1].figures) == 1
    told = [fault(block, "cpu", output).split("\n")[0] for block, output in zip(page.blocks, outputs, strict=True)]
    assert told[3:] == [
        "docs/page.md:21 on cpu raised ZeroDivisionError: division by zero",
        "docs/page.md:25 on cpu ended its process with exit status 3",
        "docs/page.md:29 on cpu was not run, because docs/page.md:25 ended its process",
    ]


def test_a_block_that_never_ends_is_killed_without_fork(
    spawn: Callable[..., Run], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The time limit is for a block, not for the page's whole life."""
    monkeypatch.setattr("samedevice.running.monitor.START_LIMIT", 20)
    run = spawn("```python\nx = 1\n```\n\n```python\nwhile True: pass\n```\n", 1)
    assert [output and output.died for output in run.outputs] == [
        "",
        "did not end within 1 s and was killed; make it shorter, or see what it waits for",
    ]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="the page says through a pipe that it runs")
def test_closing_ends_pages_and_starts_none_without_fork(
    light_torch: None, root: Path, write: Callable[..., Page]
) -> None:
    """Ctrl-C on Windows must not wait until the pages have reached their time limit."""
    os.mkfifo(root / "pipe")
    page = write("```console\n$ echo > pipe; exec sleep 600\n```\n")
    sessions = SectionRunner(root, time_limit=60, workers=1)
    sessions.launcher = Launcher(sessions.folder, fork=False)
    run = sessions.submit(page, "cpu")
    (root / "pipe").read_text()
    sessions.close()
    (output,) = run.result(timeout=50).outputs
    assert output is not None
    assert output.died
    with pytest.raises(SessionError, match=r"docs/page\.md: was not run, because the run was ended"):
        sessions.launcher.launch({"page": "docs/page.md"})


@pytest.mark.parametrize("fork", [True, False], ids=["fork", "spawn"])
def test_files_in_the_folder_of_whoever_builds_are_not_imported(
    light_torch: None, root: Path, write: Callable[..., Page], monkeypatch: pytest.MonkeyPatch, fork: bool
) -> None:
    """A file of theirs called json.py or timeit.py would take the place of Python's own, in us and in torch."""
    for name in ("json", "timeit", "stray"):
        (root / f"{name}.py").write_text("raise SystemExit('a file of the folder was imported')\n")
    monkeypatch.chdir(root)
    page = write("```python\nimport json, timeit\n```\n\n```python\nimport stray\n```\n", "site/docs/page.md")
    with SectionRunner(root / "site") as sessions:
        sessions.launcher = Launcher(sessions.folder, fork=fork)
        first, second = sessions.run(page, "cpu").outputs
    assert first == Output()
    assert second is not None
    assert second.raised is not None
    assert second.raised.message == "No module named 'stray'"


def test_the_same_picture_has_the_same_bytes_in_two_processes(
    one_server: Launcher, root: Path, write: Callable[..., Page]
) -> None:
    """A picture that differed by its ids would be recorded anew each time."""
    code = 'import matplotlib.pyplot as plt\nfor n in range(3):\n    plt.scatter([n, 2], [n, 1], label="$x_1$")\n'
    page = write(f'```python alt="Dots."\n{code}plt.legend(); plt.colorbar(); plt.hist([1, 2]); None\n```\n')
    with SectionRunner(root, workers=2) as sessions:
        one, two = (sessions.submit(page, "cpu").result().outputs[0] for _ in range(2))
    assert one is not None
    assert len(one.figures) == 1
    assert one == two


def test_a_message_that_a_crash_cut_off_is_dropped() -> None:
    """What came before it still counts."""
    found: queue.Queue[dict[str, object]] = queue.Queue()
    read_messages(io.BytesIO(b'{"start": 0}\n{"done": 0, "outp'), found)
    assert [found.get_nowait() for _ in range(found.qsize())] == [{"start": 0}, {"closed": True}]


def test_a_page_finds_the_python_and_the_packages_of_its_engine(tmp_path: Path) -> None:
    """Whatever `python` is first on the path of whoever runs the tests, it may have another PyTorch."""
    environ = page_environ(tmp_path)
    first = Path(environ["PATH"].split(os.pathsep)[0])
    if os.name == "posix":
        assert sys.executable in (first / "python").read_text()
        assert os.access(first / "torchrun", os.X_OK)
    assert Path(environ["PYTHONPATH"].split(os.pathsep)[0], "samedevice").is_dir()


@pytest.mark.parametrize(
    "name", ["PYTHONWARNINGS", "PYTHONUNBUFFERED", "MPLBACKEND", "COLUMNS", "TZ", "OMP_NUM_THREADS"]
)
def test_a_pages_environment_does_not_depend_on_whoever_starts_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    """The same page must print the same in every terminal."""
    before = page_environ(tmp_path)[name]
    monkeypatch.setenv(name, "3")
    assert page_environ(tmp_path)[name] == before
