"""SectionRunner: goes in a page, and which of its blocks are wanted on a device; comes out a `Run`, in the background.

Each section runs in a fresh process, several at once. A process is forked from a server that has imported torch, which
takes milliseconds. Where there is no fork (Windows), it is a new interpreter. It first runs what comes before its
section, and nothing of that is shown. So no process is forked from one that has run code, in which PyTorch or CUDA may
have started threads.
"""

from __future__ import annotations

import atexit
import contextlib
import itertools
import queue
import shutil
import tempfile
import threading
import time
from collections.abc import Callable, Collection, Sequence
from concurrent.futures import Future, wait
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from samedevice.devices import KINDS, Simulator, available_cores, torch_build
from samedevice.errors import SessionError
from samedevice.files import Folder, sweep_folders
from samedevice.outputs.environments import Run
from samedevice.outputs.output import Output
from samedevice.pages.page import Block, Page
from samedevice.project import PACKAGE
from samedevice.running.machine import WITHOUT_TORCH
from samedevice.running.monitor import TIME_LIMIT, ProcessMonitor
from samedevice.running.processes import ForkedProcess, Launcher, Message, SpawnedProcess, is_furnished, page_environ
from samedevice.running.results import hinted, merged, taken, with_reads

T = TypeVar("T")
R = TypeVar("R")
LOOK_UP = 0.2
"""Seconds between two checks for a signal."""
NO_ROOM = "no temporary folder can be made ({reason}); make room, or set TMPDIR to a folder that can be written"
GONE = (
    "something removed the folder that this page was to run in, three times; look for a block that removes what is "
    "above its working directory"
)
TRIES = 3
"""How often a section is begun whose folder another one removes."""
PRINTED = ".printed"
"""The suffix of the file, beside a page's folder, that holds what the current block has printed."""
NOTES = ".notes"
"""The suffix of the file with what a simulator noted."""
LOG = ".log"
"""The suffix of the file with what the section's processes opened."""
HEAVY = {
    "matplotlib": "matplotlib.pyplot",
    "optim": "torch._dynamo",
    "checkpoint": "torch._dynamo",
    "compile": "torch._dynamo",
    "assert_close": "torch._dynamo",
    "async ": "asyncio",
    ">>> ": "doctest",
}
"""Words in a page's code which mean that it will import a module that takes up to a second (torch imports `_dynamo`
when the first optimizer is made): the fork server imports that once for all pages. What few sections need is not here:
forking takes longer with each module that the server has imported."""


@dataclass(frozen=True)
class Part:
    """What one process runs."""

    page: Page
    """The page."""
    device: str
    """The kind of device."""
    before: Sequence[Block]
    """The blocks that lead to the section."""
    own: Sequence[Block]
    """The section's blocks."""
    yields: bool = False
    """Whether it has a lower priority."""
    shares: bool = False
    """Whether it may run in a process that others have left as it was (see `sharing`)."""


class SectionRunner:
    """Runs pages, each section on one device in a process of its own; a context manager.

    Sections on the CPU run side by side, one a core; those on an accelerator one at a time, or `side_by_side` of them.
    With a `simulator` they run on its devices, one a core. `time_limit` is in seconds, for one block. `preload` names
    modules that are imported once for all pages, where processes are forked; one that cannot be is left to the pages,
    which say why.
    """

    def __init__(
        self,
        root: Path,
        time_limit: float = TIME_LIMIT,
        workers: int | None = None,
        simulator: Simulator | None = None,
        preload: Collection[str] = (),
        side_by_side: int = 1,
    ) -> None:
        self.root = root.resolve()
        self.time_limit = time_limit
        self.simulator = simulator
        self.preload = preload
        self.workers = {"cpu": workers or available_cores(), "accelerator": side_by_side}
        self.idle: dict[str, list[ForkedProcess]] = {}
        """By device, processes that are as they were before the sections that they ran."""
        sweep_folders()
        try:
            self.temporary = Folder()
        except OSError as error:
            raise SessionError(NO_ROOM.format(reason=error.strerror or error)) from None
        self.folder = self.temporary.path
        self.launcher = Launcher(self.folder, environ=simulator.environ if simulator else None)
        self.pools: dict[str, DaemonPool] = {}
        atexit.register(self.close)

    def __enter__(self) -> SectionRunner:
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
        self.end_shared()
        self.temporary.remove()

    def submit(
        self,
        page: Page,
        device: str,
        wanted: Collection[int] | None = None,
        later: bool = False,
        ended: Collection[int] = (),
        shares: bool = False,
        end: Callable[[Run], Run] = lambda run: run,
    ) -> Future[Run]:
        """Run these blocks of a page on `device`, by index, all if None, and in each section those above them.

        Each section is run as soon as there is a free core, in a process of its own; if `later`, after those that were
        submitted without it, and at a lower priority. Blocks that `ended` their process once are left out. If it
        `shares`, a section may run in a process that others have left. `end` is called with the page's run, and returns
        what `Future.result` gives.
        """
        if page.settings.library:
            self.launcher.environ = {**self.launcher.environ, WITHOUT_TORCH: "1"}
        self.launcher.start()
        kind = "cpu" if device == "cpu" or self.simulator else "accelerator"
        if kind not in self.pools:
            self.pools[kind] = DaemonPool(self.workers[kind], f"samedevice-{kind}")
        parts = [Part(page, device, *blocks, later, shares) for blocks in self._wanted(page, device, wanted, ended)]
        runs = [self.pools[kind].submit(partial(self._run, part), later) for part in parts]
        return gather(runs, lambda found: end(merged(page, found)))

    def run(self, page: Page, device: str, wanted: Collection[int] | None = None) -> Run:
        """Run them, and wait. Raises SessionError if the machinery itself fails."""
        return wait_for(self.submit(page, device, wanted))

    def _run(self, part: Part) -> Run:
        """Run a part. Those below a block that ends the process run without it, unless all blocks have to pass."""
        run, ended = self._once(part), dict[int, Output]()
        while found := {
            one.index: output
            for one in part.own
            if one.index not in ended and (output := run.outputs[one.index]) and output.ended
        }:
            ended |= found
            rest = [block for block in part.own if block.index not in ended]
            if part.page.settings.console or not rest or rest[-1].index < max(ended):
                break
            again = self._once(replace(part, own=rest))
            outputs = tuple(ended.get(index, output) for index, output in enumerate(again.outputs))
            run = replace(again, outputs=outputs, seconds=run.seconds + again.seconds)
        return run

    def _once(self, part: Part) -> Run:
        """Run a part in a process of its own, or in a shared one."""
        for _ in range(TRIES):
            started, began, folder = time.monotonic(), time.time_ns(), self._new_folder(part.page)
            try:
                run = self._in_process(part, folder)
            except SessionError:
                if folder.exists():
                    raise
                continue  # a block that ran beside it removed the folder before it began
            finally:
                shutil.rmtree(folder, ignore_errors=True)
                for suffix in (PRINTED, NOTES, LOG):
                    Path(f"{folder}{suffix}").unlink(missing_ok=True)
            blocks = [*part.before, *part.own]
            run = taken(run, blocks, self.simulator) if self.simulator else run
            read = with_reads(part.page, blocks, run.outputs, self.root, began)
            found: list[Output | None] = [None] * len(read)
            for block in part.own:
                found[block.index] = hinted(part.page, block, read[block.index])
            return replace(run, outputs=tuple(found), seconds=time.monotonic() - started)
        raise SessionError(f"{part.page.path}: {GONE}")

    def _new_folder(self, page: Page) -> Path:
        """A temporary folder for a process. Raises SessionError."""
        place = self.folder / "pages"
        try:
            self.temporary.restore()  # a block may have removed what is above its working directory
            place.mkdir(exist_ok=True)
            if not is_furnished(self.folder):
                page_environ(self.folder)
            return Path(tempfile.mkdtemp(dir=place))
        except OSError as error:
            raise SessionError(f"{page.path}: {NO_ROOM.format(reason=error.strerror)}") from None

    def _in_process(self, part: Part, folder: Path) -> Run:
        """What came of a part, as its process tells it. Raises SessionError."""
        blocks = [*part.before, *part.own]
        job = self._job(part, blocks, folder)
        process = self._process(job)
        with contextlib.ExitStack() as stack:
            stack.callback(process.end)
            monitor = ProcessMonitor(part.page, blocks, job, process, self.time_limit)
            run = monitor.run()
            if monitor.ended and not monitor.left and isinstance(process, ForkedProcess):
                stack.pop_all()
                self.idle.setdefault(part.device, []).append(process)
        return run

    def end_shared(self) -> int:
        """End the shared processes that run nothing, so that they hold no memory of a device; return how many."""
        found = [one for some in self.idle.values() for one in some]
        self.idle.clear()
        for process in found:
            process.end()
        for process in found:
            process.wait()
        return len(found)

    def _process(self, job: Message) -> ForkedProcess | SpawnedProcess:
        """A process that runs the job: one that has run others, if it stays and one is there."""
        while job["stays"] and self.idle.get(job["device"]):
            with contextlib.suppress(LookupError, OSError):  # another thread has it, or it has ended
                process = self.idle[job["device"]].pop(0)  # the one that has waited longest
                process.send(job)
                return process
        return self.launcher.launch(job)

    def _wanted(
        self, page: Page, device: str, wanted: Collection[int] | None, ended: Collection[int] = ()
    ) -> list[tuple[list[Block], list[Block]]]:
        """For each section with blocks that are wanted: the blocks before it, and its own as far as they are needed.

        What a simulated device prints in a measurement nobody wants: it runs if something below it is wanted.
        """
        found, version = [], torch_build().version
        for before, blocks in page.units:
            runs = [
                one
                for one in (*before, *blocks)
                if one.index not in ended
                and one.runs_on(device, version)
                and (one.options.simulated != "no" or not self.simulator)
            ]
            some = (block for block in blocks if not (self.simulator and block.not_simulated))
            last = max((block.index for block in some if wanted is None or block.index in wanted), default=-1)
            own = [block for block in blocks if block.index <= last and block in runs]
            if own:
                found.append(([block for block in before if block in runs], own))
        return found or [([], [])]

    def _job(self, part: Part, blocks: Sequence[Block], folder: Path) -> Message:
        page, simulator = part.page, self.simulator
        heavy = [module for word, module in HEAVY.items() if any(word in block.code for block in blocks)]
        heavy = [module for module in heavy if not (page.settings.library and module.startswith("torch"))]
        cwd = self.root / page.settings.cwd
        if not cwd.is_dir():
            raise SessionError(f"{page.path}: cwd: {page.settings.cwd} is no folder below that of mkdocs.yml")
        environ = dict(page.settings.env)
        for kind in KINDS.values() if part.device == "cpu" else ():
            environ |= kind.hidden_by
        if simulator:
            environ[simulator.notes] = f"{folder}{NOTES}"
        return {
            "page": page.path,
            "device": part.device,
            "root": str(self.root),
            "folder": str(folder),
            "library": page.settings.library,
            "cwd": str(cwd) if page.settings.cwd else "",
            "printed": f"{folder}{PRINTED}",
            "simulated": simulator is not None,
            "notes": f"{folder}{NOTES}" if simulator else "",
            "log": f"{folder}{LOG}",
            "observing": str(PACKAGE / "running" / "observing"),
            "used": KINDS[part.device].used,
            "environ": environ,
            "preload": [*self.preload, *heavy],
            "blocks": [_request(block, part.device) for block in blocks],
            "yields": part.yields,
            "stays": part.shares and self.launcher.fork,
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
        "by_line": block.says_itself,
        "skips_main": options.skips_main,
    }


def wait_for(future: Future[T]) -> T:
    """Wait for a future and return its result, as `future.result()` does, but in a way that Ctrl-C always ends.

    A signal that comes just before a thread begins to wait for a lock without a limit does not wake it, and Python
    raises KeyboardInterrupt only once it has woken.
    """
    while not future.done():
        wait([future], timeout=LOOK_UP)
    return future.result()


def gather(futures: Sequence[Future[T]], combine: Callable[[list[T]], R]) -> Future[R]:
    """What `combine` makes of the results of all these futures, of which there is at least one."""
    result: Future[R] = Future()
    lock, waiting = threading.Lock(), len(futures)

    def finish(_: Future[T]) -> None:
        nonlocal waiting
        with lock:
            waiting -= 1
            if waiting:
                return
        try:
            result.set_result(combine([future.result() for future in futures]))
        except BaseException as error:
            result.set_exception(error)

    for future in futures:
        future.add_done_callback(finish)
    return result


class DaemonPool:
    """Makes calls on `workers` daemon threads, in the order given, those that are for later after all others.

    A ThreadPoolExecutor has no such order, and at the end of a program it makes all calls that wait before it lets go.
    """

    def __init__(self, workers: int, name: str) -> None:
        self.calls: queue.PriorityQueue[tuple[bool, int, tuple[Future[Any], Callable[[], Any]] | None]]
        self.calls = queue.PriorityQueue()
        self.numbers = itertools.count()
        self.ended = False
        self.threads = [threading.Thread(target=self._work, name=f"{name}-{n}", daemon=True) for n in range(workers)]
        for thread in self.threads:
            thread.start()

    def submit(self, call: Callable[[], T], later: bool = False) -> Future[T]:
        """Make the call as soon as a thread is free; if `later`, as soon as there is nothing else to do."""
        future: Future[T] = Future()
        self.calls.put((later, next(self.numbers), (future, call)))
        return future

    def _work(self) -> None:
        while waiting := self.calls.get()[-1]:
            future, call = waiting
            if self.ended:
                future.cancel()
            if future.set_running_or_notify_cancel():
                try:
                    future.set_result(call())
                except BaseException as error:
                    future.set_exception(error)

    def cancel(self) -> None:
        """Cancel the calls that no thread has begun; then the threads end."""
        self.ended = True
        for _ in self.threads:
            self.calls.put((True, next(self.numbers), None))

    def join(self) -> None:
        """Wait for the calls that were begun. Each page has limits of its own, so that this ends."""
        for thread in self.threads:
            thread.join()
