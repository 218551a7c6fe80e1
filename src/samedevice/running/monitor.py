"""ProcessMonitor: follows the process of one section from its start to its end, and kills it if it takes too long."""

from __future__ import annotations

import datetime
import os
import signal
from contextlib import suppress
from dataclasses import replace
from queue import Empty

from samedevice.devices import available_cores
from samedevice.errors import SessionError
from samedevice.outputs.cleaning import clean
from samedevice.outputs.environments import Environment, Run
from samedevice.outputs.escaping import one_line
from samedevice.outputs.figures import figure_fault
from samedevice.outputs.output import NOT_RUN, Output, Raised
from samedevice.pages.page import Block, Page
from samedevice.running.processes import ForkedProcess, Message, SpawnedProcess, closed
from samedevice.running.worker import places, read_printed

TIME_LIMIT = 60.0
"""Seconds that one block may take before its process is killed; longer on a machine that is busy (see `slowdown`)."""
START_LIMIT = 120.0
"""Seconds that a page's process may take to start, the import of torch included."""
END_LIMIT = 20.0
"""Seconds that a page's process may take to end after its last block, or once it was killed."""


class ProcessMonitor:
    """Listens to the process that runs `blocks` of a page until it has ended. `time_limit` is in seconds, a block."""

    def __init__(
        self, page: Page, blocks: list[Block], job: Message, process: ForkedProcess | SpawnedProcess, time_limit: float
    ) -> None:
        self.page = page
        self.blocks = blocks
        self.job = job
        self.process = process
        self.time_limit = time_limit
        self.outputs: dict[int, Output] = {}
        self.current: Block | None = None
        self.environment: Environment | None = None
        self.count = 0
        self.ended = False
        self.left = ""
        """What the section left in its process; empty if another one can run there."""
        self.crash = ""
        """The error that broke the process while it ran a block."""

    def run(self) -> Run:
        """Wait for the process to end, and return what came of the page. Raises SessionError if nothing ran."""
        limit = START_LIMIT
        how = ""
        while not _is_last(message := self._next(limit)):
            if not message:
                how = f"did not end within {limit:g} s and was killed; make it shorter, or see what it waits for"
                message = self._kill()
                break
            limit = self._handle(message) or limit
            if self.ended and not self.left:
                break
        if "closed" in message:
            self.process.kill()  # its server was killed, and cannot do it
        self._account_for_end(how or self.crash or f"ended its process {how_it_ended(message.get('exit'))}")
        outputs = tuple(self.outputs.get(block.index) for block in self.page.blocks)
        return Run(outputs, self.environment, self.count, left=self.left)

    def _next(self, limit: float) -> Message:
        """The next message; empty if none comes in time. Where processes share the cores, all of them have longer."""
        with suppress(Empty):
            return self.process.messages.get(timeout=limit)
        with suppress(Empty):
            return self.process.messages.get(timeout=limit * (slowdown() - 1))
        return {}

    def _kill(self) -> Message:
        """Kill the process and return its last message. A process that waits for a broken disk or GPU may send none."""
        self.process.kill()
        while not _is_last(message := self._next(END_LIMIT)):
            if not message:
                return closed()
        return message

    def _handle(self, message: Message) -> float | None:
        """Take in a message; return the seconds to wait for the next one, None if that does not change."""
        if "crash" in message and self.current:
            self.crash = f"broke the process that runs it: {one_line(message['crash'].strip().splitlines()[-1])[:500]}"
        elif "crash" in message:
            raise SessionError(f"{self.page.path}: the page's process could not start:\n{message['crash']}")
        elif "count" in message:
            self.count = message["count"]
            if message["hello"]:
                day = datetime.datetime.now(datetime.UTC).date().isoformat()
                self.environment = Environment(device=self.job["device"], day=day, **message["hello"])
        elif "start" in message:
            self.current = self.blocks[message["start"]]
            return self.time_limit
        elif "done" in message:
            self.outputs[self.blocks[message["done"]].index] = _output(message["output"])
            self.current = None
            return START_LIMIT
        elif "end" in message:
            self.ended, self.left = True, message["left"]
            return END_LIMIT
        return None

    def _account_for_end(self, how: str) -> None:
        """Note for each block that has no output why: the process ended in one of them, before the others."""
        if self.ended or (self.outputs and max(self.outputs) == self.blocks[-1].index):
            return
        if self.current is None and self.count:
            self.current = next((block for block in self.blocks if block.index not in self.outputs), None)
        if self.current is None:
            raise SessionError(
                f"{self.page.path}: the page's process ended before its first block; is torch installed?"
            )
        self.outputs[self.current.index] = Output(text=self._printed(), died=how)
        for block in self.blocks:
            if block.index > self.current.index:
                self.outputs[block.index] = Output(died=f"{NOT_RUN}, because {self.current} ended its process")

    def _printed(self) -> str:
        """What the block that ended the process had printed until then."""
        with suppress(OSError), open(self.job["printed"], "rb") as file:
            text, more = read_printed(file)
            return clean(text, places(self.job), more)
        return ""


def _is_last(message: Message) -> bool:
    return "exit" in message or "closed" in message


def _output(found: Message) -> Output:
    """A block's output from its message. A figure that must not be on a page is left out, and is the block's error."""
    output = Output.from_json(found)
    refused = next(filter(None, (figure_fault(figure.svg) for figure in output.figures)), "")
    return replace(output, raised=Raised("FigureError", refused), figures=()) if refused else output


def how_it_ended(status: int | None) -> str:
    """An exit status in words: `with signal SIGSEGV`, `with exit status 3`."""
    if status is None:
        return "without a word: something killed the process that starts pages, this block or one that ran beside it"
    if status < 0:
        return f"with signal {signal.Signals(-status).name}"
    return f"with exit status {status}"


def slowdown() -> float:
    """How many times longer a process takes now than on an idle machine, as far as processes share the cores."""
    try:
        return max(1.0, os.getloadavg()[0] / available_cores())
    except (AttributeError, OSError):  # Windows
        return 1.0
