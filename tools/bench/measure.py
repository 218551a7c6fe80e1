"""measure: runs commands as whole processes, in turn, and keeps what each run cost."""

from __future__ import annotations

import os
import resource
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

ENVIRON = {
    "OMP_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
    "CUDA_VISIBLE_DEVICES": "",
    "PYTHONDONTWRITEBYTECODE": "",
    "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
    "NO_MKDOCS_2_WARNING": "1",
    "JUPYTER_PATH": f"{sys.prefix}/share/jupyter",
}
"""For all alike: one compute thread, no GPU, bytecode kept, pytest with the plugins that the command names alone."""
MEASURED = """import atexit, pathlib, re, resource, runpy, sys
def peak():
    try:
        return int(re.search(r"VmHWM:\\s+(\\d+)", pathlib.Path("/proc/self/status").read_text())[1])
    except OSError:
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
place = pathlib.Path("memory").resolve()
atexit.register(lambda: place.write_text(str(peak())))
sys.argv = sys.argv[1:]
if sys.argv[0] == "-m":
    del sys.argv[0]
    runpy.run_module(sys.argv[0], run_name="__main__", alter_sys=True)
else:
    runpy.run_path(sys.argv[0], run_name="__main__")
"""
"""A program that runs another one and writes down the peak memory of its own process, in kB."""


@dataclass(frozen=True)
class Cost:
    """What one run of a command took."""

    seconds: float
    """Wall-clock time."""
    cpu: float
    """Processor time of the command and of all that it started and waited for, in seconds."""
    megabytes: float
    """Peak memory of the command's own process, in MB; its workers are not in it."""


Command = Callable[[], Cost]


def run(arguments: list[str], folder: Path, python: Path | str = sys.executable) -> Cost:
    """Run Python with these arguments to its end; what it says goes to `folder/log`.

    Raises SystemExit with its last words if it fails.
    """
    (folder / "measured.py").write_text(MEASURED)
    command = [str(python), "measured.py", *arguments]
    log = folder / "log"
    before, started = children(), time.perf_counter()
    with log.open("w") as sink:
        environ = os.environ | ENVIRON
        status = subprocess.run(command, cwd=folder, env=environ, stdout=sink, stderr=subprocess.STDOUT).returncode
    seconds = time.perf_counter() - started
    if status:
        raise SystemExit(f"{' '.join(command)} failed in {folder}:\n{log.read_text()[-3000:]}")
    return Cost(seconds, children() - before, int((folder / "memory").read_text()) / 1024)


def children() -> float:
    """Processor time of all processes that this one started and waited for, in seconds."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def in_turn(commands: Mapping[str, Command], rounds: int, warm_up: bool = True) -> dict[str, list[Cost]]:
    """Run the commands one after the other, several rounds; the first round of `warm_up` does not count."""
    found: dict[str, list[Cost]] = {name: [] for name in commands}
    for number in range(rounds + warm_up):
        for name, command in commands.items():
            cost = command()
            label = "warm-up" if number < warm_up else f"round {number + 1 - warm_up} of {rounds}"
            print(f"  {label}: {name} {cost.seconds:.2f} s", file=sys.stderr, flush=True)
            if number >= warm_up:
                found[name].append(cost)
    return found


def median(costs: list[Cost]) -> Cost:
    """The median of each figure."""
    return Cost(
        statistics.median(cost.seconds for cost in costs),
        statistics.median(cost.cpu for cost in costs),
        statistics.median(cost.megabytes for cost in costs),
    )


def ratio(found: Mapping[str, list[Cost]], name: str, *others: str) -> float:
    """The median over the rounds of what one command took against what the others took together in that round."""
    rounds = zip(found[name], *(found[other] for other in others), strict=True)
    return float(statistics.median(row[0].seconds / sum(cost.seconds for cost in row[1:]) for row in rounds))
