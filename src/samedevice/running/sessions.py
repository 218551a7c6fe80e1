"""Session: one fresh process for one page on one device; runs its blocks in order; survives hangs and crashes.

A page's process is forked from a server that has imported torch, which costs milliseconds; where there is no fork
(Windows) a new interpreter is started for each page.
"""

from __future__ import annotations

import atexit
import datetime
import os
import shutil
import signal
import tempfile
from concurrent.futures import Future
from dataclasses import replace
from functools import partial
from pathlib import Path
from queue import Empty

from samedevice.devices import torch_build
from samedevice.errors import SessionError
from samedevice.outputs.environments import Environment, Run
from samedevice.outputs.output import Output
from samedevice.pages.page import Block, Page
from samedevice.running.processes import ForkedProcess, Launcher, Message, SpawnedProcess
from samedevice.running.threads import Lane
from samedevice.temporary import Folder, sweep_folders

TIME_LIMIT = 60.0
"""Seconds that one block may take before its process is killed."""
START_LIMIT = 120.0
"""Seconds that a page's process may take to start, the import of torch included."""
END_LIMIT = 20.0
"""Seconds that a page's process may take to end after its last block."""
NO_ROOM = "no temporary folder can be made ({reason}); make room, or set TMPDIR to a folder that can be written"
NO_CUDA = {"CUDA_VISIBLE_DEVICES": "" if os.name == "posix" else "-1", "CUDA_HOME": "", "CUDA_PATH": ""}
"""Hides GPUs from a CPU page, and CUDA's toolkit, of which torch would say that there is no GPU for it. On Windows a
variable that is set to nothing is one that is not set."""
HEAVY = {
    "matplotlib": "matplotlib.pyplot",
    "pandas": "pandas",
    "sklearn.datasets": "sklearn.datasets",
    "optim": "torch._dynamo",
    "checkpoint": "torch._dynamo",
    "compile": "torch._dynamo",
    "assert_close": "torch._dynamo",
}
"""Words in a page's code which mean that it will import a module that takes most of a second (torch imports `_dynamo`
when the first optimizer is made): the fork server imports that once for all pages."""


class Sessions:
    """Runs pages, each on one device in a process of its own; a context manager.

    CPU pages run side by side, one a core; pages on an accelerator run one at a time. `time_limit` is in seconds, for
    one block.
    """

    def __init__(self, root: Path, time_limit: float = TIME_LIMIT, workers: int | None = None) -> None:
        self.root = root.resolve()
        self.time_limit = time_limit
        sweep_folders()
        try:
            self.scratch = Folder()
        except OSError as error:
            raise SessionError(NO_ROOM.format(reason=error.strerror or error)) from None
        self.folder = self.scratch.path
        self.launcher = Launcher(self.folder)
        self.workers = workers or available_cores()
        self.lanes: dict[str, Lane] = {}
        atexit.register(self.close)

    def __enter__(self) -> Sessions:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Kill what still runs and remove the temporary folder."""
        atexit.unregister(self.close)
        for lane in self.lanes.values():
            lane.cancel()
        self.launcher.close()
        for lane in self.lanes.values():
            lane.join()
        self.scratch.remove()

    def submit(self, page: Page, device: str, upto: int | None = None) -> Future[Run]:
        """Run the first `upto` blocks of a page (all, if None) on `device` as soon as there is a free core."""
        self.launcher.start()
        lane = "cpu" if device == "cpu" else "accelerator"
        if lane not in self.lanes:
            self.lanes[lane] = Lane(self.workers if lane == "cpu" else 1, f"samedevice-{lane}")
        return self.lanes[lane].submit(partial(self.run, page, device, upto))

    def run(self, page: Page, device: str, upto: int | None = None) -> Run:
        """Run a page now, and wait for it. Raises SessionError if the machinery itself fails."""
        blocks = [block for block in page.blocks[:upto] if block.runs_on(device, torch_build().version)]
        try:
            folder = Path(tempfile.mkdtemp(dir=self.folder))
        except OSError as error:
            raise SessionError(f"{page.path}: {NO_ROOM.format(reason=error.strerror)}") from None
        try:
            process = self.launcher.launch(self._job(page, device, blocks, folder))
            return _Conversation(page, device, blocks, process, self.time_limit).hold()
        finally:
            shutil.rmtree(folder, ignore_errors=True)

    def _job(self, page: Page, device: str, blocks: list[Block], folder: Path) -> Message:
        environ = NO_CUDA if device == "cpu" else {}
        return {
            "page": page.path,
            "device": device,
            "root": str(self.root),
            "folder": str(folder),
            "environ": environ,
            "preload": [module for word, module in HEAVY.items() if any(word in block.code for block in blocks)],
            "blocks": [_request(block, device) for block in blocks],
        }


def _request(block: Block, device: str) -> Message:
    options = block.options
    return {
        "kind": block.kind,
        "code": block.code if block.kind != "program" else "",
        "path": block.path,
        "code_line": block.code_line,
        "args": options.args,
        "raises": options.raises_on(device),
        "count": options.count,
        "alt": options.alt,
    }


class _Conversation:
    """Listens to one page's process until it has ended, and kills it when it takes too long."""

    def __init__(
        self,
        page: Page,
        device: str,
        blocks: list[Block],
        process: ForkedProcess | SpawnedProcess,
        time_limit: float,
    ) -> None:
        self.page = page
        self.device = device
        self.blocks = blocks
        self.process = process
        self.time_limit = time_limit
        self.outputs: dict[int, Output] = {}
        self.current: Block | None = None
        self.environment: Environment | None = None
        self.count = 0
        self.ended = False

    def hold(self) -> Run:
        limit = START_LIMIT
        while True:
            try:
                message = self.process.messages.get(timeout=limit)
            except Empty:
                self._too_long(limit)
                limit = END_LIMIT
                continue
            if "exit" in message or "closed" in message:
                break
            limit = self._hear(message) or limit
        if "closed" in message:
            self.process.kill()  # its server was killed, and cannot do it
        self._mourn(message)
        outputs = tuple(self.outputs.get(block.index) for block in self.page.blocks)
        return Run(outputs, self.environment, self.count)

    def _hear(self, message: Message) -> float | None:
        """Take in a message; return the seconds to wait for the next one."""
        if "crash" in message:
            raise SessionError(f"{self.page.path}: the page's process could not start:\n{message['crash']}")
        if "count" in message:
            self.count = message["count"]
            if message["hello"]:
                day = datetime.datetime.now(datetime.timezone.utc).date().isoformat()
                self.environment = Environment(device=self.device, day=day, **message["hello"])
        elif "start" in message:
            self.current = self.blocks[message["start"]]
            return self.time_limit
        elif "done" in message:
            block, found = self.blocks[message["done"]], message["output"]
            trace = found.pop("trace")
            output = Output.from_json(found)
            if output.raised:
                output = replace(output, raised=replace(output.raised, trace=trace))
            self.outputs[block.index] = output
            self.current = None
            return START_LIMIT
        elif "end" in message:
            self.ended = True
            return END_LIMIT
        return None

    def _too_long(self, limit: float) -> None:
        """Kill the process and note why."""
        if self.current is not None and self.current.index not in self.outputs:
            self._died(f"did not end within {limit:g} s and was killed; make it shorter, or see what it waits for")
        self.process.kill()

    def _died(self, reason: str) -> None:
        assert self.current is not None
        self.outputs[self.current.index] = Output(died=reason)
        for block in self.blocks:
            if block.index > self.current.index:
                self.outputs[block.index] = Output(died=f"was not run, because {self.current} ended its process")

    def _mourn(self, last: Message) -> None:
        """Account for a process that ended before its last block did."""
        if self.ended or (self.outputs and max(self.outputs) == self.blocks[-1].index):
            return
        if self.current is None and self.count:
            self.current = next(block for block in self.blocks if block.index not in self.outputs)
        if self.current is None:
            raise SessionError(
                f"{self.page.path}: the page's process ended before its first block; is torch installed?"
            )
        self._died(f"ended its process {how_it_ended(last.get('exit'))}")


def how_it_ended(status: int | None) -> str:
    """An exit status in words: `with signal SIGSEGV`, `with exit status 3`."""
    if status is None:
        return "without a word"
    if status < 0:
        return f"with signal {signal.Signals(-status).name}"
    return f"with exit status {status}"


def available_cores() -> int:
    """How many cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
