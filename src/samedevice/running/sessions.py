"""sessions: runs pages in the background, each on one device in a fresh process, several at once.

A page's process is forked from a server that has imported torch, which takes milliseconds. Where there is no fork
(Windows), each page gets a new interpreter.
"""

from __future__ import annotations

import atexit
import os
import shutil
import tempfile
from collections.abc import Sequence
from concurrent.futures import Future
from dataclasses import replace
from functools import partial
from pathlib import Path

from samedevice.devices import torch_build
from samedevice.errors import SessionError
from samedevice.outputs.environments import Run
from samedevice.pages.page import Block, Page
from samedevice.running.conversation import TIME_LIMIT, Conversation
from samedevice.running.machine import available_cores
from samedevice.running.processes import Launcher, Message
from samedevice.running.threads import DaemonPool
from samedevice.temporary import Folder, sweep_folders

NO_ROOM = "no temporary folder can be made ({reason}); make room, or set TMPDIR to a folder that can be written"
NO_CUDA = {"CUDA_VISIBLE_DEVICES": "" if os.name == "posix" else "-1", "CUDA_HOME": "", "CUDA_PATH": ""}
"""Hides GPUs from a CPU page, and CUDA's toolkit, of which torch would say that there is no GPU for it. On Windows a
variable that is set to nothing is one that is not set."""
PRINTED = ".printed"
"""The suffix of the file, beside a page's folder, that holds what the current block has printed."""
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
            self.temporary = Folder()
        except OSError as error:
            raise SessionError(NO_ROOM.format(reason=error.strerror or error)) from None
        self.folder = self.temporary.path
        self.launcher = Launcher(self.folder)
        self.workers = workers or available_cores()
        self.pools: dict[str, DaemonPool] = {}
        atexit.register(self.close)

    def __enter__(self) -> Sessions:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Kill what still runs and remove the temporary folder."""
        atexit.unregister(self.close)
        for pool in self.pools.values():
            pool.cancel()
        self.launcher.close()
        for pool in self.pools.values():
            pool.join()
        self.temporary.remove()

    def submit(self, page: Page, device: str, upto: int | None = None) -> Future[Run]:
        """Run the first `upto` blocks of a page (all, if None) on `device` as soon as there is a free core."""
        self.launcher.start()
        kind = "cpu" if device == "cpu" else "accelerator"
        if kind not in self.pools:
            self.pools[kind] = DaemonPool(self.workers if kind == "cpu" else 1, f"samedevice-{kind}")
        return self.pools[kind].submit(partial(self.run, page, device, upto))

    def run(self, page: Page, device: str, upto: int | None = None) -> Run:
        """Run a page now, and wait for it. Raises SessionError if the machinery itself fails."""
        wanted = set(page.blocks[:upto])
        runs = [
            self._run(page, device, before, own)
            for before, blocks in page.parts
            if (own := [block for block in blocks if block in wanted and _runs(block, device)])
        ]
        return merged(page, runs)

    def _run(self, page: Page, device: str, before: Sequence[Block], own: Sequence[Block]) -> Run:
        """Run some blocks of a page in a process of their own, after those that led to them."""
        blocks = [*(block for block in before if _runs(block, device)), *own]
        try:
            folder = Path(tempfile.mkdtemp(dir=self.folder))
        except OSError as error:
            raise SessionError(f"{page.path}: {NO_ROOM.format(reason=error.strerror)}") from None
        job = self._job(page, device, blocks, folder)
        try:
            run = Conversation(page, blocks, job, self.launcher.launch(job), self.time_limit).run()
        finally:
            shutil.rmtree(folder, ignore_errors=True)
            Path(job["printed"]).unlink(missing_ok=True)
        outputs = (run.outputs[block.index] if block in own else None for block in page.blocks)
        return replace(run, outputs=tuple(outputs))

    def _job(self, page: Page, device: str, blocks: list[Block], folder: Path) -> Message:
        environ = NO_CUDA if device == "cpu" else {}
        return {
            "page": page.path,
            "device": device,
            "root": str(self.root),
            "folder": str(folder),
            "printed": f"{folder}{PRINTED}",
            "environ": environ,
            "preload": [module for word, module in HEAVY.items() if any(word in block.code for block in blocks)],
            "blocks": [_request(block, device) for block in blocks],
        }


def _runs(block: Block, device: str) -> bool:
    return block.runs_on(device, torch_build().version)


def merged(page: Page, runs: Sequence[Run]) -> Run:
    """The runs of a page's sections as one run of the page."""
    outputs = (next((found for run in runs if (found := run.outputs[block.index])), None) for block in page.blocks)
    environment = next((run.environment for run in runs if run.environment), None)
    return Run(tuple(outputs), environment, max((run.count for run in runs), default=0))


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
