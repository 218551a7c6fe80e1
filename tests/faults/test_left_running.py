"""What a page leaves running, and a page that starts all the processes that it may: nothing of it outlives the run."""

from __future__ import annotations

import contextlib
import os
import sys
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from faults.conftest import Checkout


pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="looks for processes in /proc")

LEAVES = {
    "threads": "import threading, time\nfor _ in range(8): threading.Thread(target=time.sleep, args=[600]).start()",
    "daemon threads that print": """\
import threading

def flood():
    while True: print("x" * 1000)

threading.Thread(target=flood, daemon=True).start()
import time
time.sleep(0.1)""",
    "processes of multiprocessing": """\
import multiprocessing, time
multiprocessing.get_context("fork").Process(target=time.sleep, args=[600], daemon=True).start()""",
    "children": "import subprocess\nfor _ in range(4): subprocess.Popen(['sleep', '600'])",
    "children in sessions of their own": """\
import subprocess
for _ in range(4): subprocess.Popen(['sleep', '600'], start_new_session=True)""",
    "a daemon, by the book": """\
import os, time
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        os.chdir("/")
        for descriptor in range(3, 256):
            try: os.close(descriptor)
            except OSError: pass
        time.sleep(600)
    os._exit(0)
os.wait()""",
    "63 processes that no signal but one ends": """\
import os, signal, time
first = os.getpid()
for _ in range(6): os.fork()
if os.getpid() != first:
    os.setsid()
    for number in set(signal.Signals) - {signal.SIGKILL, signal.SIGSTOP}: signal.signal(number, signal.SIG_IGN)
    time.sleep(600)""",
    "children without an environment": "import subprocess\nsubprocess.Popen(['setsid', 'sleep', 'SECONDS'], env={})",
}


@pytest.mark.parametrize("code", LEAVES.values(), ids=LEAVES.keys())
def test_what_a_page_leaves_running_does_not_outlive_it(recorded: Checkout, code: str) -> None:
    """A core, or the memory of the GPU, would be taken until the machine is restarted."""
    seconds = str(600_000 + os.getpid())  # other tests run meanwhile
    recorded.page(f'```python numbers="vary"\n{code.replace("SECONDS", seconds)}\nNone\n```\n', "leaves")
    output = recorded.record()
    assert "3 passed" in output or "recorded docs/leaves.md" in output
    assert recorded.all_end()
    assert not [path for path in Path("/proc").glob("[0-9]*/cmdline") if f"sleep\0{seconds}".encode() in read(path)]
    assert recorded.left == []


def read(path: Path) -> bytes:
    """The content of a file that may be gone."""
    with contextlib.suppress(OSError):
        return path.read_bytes()
    return b""


@pytest.fixture
def limited(recorded: Checkout) -> Iterator[Checkout]:
    """That checkout, in which all programs together may have 120 processes and threads, as the kernel sees to."""
    folder = next((Path(path) for path in ("/sys/fs/cgroup/pids", "/sys/fs/cgroup")), Path())
    group = folder / f"samedevice-{uuid.uuid4().hex[:8]}"
    try:
        group.mkdir()
        (group / "pids.max").write_text("120")
    except OSError:
        with contextlib.suppress(OSError):
            group.rmdir()
        pytest.skip("needs a system that lets us limit processes by a control group")
    recorded.around = ["sh", "-c", f'echo $$ > {group}/cgroup.procs && exec "$@"', "sh"]
    yield recorded
    assert recorded.all_end()
    group.rmdir()


BOMBS = {
    "gives up": "import os\nwhile True: os.fork()",
    "goes on": """\
import os, time
end = time.monotonic() + 1
while time.monotonic() < end:
    try:
        if os.fork() == 0: os.setsid()
    except OSError: pass""",
}


@pytest.mark.parametrize("code", BOMBS.values(), ids=BOMBS.keys())
def test_a_fork_bomb_within_limits_is_told_and_ends_with_its_page(limited: Checkout, code: str) -> None:
    """The limit is the system's; what we owe is that nothing recorded is lost, that all of it ends, and a message."""
    before = limited.recordings
    limited.page(f"# Bomb\n\n```python\n{code}\n```\n", "bomb")
    output = limited.record()
    assert limited.all_end()
    assert before.items() <= limited.recordings.items()
    assert "INTERNALERROR" not in output
    if code == BOMBS["gives up"]:
        assert "docs/bomb.md:3 on cpu raised BlockingIOError: [Errno 11] Resource temporarily unavailable" in output
        assert "bomb.json" not in limited.recordings
    assert limited.left == []
    assert "passed" in limited.run("pytest", "docs/page.md")
