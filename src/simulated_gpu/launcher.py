"""Runs a program on simulated GPUs, as `python program.py` would run it without."""

from __future__ import annotations

import argparse
import builtins
import runpy
import sys
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType

from . import settings, startup
from .errors import SimulatedGPUError
from .reporting import Report, report
from .reporting.output import Outputs

USAGE = """python -m simulated_gpu [--gpus N] [--memory SIZE] [--capability X.Y] script.py ARGS
       python -m simulated_gpu [options] -m module ARGS"""


def main(arguments: Sequence[str]) -> int:
    """Run a script or a module. Return 2, and say why, if the simulated GPU cannot start."""
    parser = argparse.ArgumentParser("simulated_gpu", usage=USAGE, description="Run a program on simulated GPUs.")
    parser.add_argument("--gpus", type=int, default=1, metavar="N", help="how many GPUs (default: 1)")
    parser.add_argument("--memory", metavar="SIZE", help="memory of each, such as 8GiB (default: 16GiB)")
    parser.add_argument("--capability", metavar="X.Y", help="compute capability, such as 7.5 (default: 8.0)")
    parser.add_argument("--shapes-only", action="store_true", help="compute nothing, and hold nothing in main memory")
    group = parser.add_argument_group("report", "by source line: waits, copies, launches, and what holds the memory")
    group.add_argument("--report", action="store_true", help="print a report at the end")
    group.add_argument("--report-json", type=absolute, metavar="FILE", help="write it as JSON")
    group.add_argument("--report-svg", type=absolute, metavar="FILE", help="write a picture of the memory")
    group.add_argument("--report-github", action="store_true", help="print it as annotations of GitHub Actions")
    parser.add_argument("-m", dest="module", action="store_true", help="the program is a module")
    parser.add_argument("program", help="the script, or the module after -m")
    parser.add_argument("arguments", nargs=argparse.REMAINDER, help="what the program is given")
    given = parser.parse_args(arguments)
    if not given.module and not Path(given.program).is_file():
        parser.error(f"there is no file {given.program}")
    outputs = Outputs(given.report, given.report_github, given.report_json, given.report_svg)
    try:
        outputs.check()
        startup.start(given.gpus, given.memory, given.capability, given.shapes_only)
    except SimulatedGPUError as error:
        print(f"simulated_gpu: {error}", file=sys.stderr)
        return 2
    if (chosen := settings.read()) and (hides := startup.hidden(chosen)):
        print(f"simulated_gpu: {hides}.", file=sys.stderr)
    if outputs:
        _run_and_report(given.program, given.arguments, given.module, outputs)
    else:
        run(given.program, given.arguments, given.module)
    return 0


def absolute(path: str) -> Path:
    """Return the path as it is meant now: the program may change the working folder."""
    return Path(path).absolute()


def _run_and_report(program: str, arguments: Sequence[str], module: bool, outputs: Outputs) -> None:
    found = Report()
    try:
        with report() as found:
            run(program, arguments, module)
    finally:
        outputs.write(found)


def run(program: str, arguments: Sequence[str], module: bool) -> None:
    """Run a script or a module as the main program."""
    sys.argv = [program, *arguments]
    if module:
        runpy.run_module(program, run_name="__main__", alter_sys=True)
    else:
        _run_script(Path(program))


def _run_script(path: Path) -> None:
    # Not runpy.run_path: it takes the main module away when the script ends; threads and atexit functions need it.
    main = ModuleType("__main__")
    main.__file__ = str(path)
    main.__dict__["__builtins__"] = builtins
    sys.modules["__main__"] = main
    sys.path[0] = str(path.resolve().parent)
    exec(compile(path.read_bytes(), str(path), "exec"), main.__dict__)
