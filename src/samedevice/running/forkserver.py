"""forkserver: a process that has imported torch once and forks a ready process for each page.

Started as `python -m samedevice.running.forkserver DESCRIPTOR FOLDER`; DESCRIPTOR is one end of a Unix socket. Each
message on it is one byte with the descriptor of a page's own socket, on which the job follows as a line of JSON. The
server imports what the job wants imported once for all pages (`preload`), and forks. The new process answers
`{"group": id}`, then writes its messages, and when it has ended the server adds `{"exit": status}`. The server never
starts a CUDA context: that is for the forked processes. When the control socket closes, it kills what still runs,
removes FOLDER, and ends.

On Linux a page's process adopts what it starts, in any session, and the server adopts it when that process has ended.
So the server finds what a page leaves running, and kills it.

The fork server of `multiprocessing` does less: there is one for each process that asks, with that process's environment
and with modules that are named before it starts, while ours has an environment for each run (temporary files, hidden
GPUs, a simulator) and imports what the next page needs. It reaps its children and no more: what they started lives on,
and so do they, if whoever asked is killed. And it imports the main module of whoever asked, which is pytest or MkDocs.
"""

from __future__ import annotations

import contextlib
import gc
import importlib
import json
import os
import select
import shutil
import signal
import socket
import sys
import time
import traceback

from samedevice.running.machine import installed, processor
from samedevice.running.worker import LIBC, Job, json_line, work

PDEATHSIG, CHILD_SUBREAPER = 1, 36
"""Numbers of Linux's prctl."""
JOB_LIMIT = 20.0
"""Seconds to wait for a job whose socket has come."""
ORPHAN_LIMIT = 5.0
"""Seconds to wait for killed processes to end; one that waits for a broken disk or GPU may not."""


class ForkServer:
    """Forks one process for each job, and reports its end on the job's socket."""

    def __init__(self, control: socket.socket) -> None:
        self.control = control
        self.running: dict[int, socket.socket] = {}
        self.wake, wake_write = os.pipe()
        os.set_blocking(wake_write, False)
        signal.set_wakeup_fd(wake_write, warn_on_full_buffer=False)
        signal.signal(signal.SIGCHLD, lambda *_: None)

    def serve(self) -> None:
        """Serve until the control socket closes."""
        while True:
            ready, _, _ = select.select([self.control.fileno(), self.wake], [], [])
            if self.wake in ready:
                os.read(self.wake, 4096)
                self._reap()
            if self.control.fileno() in ready and not self._accept():
                return

    def end(self) -> None:
        """Kill what still runs."""
        for process in self.running:
            kill_group(process)
        self.running.clear()
        self._end_orphans()

    def _accept(self) -> bool:
        message, descriptors, _, _ = socket.recv_fds(self.control, 1, 1)
        if not message:
            return False
        channel = socket.socket(fileno=descriptors[0])
        channel.settimeout(JOB_LIMIT)
        line = b""
        with channel.makefile("rb") as stream, contextlib.suppress(OSError):
            line = stream.readline()
        channel.settimeout(None)
        if line.endswith(b"\n"):  # else the process that asks was killed, or is stopped
            self._start(channel, json.loads(line))
        return True

    def _start(self, channel: socket.socket, job: Job) -> None:
        for module in job["preload"]:
            with contextlib.suppress(Exception):
                importlib.import_module(module)
        gc.freeze()  # else each process would copy the memory of all these objects when it collects garbage
        server = os.getpid()
        try:
            process = os.fork()
        except OSError as error:
            crash = f"{error}; end other processes, or raise the limit (ulimit -u)"
            with contextlib.suppress(OSError):
                channel.sendall(json.dumps({"crash": crash}).encode() + b"\n")
            channel.close()
            return
        if process == 0:
            self._child(channel, job, server)
        self.running[process] = channel

    def _child(self, channel: socket.socket, job: Job, server: int) -> None:
        try:
            os.setsid()
            channel.sendall(f'{{"group": {os.getpid()}}}\n'.encode())
            _prctl(PDEATHSIG, signal.SIGKILL)
            _prctl(CHILD_SUBREAPER, 1)
            if os.getppid() != server:
                os._exit(1)
            signal.set_wakeup_fd(-1)
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            signal.signal(signal.SIGINT, signal.default_int_handler)
            for other in (self.control, *self.running.values()):
                other.close()
            gc.enable()
            work(job, channel.makefile("wb"), channel.makefile("rb"))
        except BaseException:
            channel.sendall(json_line({"crash": traceback.format_exc()}))
        finally:
            os._exit(1)

    def _reap(self) -> None:
        for process in list(self.running):
            ended, status = os.waitpid(process, os.WNOHANG)
            if ended:
                kill_group(process)
                channel = self.running.pop(process)
                self._end_orphans()
                with contextlib.suppress(OSError):
                    channel.sendall(f'\n{{"exit": {os.waitstatus_to_exitcode(status)}}}\n'.encode())
                channel.close()

    def _end_orphans(self) -> None:
        """Kill what ended pages left running in sessions of its own."""
        give_up = time.monotonic() + ORPHAN_LIMIT
        while (orphans := children() - self.running.keys()) and time.monotonic() < give_up:
            for process in orphans:
                with contextlib.suppress(ProcessLookupError, ChildProcessError):
                    os.kill(process, signal.SIGKILL)
                    os.waitpid(process, os.WNOHANG)
            time.sleep(0.001)


def children() -> set[int]:
    """The children of this process, on Linux, those that it adopted included."""
    found: set[int] = set()
    for thread in os.listdir("/proc/self/task") if sys.platform == "linux" else ():
        with contextlib.suppress(OSError), open(f"/proc/self/task/{thread}/children") as file:  # or it has just ended
            found.update(map(int, file.read().split()))
    return found


def kill_group(process: int) -> None:
    """Kill a page's process and everything it started in its process group."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process, signal.SIGKILL)


def _prctl(option: int, value: int) -> None:
    """On Linux, set what the kernel does when the parent of this process, or of one of its descendants, ends."""
    if sys.platform == "linux" and LIBC is not None:
        LIBC.prctl(option, value)


def main() -> None:
    """Import what pages need, then serve."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    control = socket.socket(fileno=int(sys.argv[1]))
    gc.disable()  # what is imported stays
    installed()
    processor()
    _prctl(CHILD_SUBREAPER, 1)
    server = ForkServer(control)
    try:
        server.serve()
    finally:
        server.end()
        shutil.rmtree(sys.argv[2], ignore_errors=True)


if __name__ == "__main__":
    main()
