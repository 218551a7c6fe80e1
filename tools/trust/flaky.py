"""flaky: does any block fail now and then? The pages run many times under load, in another order each time.

Each run is `pytest docs` on a copy of the repository, with all cores kept busy, and the pages in an order drawn by the
number of the run. Odd runs have one compute thread, as the engine gives it; in even runs, this module is a plugin of
pytest's that gives pages two. Reports are kept in .cache/flaky, by a hash of all that was copied: started again, it
goes on with the run that it was in, and begins anew once something changed. The exit status is 1 if anything failed.
"""

from __future__ import annotations

import argparse
import os
import random
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ElementTree
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from repository import ROOT, copy_repository

from same_device_site.settings import page_paths
from samedevice.devices import available_cores
from samedevice.files import key

KEPT = ROOT / ".cache/flaky"
RECORDINGS = "recordings"
"""The name of the test that reads a page's recordings: it runs no block."""
NOT_RUN = " was not run, because "
BUSY = "import os\nparent = os.getppid()\nwhile os.getppid() == parent: sum(range(1_000_000))\n"


def pytest_configure() -> None:
    """Change what every page's process finds in its environment.

    While one waits for the other, it sleeps: by default it would spin, and under load keep the other from a core.
    """
    from samedevice.running import processes

    engine, two = processes.page_environ, {"OMP_NUM_THREADS": "2", "MKL_NUM_THREADS": "2", "OMP_WAIT_POLICY": "passive"}
    processes.page_environ = lambda folder: engine(folder) | two


@dataclass(frozen=True)
class Result:
    """What came of one run."""

    number: int
    threads: int
    blocks: int
    seconds: float
    failures: dict[str, str]
    """For each block that failed, by page and line, what pytest said."""


@contextmanager
def busy_cores() -> Iterator[list[subprocess.Popen[bytes]]]:
    """Keep every core busy."""
    burners = [subprocess.Popen([sys.executable, "-c", BUSY]) for _ in range(available_cores())]
    try:
        yield burners
    finally:
        for burner in burners:
            burner.kill()
            burner.wait()


def digest(folder: Path) -> str:
    """Hash of all files below a folder."""
    found = sorted(path for path in folder.rglob("*") if path.is_file())
    return key(*(f"{path.relative_to(folder)} {path.read_bytes()!r}" for path in found))


def run(number: int, root: Path, report: Path, only: Sequence[str] = ()) -> None:
    """Run all pages once, or those that `only` names, and write pytest's report.

    Raises SystemExit with its output if pytest itself fails.
    """
    pages = list(only) or [path.relative_to(root).as_posix() for path in page_paths(root)]
    random.Random(number).shuffle(pages)
    unfinished = report.with_suffix(".unfinished")
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--device", "cpu"]
    command += ["-o", "junit_family=xunit1", f"--junitxml={unfinished}"]
    command += [] if number % 2 else ["-p", "flaky"]
    places = [str(root / "src"), str(Path(__file__).parent), os.environ.get("PYTHONPATH", "")]
    environ = os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, places)), "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run([*command, *pages], cwd=root, env=environ, capture_output=True, text=True, check=False)
    if done.returncode not in (0, 1):
        raise SystemExit(f"pytest ended with status {done.returncode}:\n{done.stdout[-3000:]}{done.stderr[-3000:]}")
    os.replace(unfinished, report)


def read(number: int, report: Path) -> Result:
    """What pytest's report says."""
    suite = next(ElementTree.parse(report).iter("testsuite"))
    failures, blocks = {}, int(suite.get("tests", 0))
    for case in suite.iter("testcase"):
        blocks -= case.get("name") == RECORDINGS
        for fault in (*case.iter("failure"), *case.iter("error")):
            failures[f"{case.get('file')}:{int(case.get('line', 0)) + 1}"] = fault.text or ""
    return Result(number, 1 if number % 2 else 2, blocks, float(suite.get("time", 0)), failures)


def table(results: list[Result]) -> Iterator[str]:
    """What failed how often, with what was said the first time; not what only was not run after another's failure."""
    said = [item for result in results for item in result.failures.items()]
    names = sorted({name for name, text in said if NOT_RUN not in text})
    totals = {threads: sum(result.threads == threads for result in results) for threads in (1, 2)}
    for name in names:
        failed = [result for result in results if NOT_RUN not in result.failures.get(name, NOT_RUN)]
        counts = (f"{sum(r.threads == t for r in failed)} of {total} with {t}" for t, total in totals.items())
        yield f"{name}: {', '.join(counts)} compute threads; first in run {failed[0].number}:"
        yield failed[0].failures[name].strip()
    executed = sum(result.blocks for result in results)
    later = len({name for name, _ in said}.difference(names))
    after = f", and {later} were not run after one of them" if later else ""
    yield f"{len(results)} runs, {executed:,} executions of blocks: {len(names) or 'no'} blocks failed{after}"


def main() -> int:
    """Run what has not been run yet, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--times", type=int, default=30, help="how many runs (default: 30)")
    parser.add_argument("pages", nargs="*", help="pages to run, such as docs/parallel/ddp.md (default: all)")
    given = parser.parse_args()
    results = []
    with tempfile.TemporaryDirectory(prefix="samedevice-flaky-") as place, busy_cores():
        root = copy_repository(Path(place).resolve())
        kept = KEPT / "-".join([digest(root), *(page.replace("/", "_") for page in given.pages)])
        kept.mkdir(parents=True, exist_ok=True)
        for number in range(1, given.times + 1):
            report = kept / f"run-{number:03d}.xml"
            if not report.exists():
                run(number, root, report, given.pages)
            result = read(number, report)
            results.append(result)
            said = f"{result.blocks:,} blocks, {len(result.failures)} failed, {result.seconds:.0f} s"
            print(f"run {number} of {given.times}, seed {number}, compute threads {result.threads}: {said}", flush=True)
    print("", *table(results), sep="\n")
    return int(any(result.failures for result in results) or not all(result.blocks for result in results))


if __name__ == "__main__":
    sys.exit(main())
