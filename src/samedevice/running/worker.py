"""worker: runs the blocks of one page in this process, and reports each output.

The fork server starts it, or, where there is no fork, `python -m samedevice.running.worker`. It reads one job, and
writes one line of JSON for each thing that happened: `hello`, `start`, `done`, `end`. It imports next to nothing of the
rest of the package, so that a page's process holds little more than the page.
"""

from __future__ import annotations
import __future__

import ast
import contextlib
import ctypes
import functools
import inspect
import io
import json
import linecache
import os
import re
import shlex
import subprocess
import sys
import traceback
import types
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, BinaryIO, TextIO

from samedevice.outputs.cleaning import READ, clean
from samedevice.outputs.output import Figure, Output, Raised
from samedevice.running import observing
from samedevice.running.machine import count, environment, installed

if TYPE_CHECKING:
    from samedevice.running.sharing import Sharing

try:
    import resource
except ImportError:  # Windows
    resource = None  # type: ignore[assignment]

LIBC = ctypes.CDLL(None) if os.name == "posix" else None
"""The C library of this process."""
FILE_SIZE = 1 << 30
"""Bytes that one file written by a page may have, its captured output included."""
INK = "#0b0c0d"
"""The colour that stands for "the page's text colour" in a figure; the site's style replaces it."""
OWN_FILES = (__file__, subprocess.__file__, ast.__file__)
"""The files that run a block: a page's tracebacks leave out their frames."""
BEGUN = ("", os.getcwd())
"""Where `python -m` looks for modules: a folder of ours, which an earlier page of the fork server may have removed."""
AS_JSON = json.JSONEncoder().iterencode
"""Writes JSON as it does before a page runs, which may put something else in the place of `json.dumps`."""
ENGINE_FRAME = re.compile(
    rf'^ *File "{re.escape(str(Path(__file__).parents[1]))}[/\\][^"\n]*", line \d+ in .*\n?', re.M
)
"""A line of faulthandler's about a frame of the engine, below those of the page."""
FUTURES = sum({getattr(__future__, name).compiler_flag for name in __future__.all_feature_names})
"""What `from __future__` can change of the blocks below it."""

IS_MAIN = "__name__ == '__main__'"
"""The test of a statement that is left out where a project did not ask for it."""
SHAPE = re.compile(r"<(?:use|path)\b")
MANY = 10_000
"""Shapes of a figure that are drawn as shapes; a page with more is slow, and its recording large."""
TAG = re.compile(r"<[^>]*>")
LONG_NUMBER = re.compile(r"(?<![\w#.-])-?\d+\.\d{2,}(?=[\s\",)LMCQz])")

Job = dict[str, Any]


class Capture:
    """Catches everything that is written to the file descriptors 1 and 2, whatever writes it, in the file `path`.

    The file holds what the current block printed: if the block ends this process, the parent finds it there.
    """

    def __init__(self, path: str) -> None:
        self.file: BinaryIO = open(path, "w+b")  # noqa: SIM115
        for descriptor in (1, 2):
            os.dup2(self.file.fileno(), descriptor)
        null = os.open(os.devnull, os.O_RDONLY)
        os.dup2(null, 0)
        os.close(null)
        sys.stdin = open(0, encoding="utf-8", closefd=False)  # noqa: SIM115
        sys.stdout = self._stream(1)
        sys.stderr = self._stream(2)

    @staticmethod
    def _stream(descriptor: int) -> TextIO:
        return open(descriptor, "w", encoding="utf-8", errors="backslashreplace", buffering=1, closefd=False)

    def take(self) -> tuple[str, int]:
        """What was written since the last call, as `read_printed` gives it."""
        for stream in (sys.stdout, sys.stderr):
            with contextlib.suppress(Exception):  # the page may have put anything in its place
                stream.flush()
        if LIBC is not None:
            LIBC.fflush(None)
        found = read_printed(self.file)
        self.file.seek(0)
        self.file.truncate()
        return found


def read_printed(file: BinaryIO) -> tuple[str, int]:
    """The beginning of what a file holds, decoded with replacement; how many bytes follow it.

    Frames of the engine are left out, as they are of tracebacks.
    """
    file.seek(0)
    data = file.read(READ)
    return ENGINE_FRAME.sub("", data.decode("utf-8", "replace")), file.seek(0, io.SEEK_END) - len(data)


def places(job: Job) -> dict[str, str]:
    """Paths of this machine, and what is shown in their place."""
    found = {f"{place}{os.sep}": "" for place in (job["folder"], job["root"], sys.prefix)}
    return found | dict.fromkeys((job["folder"], job["root"]), ".")


class TranscriptError(Exception):
    """A transcript that prints something else than it says."""


class Runner:
    """Runs blocks one after the other in one namespace."""

    def __init__(self, job: Job, capture: Capture) -> None:
        self.job = job
        self.capture = capture
        self.process = os.getpid()
        self.module = types.ModuleType("__main__")
        self.module.__dict__["__file__"] = str(Path(job["root"], job["page"]))
        sys.modules["__main__"] = self.module
        sys.argv = [job["page"]]
        self.places = places(job)
        self.flags = 0
        """What the blocks so far took from the future."""
        self.loop: Any = None
        """What `await` outside of a function waits in."""
        self.notes = observing.Log(job["notes"])
        """What a simulator notes of what a real device may do differently."""
        self.log = observing.Log(job["log"])
        self.used = False
        """Whether a block so far used the device."""

    def run(self, block: Job) -> Output:
        """Run one block and collect what it did."""
        value, raised, first = "", None, block["code_line"]
        printed = observing.PrintedLines(self._path(block), first, first + block["code"].count("\n"))
        try:
            if block["kind"] == "python":
                with printed if block["by_line"] else contextlib.nullcontext():
                    value = self._python(block)
            elif block["kind"] == "transcript":
                self._transcript(block)
            elif block["kind"] == "console":
                self._console(block["code"])
            else:
                self._program([sys.executable, self._path(block), *shlex.split(block["args"])])
        except BaseException as error:
            well = isinstance(error, SystemExit) and not error.code and not block["raises"]
            raised = None if well else self._raised(error, block)
        if os.getpid() != self.process:  # the block forked, and this is the child
            with contextlib.suppress(Exception):
                sys.stdout.flush()
            os._exit(0)
        text, more = self.capture.take()
        figures: tuple[Figure, ...] = ()
        try:
            figures = self._figures(block["alt"])
        except Exception as error:
            raised = raised or self._raised(error, block)
        shown = clean(text, self.places, more), clean(value, self.places), raised, figures
        lines = tuple((line, clean(text, self.places)) for line, text in printed.printed)
        noted = self.log.take()
        opened = tuple(line for line in noted if not line.startswith(observing.USE))
        self.used = self.used or len(opened) < len(noted) or observing.is_used(self.job["used"])
        unsure = ", ".join(dict.fromkeys(self.notes.take()))
        return Output(*shown, unsure=unsure, lines=lines, opened=opened, used=self.used)

    def _path(self, block: Job) -> str:
        return str(Path(self.job["root"], block["path"]))

    def _python(self, block: Job) -> str:
        path = self._path(block)
        tree = ast.parse("\n" * (block["code_line"] - 1) + block["code"], path)
        if block["skips_main"]:
            tree.body = [one for one in tree.body if not (isinstance(one, ast.If) and ast.unparse(one.test) == IS_MAIN)]
        last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
        if tree.body and last and isinstance(last.value, ast.Constant) and isinstance(last.value.value, str):
            last = None  # a text below code says something of it
        self._evaluate(tree, path)
        value = self._evaluate(ast.Expression(last.value), path) if last else None
        return "" if value is None else repr(value)

    def _evaluate(self, tree: ast.Module | ast.Expression, path: str) -> Any:
        """Run code, which may wait outside of a function."""
        mode = "exec" if isinstance(tree, ast.Module) else "eval"
        code = compile(tree, path, mode, self.flags | ast.PyCF_ALLOW_TOP_LEVEL_AWAIT, dont_inherit=True)
        self.flags |= code.co_flags & FUTURES
        found = eval(code, self.module.__dict__)
        if not code.co_flags & inspect.CO_COROUTINE:
            return found
        import asyncio

        self.loop = self.loop or asyncio.new_event_loop()
        return self.loop.run_until_complete(found)

    def _transcript(self, block: Job) -> None:
        """Run what follows `>>>`, and compare what it prints with what the transcript says, as doctest does."""
        import doctest

        said: list[str] = []
        place = ("transcript", block["path"], block["code_line"] - 1)
        test = doctest.DocTestParser().get_doctest(block["code"], {}, *place)
        test.globs = self.module.__dict__
        if doctest.DocTestRunner(verbose=False).run(test, out=said.append, clear_globs=False).failed:
            raised = "\nException raised:\n" in said[0]
            why = said[0].rstrip().splitlines()[-1].strip() if raised else "it prints something else"
            raise TranscriptError("\n".join([why, "".join(said).strip("*\n")]))

    def _console(self, code: str) -> None:
        commands = [part.strip() for part in re.split(r"^\$ ", code, flags=re.M) if part.strip()]
        for command in commands:
            if len(commands) > 1:
                print(f"$ {command}", flush=True)
            self._program(command)

    def _program(self, command: str | list[str]) -> None:
        in_shell = isinstance(command, str)
        done = subprocess.run(
            command, shell=in_shell, cwd=(self.job["cwd"] or self.job["root"]) if in_shell else None, check=False
        )
        if done.returncode:
            raise SystemExit(done.returncode)

    def _raised(self, error: BaseException, block: Job) -> Raised:
        kind = clean(type(error).__name__, self.places)
        try:
            message = clean(str(error), self.places)
        except Exception as broken:
            message = f"(its message cannot be had: {type(broken).__name__})"
        if block["raises"] in (base.__name__ for base in type(error).__mro__):
            return Raised(kind, message, announced=block["raises"] if block["raises"] != kind else "")
        linecache.checkcache()
        stack = traceback.TracebackException.from_exception(error)
        frames = [frame for frame in stack.stack if frame.filename not in OWN_FILES]
        stack.stack = traceback.StackSummary.from_list(frames)
        return Raised(kind, message, clean("".join(stack.format()), self.places))

    def _figures(self, alt: str) -> tuple[Figure, ...]:
        if "matplotlib.pyplot" not in sys.modules:
            return ()
        plt = sys.modules["matplotlib.pyplot"]
        try:
            return tuple(Figure(draw(plt.figure(number)), alt) for number in plt.get_fignums())
        finally:
            plt.close("all")


def draw(figure: Any) -> str:
    """The figure as SVG: no date, no random ids, coordinates to 0.1 pt, its ink the colour of the page's text.

    If it has more shapes than a page should carry, what is inside of its axes is one picture in it.
    """
    svg = _svg(figure)
    if len(SHAPE.findall(svg)) > MANY:
        for artist in [artist for axes in figure.axes for artist in (*axes.collections, *axes.lines, *axes.patches)]:
            artist.set_rasterized(True)
        svg = _svg(figure, dpi=144)
    svg = svg[svg.index("<svg") :]
    svg = re.sub(r"<metadata>.*?</metadata>\s*|<!--.*?-->\s*", "", svg, flags=re.S)
    svg = TAG.sub(lambda tag: LONG_NUMBER.sub(lambda match: f"{float(match[0]):.1f}".removesuffix(".0"), tag[0]), svg)
    svg = re.sub(r'<g id="[^"]*"', "<g", svg)
    svg = svg.replace(INK, "currentColor")
    return re.sub(r">\s+<", "><", svg).strip()


def _svg(figure: Any, **options: Any) -> str:
    sink = io.StringIO()
    figure.savefig(sink, format="svg", **options, bbox_inches="tight", metadata={"Date": None, "Creator": None})
    return sink.getvalue()


def prepare(job: Job) -> None:
    """Make this process the page's: folder, device, warnings as they are shown, limits."""
    os.chdir(job["cwd"] or job["folder"])
    os.environ.update(job["environ"])
    os.environ |= {observing.LOG: job["log"], observing.FOLDER: job["root"], observing.USED: job["used"]}
    python_path = os.environ.get("PYTHONPATH", "").split(os.pathsep)
    os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, dict.fromkeys([job["observing"], *python_path])))
    sys.path[:] = [*filter(None, [job["cwd"]]), *(path for path in sys.path if path not in BEGUN)]
    if resource is not None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (FILE_SIZE, FILE_SIZE))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        os.nice(10 if job["yields"] else 0)
    warnings.formatwarning = plain_warning
    torch = installed() if job["device"] == "cpu" and sys.platform == "darwin" else None
    if torch:
        hide_mps(torch)


def plain_warning(message: Any, category: type[Warning], *_: Any, **__: Any) -> str:
    """A warning as pages show it: without the place of the code that gave it."""
    return f"{category.__name__}: {message}\n"


def hide_mps(torch: Any) -> None:
    """Have PyTorch say that a Mac has no GPU. Since 2.15 its compiler wants to find a cached function here."""
    for module in (torch.backends.mps, torch.mps):
        module.is_available = functools.cache(lambda: False)


def json_line(message: dict[str, Any]) -> bytes:
    """A message of this process as a line."""
    return "".join(AS_JSON(message, True)).encode() + b"\n"


def work(job: Job, channel: IO[bytes], jobs: IO[bytes] | None = None) -> None:
    """Run a job to its end, writing one line of JSON to `channel` for each thing that happens.

    If the job `stays`, and leaves this process as it was, go on with the next one from `jobs`, until there is none.
    """

    def report(**message: Any) -> None:
        channel.write(json_line(message))
        channel.flush()

    turn, sharing = None, None
    while job:
        capture = Capture(job["printed"])
        prepare(job)
        if job["stays"] and sharing is None:
            from samedevice.running.sharing import Sharing  # few processes are shared

            sharing = Sharing(job["root"], (observing.LOG, *job["environ"]))
        if turn:
            turn(job["log"])
        turn = turn or observing.watch(job["log"], job["root"], job["used"])
        free = run_blocks(job, capture, report, sharing)
        job = json.loads(jobs.readline() or "{}") if jobs and free else {}
    if "multiprocessing.util" in sys.modules:
        sys.modules["multiprocessing.util"]._exit_function()
    os._exit(0)


def run_blocks(job: Job, capture: Capture, report: Callable[..., None], sharing: Sharing | None) -> bool:
    """Run the blocks of a job; return whether the process can take another one."""
    present = count(job["device"])
    report(hello=environment(job["device"], job["simulated"], job["library"]) if present else None, count=present)
    runner = Runner(job, capture)
    printed = []
    for number, block in enumerate(job["blocks"] if present else ()):
        if block["count"] > present:
            continue
        report(start=number)
        output = runner.run(block)
        printed.append(output.text)
        report(done=number, output=output.to_json())
    runner.module.__dict__.clear()
    left = sharing.left(printed) if sharing else "it is for one section"
    report(end=True, left=left)
    return not left


if __name__ == "__main__":
    private = os.fdopen(os.dup(1), "wb")
    work(json.loads(sys.stdin.buffer.readline()), private)
