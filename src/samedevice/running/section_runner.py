"""SectionRunner: runs the sections of pages in the background, each in a fresh process, several at once.

A process is forked from a server that has imported torch, which takes milliseconds. Where there is no fork (Windows),
it is a new interpreter. It first runs what comes before its section, and nothing of that is shown. So no process is
forked from one that has run code, in which PyTorch or CUDA may have started threads.
"""

from __future__ import annotations

import atexit
import contextlib
import re
import shutil
import tempfile
import time
from collections.abc import Callable, Collection, Iterable, Sequence
from concurrent.futures import Future
from dataclasses import replace
from functools import partial
from pathlib import Path

from samedevice.devices import KINDS, Simulator, torch_build
from samedevice.errors import SessionError
from samedevice.outputs.environments import Run
from samedevice.outputs.output import Output
from samedevice.pages.page import Block, Page
from samedevice.pages.sections import defined_elsewhere
from samedevice.project import PACKAGE
from samedevice.running.machine import WITHOUT_TORCH, available_cores
from samedevice.running.monitor import TIME_LIMIT, ProcessMonitor
from samedevice.running.processes import ForkedProcess, Launcher, Message, SpawnedProcess, is_furnished, page_environ
from samedevice.running.reading import with_reads
from samedevice.running.simulation import taken
from samedevice.running.threads import DaemonPool, gather
from samedevice.temporary import Folder, sweep_folders

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
UNKNOWN = re.compile(r"name '(\w+)' is not defined")
"""The message about a name that a section does not have."""
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


class _RemovedError(SessionError):
    """The folder of a section is gone."""


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
        self.side_by_side = side_by_side
        self.idle: dict[str, list[ForkedProcess]] = {}
        """By device, processes that are as they were before the sections that they ran."""
        sweep_folders()
        try:
            self.temporary = Folder()
        except OSError as error:
            raise SessionError(NO_ROOM.format(reason=error.strerror or error)) from None
        self.folder = self.temporary.path
        self.launcher = Launcher(self.folder, environ=simulator.environ if simulator else None)
        self.workers = workers or available_cores()
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
        `shares`, a section may run in a process that others have left as it was (see `sharing`). `end` is called with
        the page's run, and returns what `Future.result` gives.
        """
        if page.settings.library:
            self.launcher.environ = {**self.launcher.environ, WITHOUT_TORCH: "1"}
        self.launcher.start()
        kind = "cpu" if device == "cpu" or self.simulator else "accelerator"
        if kind not in self.pools:
            workers = self.workers if kind == "cpu" else self.side_by_side
            self.pools[kind] = DaemonPool(workers, f"samedevice-{kind}")
        runs = [
            self.pools[kind].submit(partial(self._run, page, device, before, own, later, shares), later)
            for before, own in self._wanted(page, device, wanted, ended)
        ]
        return gather(runs, lambda found: end(merged(page, found)))

    def run(self, page: Page, device: str, wanted: Collection[int] | None = None) -> Run:
        """Run them now, section by section, and wait. Raises SessionError if the machinery itself fails."""
        return merged(page, [self._run(page, device, *blocks) for blocks in self._wanted(page, device, wanted)])

    def _run(
        self,
        page: Page,
        device: str,
        before: Sequence[Block],
        own: Sequence[Block],
        yields: bool = False,
        shares: bool = False,
    ) -> Run:
        """Run some blocks of a page after those that lead to them.

        If one ends the process, those below it are run without it, unless all blocks of the project have to pass.
        """
        run = self._safely(page, device, before, own, yields, shares)
        ended: dict[int, Output] = {}
        while found := _ended(run, [block for block in own if block.index not in ended]):
            ended |= found
            rest = [block for block in own if block.index not in ended]
            if page.settings.console or not rest or rest[-1].index < max(ended):
                break
            again = self._safely(page, device, before, rest, yields, shares)
            outputs = tuple(ended.get(index, output) for index, output in enumerate(again.outputs))
            run = replace(again, outputs=outputs, seconds=run.seconds + again.seconds)
        return run

    def _safely(
        self, page: Page, device: str, before: Sequence[Block], own: Sequence[Block], yields: bool, shares: bool
    ) -> Run:
        """Do what `_once` does, again if a block that ran beside it removed its folder before it began."""
        for _ in range(TRIES):
            with contextlib.suppress(_RemovedError):
                return self._once(page, device, before, own, yields, shares)
        raise SessionError(f"{page.path}: {GONE}")

    def _once(
        self, page: Page, device: str, before: Sequence[Block], own: Sequence[Block], yields: bool, shares: bool
    ) -> Run:
        """Run some blocks of a page in a process of their own, or in a shared one, after those that lead to them."""
        started, began = time.monotonic(), time.time_ns()
        place = self.folder / "pages"
        try:
            self.temporary.restore()  # a block may have removed what is above its working directory
            place.mkdir(exist_ok=True)
            if not is_furnished(self.folder):
                page_environ(self.folder)
            folder = Path(tempfile.mkdtemp(dir=place))
        except OSError as error:
            raise SessionError(f"{page.path}: {NO_ROOM.format(reason=error.strerror)}") from None
        blocks = [*before, *own]
        job = self._job(page, device, blocks, folder) | {"yields": yields, "stays": shares and self.launcher.fork}
        try:
            process = self._process(job)
            with contextlib.ExitStack() as stack:
                stack.callback(process.end)
                monitor = ProcessMonitor(page, blocks, job, process, self.time_limit)
                run = monitor.run()
                if monitor.ended and not monitor.left and isinstance(process, ForkedProcess):
                    stack.pop_all()
                    self.idle.setdefault(device, []).append(process)
        except SessionError as error:
            raise error if folder.exists() else _RemovedError from None
        finally:
            shutil.rmtree(folder, ignore_errors=True)
            for suffix in (PRINTED, NOTES, LOG):
                Path(f"{folder}{suffix}").unlink(missing_ok=True)
        if self.simulator:
            run = taken(run, blocks, self.simulator)
        read = with_reads(page, blocks, run.outputs, self.root, began)
        outputs = (
            _hinted(page, block, output) if output and block in own else None
            for block, output in zip(page.blocks, read, strict=True)
        )
        return replace(run, outputs=tuple(outputs), seconds=time.monotonic() - started)

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
        while job["stays"]:
            try:
                process = self.idle[job["device"]].pop(0)  # the one that has waited longest
                process.send(job)
                return process
            except LookupError:  # none is idle
                break
            except OSError:  # it has ended
                continue
        return self.launcher.launch(job)

    def _wanted(
        self, page: Page, device: str, wanted: Collection[int] | None, ended: Collection[int] = ()
    ) -> list[tuple[list[Block], list[Block]]]:
        """For each section with blocks that are wanted: the blocks before it, and its own as far as they are needed.

        What a simulated device prints in a measurement nobody wants: it runs if something below it is wanted.
        """
        found = []
        for before, blocks in page.units:
            some = (block for block in blocks if not (self.simulator and block.not_simulated))
            last = max((block.index for block in some if wanted is None or block.index in wanted), default=-1)
            runs = [one for one in (*before, *blocks) if one.index not in ended and self._runs(one, device)]
            own = [block for block in blocks if block.index <= last and block in runs]
            if own:
                found.append(([block for block in before if block in runs], own))
        return found or [([], [])]

    def _runs(self, block: Block, device: str) -> bool:
        return block.runs_on(device, torch_build().version) and (block.options.simulated != "no" or not self.simulator)

    def _job(self, page: Page, device: str, blocks: list[Block], folder: Path) -> Message:
        hidden = [kind.hidden_by for kind in KINDS.values()] if device == "cpu" else []
        notes = f"{folder}{NOTES}" if self.simulator else ""
        heavy = [module for word, module in HEAVY.items() if any(word in block.code for block in blocks)]
        heavy = [one for one in heavy if not (page.settings.library and one.startswith("torch"))]
        cwd, environ = self.root / page.settings.cwd, dict(page.settings.env)
        if not cwd.is_dir():
            raise SessionError(f"{page.path}: cwd: {page.settings.cwd} is no folder below that of mkdocs.yml")
        given = [environ, *hidden, {self.simulator.notes: notes}] if self.simulator else [environ, *hidden]
        return {
            "page": page.path,
            "device": device,
            "root": str(self.root),
            "folder": str(folder),
            "library": page.settings.library,
            "cwd": str(cwd) if page.settings.cwd else "",
            "printed": f"{folder}{PRINTED}",
            "simulated": self.simulator is not None,
            "notes": notes,
            "log": f"{folder}{LOG}",
            "observing": str(PACKAGE / "running" / "observing"),
            "used": KINDS[device].used,
            "environ": {name: value for one in given for name, value in one.items()},
            "preload": [*self.preload, *heavy],
            "blocks": [_request(block, device) for block in blocks],
        }


def _ended(run: Run, blocks: Iterable[Block]) -> dict[int, Output]:
    """The outputs of those blocks that ended their process, by index."""
    return {one.index: output for one in blocks if (output := run.outputs[one.index]) and output.ended}


def _hinted(page: Page, block: Block, output: Output) -> Output:
    """The output, where a name is missing with what to do about it in its traceback."""
    raised = output.raised
    missing = raised and raised.type == "NameError" and UNKNOWN.match(raised.message)
    hint = defined_elsewhere(missing[1], block, page.sections) if missing else ""
    return replace(output, raised=replace(raised, trace=f"{raised.trace}\n{hint}")) if raised and hint else output


def merged(page: Page, runs: Sequence[Run]) -> Run:
    """The runs of a page's sections as one run of the page."""
    found = (next(filter(None, (run.outputs[block.index] for run in runs)), None) for block in page.blocks)
    outputs = tuple(found)
    environment = next((run.environment for run in runs if run.environment), None)
    unsure = {index: why for run in runs for index, why in run.unsure.items() if outputs[index] is None}
    modules = tuple(dict.fromkeys(name for run in runs for name in run.modules))
    left = ", ".join(filter(None, (run.left for run in runs)))
    count, seconds = max(run.count for run in runs), sum(run.seconds for run in runs)
    return Run(outputs, environment, count, seconds, unsure, modules, left)


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
