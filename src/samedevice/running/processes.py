"""processes: starts a page's process, by fork server or as a new interpreter, and reads its messages."""

from __future__ import annotations

import contextlib
import json
import os
import queue
import shlex
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import IO, Any

from samedevice.errors import SessionError
from samedevice.project import PACKAGE

CAN_FORK = hasattr(os, "fork") and hasattr(socket, "send_fds")

SERVER_LIMIT = 300.0
"""Seconds that the fork server may take to answer, its import of torch included."""
CLOSE_LIMIT = 20.0
"""Seconds that the fork server may take to kill what still runs, and to end."""
COMMANDS, TEMPORARY = "bin", "tmp"
"""Folders of a run: the programs of pages, and their temporary files."""

Message = dict[str, Any]


def closed() -> Message:
    """The message that follows all others of a forked process."""
    return {"closed": True}


def read_messages(stream: IO[bytes], into: queue.Queue[Message], last: Callable[[], Message] = closed) -> None:
    """Put each line of JSON into the queue, then `last`; a line that a crash cut off is dropped."""
    with stream, contextlib.suppress(OSError):
        for line in stream:
            try:
                into.put(json.loads(line))
            except ValueError:
                continue
    into.put(last())


def listen(*to: Any) -> None:
    """Call `read_messages` in a thread. Raises SessionError where none can be started."""
    try:
        threading.Thread(target=read_messages, args=to, daemon=True).start()
    except RuntimeError as error:
        raise SessionError(f"{error}; end other processes, or raise the limit (ulimit -u)") from None


@contextlib.contextmanager
def uninterrupted() -> Iterator[None]:
    """A Ctrl-C within the block takes effect at its end.

    So a process that is started there is known to whoever must end it. Python handles signals in the main thread, and
    in other threads this does nothing.
    """
    before = signal.getsignal(signal.SIGINT)
    if threading.current_thread() is not threading.main_thread() or not callable(before):
        yield
        return
    caught: list[Any] = []
    signal.signal(signal.SIGINT, lambda *call: caught.append(call))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
    if caught:
        before(*caught[0])


class ForkedProcess:
    """A page's process made by the fork server. Raises TimeoutError if the server does not answer within `limit` s."""

    def __init__(self, control: socket.socket, job: Message, limit: float) -> None:
        self.messages: queue.Queue[Message] = queue.Queue()
        self.jobs, theirs = socket.socketpair()
        """Where the process reads further jobs, if it stays; closed, if it does not."""
        stream, first = self.jobs.makefile("rb"), Message()
        self.jobs.settimeout(limit)
        try:
            with theirs:
                socket.send_fds(control, [b"!"], [theirs.fileno()])
            self.send(job)
            first = json.loads(stream.readline().strip() or "{}")
        except TimeoutError:
            stream.close()
            self.jobs.close()
            raise
        except OSError:  # the server has ended
            pass
        self.jobs.settimeout(None)
        if not job["stays"]:
            self.jobs.close()
        self.group = first.get("group", 0)
        self.lost = not first
        """Whether the server had ended before it answered."""
        if "crash" in first:
            self.messages.put(first)
        listen(stream, self.messages)

    def send(self, job: Message) -> None:
        """Give another job to a process that stays. Raises OSError if it has ended."""
        self.jobs.sendall(json.dumps(job).encode() + b"\n")

    def end(self) -> None:
        """Have a process that stays end: there are no more jobs."""
        with contextlib.suppress(OSError):  # it does not stay
            self.jobs.shutdown(socket.SHUT_WR)  # to close it would not do while its messages are read
        self.jobs.close()

    def wait(self) -> None:
        """Wait until it has ended; if that takes too long, kill it."""
        with contextlib.suppress(queue.Empty):
            while not {"exit", "closed"} & self.messages.get(timeout=CLOSE_LIMIT).keys():
                pass
            return
        self.kill()

    def kill(self) -> None:
        """Kill the process and all that it started."""
        if self.group:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self.group, signal.SIGKILL)


class SpawnedProcess:
    """A page's process with an interpreter of its own, where there is no fork."""

    def __init__(self, environ: dict[str, str], job: Message) -> None:
        pipe = subprocess.PIPE
        command = [sys.executable, "-m", "samedevice.running.worker"]
        self.process = subprocess.Popen(command, stdin=pipe, stdout=pipe, env=environ, cwd=job["folder"])
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        with contextlib.suppress(OSError), self.process.stdin as stream:  # it may have ended already
            stream.write(json.dumps(job).encode() + b"\n")
        self.messages: queue.Queue[Message] = queue.Queue()
        listen(self.process.stdout, self.messages, lambda: {"exit": self.process.wait()})

    def end(self) -> None:
        """Do nothing: it ends by itself."""

    def kill(self) -> None:
        """Kill the process."""
        self.process.kill()


class Launcher:
    """Starts page processes; keeps the fork server. `folder` is where it may put files, `environ` is added to theirs.

    A server that has started a process and ends, because something killed it, is started again for the next one. One
    that never started any is not: it would end again.
    """

    def __init__(self, folder: Path, fork: bool = CAN_FORK, environ: Mapping[str, str] | None = None) -> None:
        self.folder = folder
        self.fork = fork
        self.environ = environ or {}
        self.control: socket.socket | None = None
        self.server: subprocess.Popen[bytes] | None = None
        self.spawned: list[SpawnedProcess] = []
        self.served = False
        self.closed = False
        self.lock = threading.Lock()

    def start(self) -> None:
        """Start the fork server, unless it runs; returns at once, while it still imports torch. Raises SessionError."""
        if self.control is not None or not self.fork:
            return
        with uninterrupted():
            ours, theirs = socket.socketpair()
            control = theirs.fileno()
            command = [sys.executable, "-m", "samedevice.running.forkserver", str(control), str(self.folder)]
            how: dict[str, Any] = {"cwd": self.folder, "stdin": subprocess.DEVNULL, "pass_fds": [control]}
            try:
                with theirs:
                    # a session of its own: if our process group is killed, it lives on to end what pages started
                    self.server = subprocess.Popen(command, env=self._environ(), start_new_session=True, **how)
            except OSError as error:
                ours.close()
                what = f"the process that runs pages cannot be started ({error.strerror})"
                raise SessionError(f"{what}; make room in {self.folder.parent}, or end other processes") from None
            self.control = ours

    def _environ(self) -> dict[str, str]:
        """The environment of the server and of every page's process."""
        return {**page_environ(self.folder), **self.environ}

    def launch(self, job: Message) -> ForkedProcess | SpawnedProcess:
        """A process that runs this job. Raises SessionError if the launcher is closed, or the fork server hangs."""
        with self.lock:
            if self.closed:
                raise SessionError(f"{job['page']}: was not run, because the run was ended")
            if not self.fork:
                process = SpawnedProcess(self._environ(), job)
                self.spawned.append(process)
                return process
            forked = self._fork(job)
            if forked.lost and self.served and not self.closed:
                self._forget()
                forked = self._fork(job)
            self.served = self.served or forked.group > 0
            return forked

    def _forget(self) -> None:
        """Take leave of a server that has ended."""
        if self.control is not None and self.server is not None:
            self.control.close()
            self.server.kill()
            self.server.wait()
        self.control, self.server, self.served = None, None, False

    def _fork(self, job: Message) -> ForkedProcess:
        self.start()
        assert self.control is not None
        try:
            return ForkedProcess(self.control, job, SERVER_LIMIT)
        except TimeoutError:
            if self.server is not None:
                self.server.kill()
            hint = "see whether python -c 'import torch' ends, and whether the machine has memory left"
            message = f"the process that starts pages did not answer within {SERVER_LIMIT:g} s and was killed; {hint}"
            raise SessionError(f"{job['page']}: {message}") from None

    def close(self) -> None:
        """End the fork server, which kills what still runs. No thread starts anything any more."""
        self.closed = True
        if self.control is not None and self.server is not None:
            with contextlib.suppress(OSError):
                self.control.shutdown(socket.SHUT_RDWR)  # ends the wait of a thread for a new process
            try:
                self.server.wait(CLOSE_LIMIT)
            except subprocess.TimeoutExpired:
                self.server.kill()  # the kernel then kills the pages' processes
                with contextlib.suppress(subprocess.TimeoutExpired):
                    self.server.wait(CLOSE_LIMIT)
        with self.lock:
            for process in self.spawned:
                process.kill()
            if self.control is not None:
                self.control.close()
            if self.server is not None:  # a thread may have started another one meanwhile, which ends with its control
                with contextlib.suppress(subprocess.TimeoutExpired):
                    self.server.wait(CLOSE_LIMIT)
            self.control = self.server = None


def is_furnished(folder: Path) -> bool:
    """Whether a folder has what `page_environ` puts there."""
    return (folder / TEMPORARY).is_dir() and (os.name != "posix" or (folder / COMMANDS).is_dir())


def page_environ(folder: Path) -> dict[str, str]:
    """The environment of every page's process: one compute thread, no colours, figures as the site draws them.

    Processes start in `folder`, so that no file of the working directory is taken for a module. On Linux their
    temporary files are below it too, and go with it; elsewhere the names of sockets there might become too long.

    `python` and `torchrun` are this interpreter's, by little scripts in `folder`.

    `torch.compile` takes the vector instructions that the CPU reports. Otherwise it compiles ten programs on each page
    to see what the compiler can do, which takes 15 seconds.
    """
    path = os.pathsep.join(filter(None, [str(_commands(folder)), os.environ.get("PATH", "")]))
    given = filter(None, os.environ.get("PYTHONPATH", "").split(os.pathsep))
    python_path = os.pathsep.join(dict.fromkeys([str(PACKAGE.parent), *map(os.path.abspath, given)]))
    temporary = folder / TEMPORARY
    temporary.mkdir(exist_ok=True)
    return os.environ | {
        **({"TMPDIR": str(temporary)} if sys.platform == "linux" else {}),
        "PATH": path,
        "PYTHONPATH": python_path,
        "PYTHONHASHSEED": "0",
        "PYTHONUNBUFFERED": "",
        "PYTHONWARNINGS": "",
        "OMP_NUM_THREADS": "1",
        "MKL_NUM_THREADS": "1",
        "TORCHINDUCTOR_VEC_ISA_OK": "1",
        "MPLBACKEND": "agg",
        "MATPLOTLIBRC": str(PACKAGE / "running/matplotlibrc"),
        "NO_COLOR": "1",
        "TERM": "dumb",
        "COLUMNS": "80",
        "TZ": "UTC",
    }


def _commands(folder: Path) -> Path:
    """A folder with `python`, `python3` and `torchrun` of this interpreter."""
    place = folder / COMMANDS
    if os.name != "posix":
        return Path(sys.executable).parent
    place.mkdir(exist_ok=True)
    python = shlex.quote(sys.executable)
    for name, module in (("python", ""), ("python3", ""), ("torchrun", "-m torch.distributed.run ")):
        (place / name).write_text(f'#!/bin/sh\nexec {python} {module}"$@"\n')
        (place / name).chmod(0o755)
    return place
