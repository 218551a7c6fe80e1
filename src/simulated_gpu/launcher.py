"""Runs a program on simulated GPUs, as `python program.py` would run it without."""

from __future__ import annotations

import argparse
import builtins
import runpy
import sys
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType

from .errors import SimulatedGPUError
from .reporting import Report, report
from .startup import start

USAGE = """python -m simulated_gpu [--gpus N] [--memory SIZE] [--capability X.Y] [--report] script.py ARGS
       python -m simulated_gpu [options] -m module ARGS"""


def main(arguments: Sequence[str]) -> int:
    """Run a script or a module. Return 2, and say why, if the simulated GPU cannot start."""
    parser = argparse.ArgumentParser("simulated_gpu", usage=USAGE, description="Run a program on simulated GPUs.")
    parser.add_argument("--gpus", type=int, default=1, metavar="N", help="how many GPUs (default: 1)")
    parser.add_argument("--memory", metavar="SIZE", help="memory of each, such as 8GiB (default: 16GiB)")
    parser.add_argument("--capability", metavar="X.Y", help="compute capability, such as 7.5 (default: 8.0)")
    parser.add_argument("--report", action="store_true", help="say at the end where Python waits and what is copied")
    parser.add_argument("--report-json", type=absolute, metavar="FILE", help="write the report as JSON")
    parser.add_argument("--report-svg", type=absolute, metavar="FILE", help="draw the memory over time")
    parser.add_argument("-m", dest="module", action="store_true", help="the program is a module")
    parser.add_argument("program", help="the script, or the module after -m")
    parser.add_argument("arguments", nargs=argparse.REMAINDER, help="what the program is given")
    given = parser.parse_args(arguments)
    if not given.module and not Path(given.program).is_file():
        parser.error(f"there is no file {given.program}")
    try:
        start(given.gpus, given.memory, given.capability)
    except SimulatedGPUError as error:
        print(f"simulated_gpu: {error}", file=sys.stderr)
        return 2
    if not (given.report or given.report_json or given.report_svg):
        run(given.program, given.arguments, given.module)
        return 0
    try:
        with report(given.program) as found:  # also of a program that ends with an error, such as out of memory
            run(given.program, given.arguments, given.module)
    finally:
        write(found, given.report, given.report_json, given.report_svg)
    return 0


def absolute(path: str) -> Path:
    """Return the path as it is meant now: the program may change the working folder."""
    return Path(path).absolute()


def write(found: Report, text: bool, json: Path | None, svg: Path | None) -> None:
    """Write a report to where it is wanted. The text goes to standard error, so that the program's output stays."""
    if text:
        print(found, file=sys.stderr)
    if json:
        json.write_text(found.json())
    if svg:
        svg.write_text(found.svg())


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
