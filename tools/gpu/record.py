"""record: runs every page on the devices of this machine, a page at a time, and packs what they print.

A part of the kit that `kit.py` writes, started by `record.sh`. It records a short page first, which shows that all
works, then all pages on the accelerator, those that measure first, then all pages on the CPU. It writes recording, log
and archive after each page, so that it loses what runs at that moment, however it is ended. Started again, it goes on.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import signal
import subprocess
import sys
import tarfile
import time
from collections.abc import Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, wait
from concurrent.futures import TimeoutError as WaitTimeoutError
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from same_device_site.settings import page_paths, parse_page
from samedevice import file_cache
from samedevice.devices import LABELS, present_devices, torch_build, why_absent
from samedevice.errors import SameDeviceError
from samedevice.outputs.checks import fault
from samedevice.outputs.environments import Run
from samedevice.page_runs import PageRuns
from samedevice.pages.page import Page
from samedevice.project import RECORDINGS
from samedevice.running.section_runner import measures
from samedevice.running.threads import LOOK_UP

KIT = Path(__file__).resolve().parent
LOG, RESULTS = "record.log", "results.json"
PAGE_LIMIT = 240.0
"""Seconds that one page may take; each of its blocks has a limit of its own."""
ABOUT = """
import os, platform, torch
print(f"Python {platform.python_version()}, PyTorch {torch.__version__}, built for CUDA {torch.version.cuda}")
for name in ("numpy", "matplotlib", "pandas", "sklearn"):
    try:
        print(name, __import__(name).__version__)
    except ImportError:
        print(f"{name} is not installed: pages that use it fail")
print(f"{os.cpu_count()} cores")
for number in range(torch.cuda.device_count()):
    free, total = torch.cuda.mem_get_info(number)
    print(f"{torch.cuda.get_device_name(number)}: {free / 2**30:.1f} of {total / 2**30:.1f} GiB free")
"""


@dataclass(frozen=True)
class Result:
    """What came of a page on a device."""

    page: str
    """The page's path."""
    device: str
    """cpu, cuda or mps."""
    key: str
    """Hash of what the page's outputs follow from."""
    said: str
    """What was done with them, in a line."""
    failures: tuple[str, ...] = ()
    """What is wrong with the page or its blocks, in full."""
    printed: tuple[str, ...] = ()
    """What each block of a page with failures showed, which is not recorded."""


class Recorder:
    """Runs pages, and keeps recordings, log and results of the kit at `kit` packed in `archive`."""

    def __init__(self, kit: Path, archive: Path, limit: float, side_by_side: int) -> None:
        self.kit = kit
        self.archive = archive
        self.limit = limit
        self.side_by_side = side_by_side
        self.results: dict[tuple[str, str], Result] = {}
        with contextlib.suppress(OSError, ValueError, TypeError):
            found = [Result(**one) for one in json.loads((kit / RESULTS).read_text(encoding="utf-8"))]
            self.results = {(one.page, one.device): one for one in found}

    def say(self, text: str) -> None:
        """Print text, and write it to the log."""
        print(text, flush=True)
        with (self.kit / LOG).open("a", encoding="utf-8") as log:
            log.write(f"{text}\n")

    def record(self, pages: Iterable[Page], device: str) -> None:
        """Record pages on a device, but those that are recorded already as they are."""
        left = [page for page in pages if any(block.runs_on(device) for block in page.blocks)]
        left = [page for page in left if not self._is_done(page, device)]
        while left:
            left = self._record_some(left, device)

    def _record_some(self, pages: list[Page], device: str) -> list[Page]:
        """Record pages until one of them takes too long, or breaks the machinery; return those that are left then."""
        runs = PageRuns(self.kit, side_by_side=self.side_by_side)
        left = list(pages)
        try:
            runs.start((page, device, None) for page in pages)
            while left:
                started = time.monotonic()
                ended = set[Future[Run]]()
                while not ended and time.monotonic() < started + self.limit:  # a signal may not end it: see wait_for
                    ended = wait((runs.futures[page.path, device] for page in left), LOOK_UP, FIRST_COMPLETED).done
                page = next((page for page in left if runs.futures[page.path, device] in ended), left[0])
                left.remove(page)
                result, whole = self._result(runs, page, device)
                self._note(result, time.monotonic() - started)
                if not whole:
                    return left
            return []
        finally:
            runs.close()

    def _result(self, runs: PageRuns, page: Page, device: str) -> tuple[Result, bool]:
        """What came of a page, and whether the others can go on."""
        key = _key(page)
        future = runs.futures[page.path, device]
        if not future.done():
            said = f"not recorded: {page.path} on {device} did not end within {self.limit:g} s"
            return Result(page.path, device, key, said, (said,)), False
        try:
            run = future.result()
            if run.environment is None:
                said = f"not recorded: {page.path} on {device}, because PyTorch sees no such device"
                return Result(page.path, device, key, said, (said,)), True
            faults = _faults(page, device, run)
            failures = tuple(filter(None, faults))
            shown = tuple(output.shown if output else "" for output in run.outputs) if failures else ()
            right = (None if wrong else output for output, wrong in zip(run.outputs, faults, strict=True))
            said = runs.write(page, device, replace(run, outputs=tuple(right)))
            said += f", without {len(failures)} that failed" if failures else ""
            return Result(page.path, device, key, said, failures, shown), True
        except (SameDeviceError, WaitTimeoutError) as error:
            said = f"not recorded: {page.path} on {device}, because {error}"
            return Result(page.path, device, key, said, (said,)), False

    def _is_done(self, page: Page, device: str) -> bool:
        found = self.results.get((page.path, device))
        return found is not None and not found.failures and found.key == _key(page)

    def _note(self, result: Result, seconds: float) -> None:
        """Write down what came of a page, and pack all there is."""
        self.results[result.page, result.device] = result
        self.say(f"{result.said} ({seconds:.0f} s)")
        for failure in result.failures:
            if failure not in result.said:
                self.say(f"\n{failure}\n")
        found = [asdict(one) for one in self.results.values()]
        (self.kit / RESULTS).write_text(json.dumps(found, indent=1), encoding="utf-8")
        self.pack()

    def pack(self) -> None:
        """Write the archive, whole or not at all."""
        unfinished = self.archive.with_name(f".{self.archive.name}.unfinished")
        with tarfile.open(unfinished, "w:gz") as packed:
            for name in (RECORDINGS.as_posix(), LOG, RESULTS):
                if (self.kit / name).exists():
                    packed.add(self.kit / name, name)
        os.replace(unfinished, self.archive)

    def table(self) -> Iterator[str]:
        """What failed, and why, a line each."""
        failed = [one for one in self.results.values() if one.failures]
        recorded = len(self.results) - len(failed)
        yield f"\n{recorded} recordings, {len(failed)} pages failed; {self.archive}"
        for one in failed:
            yield f"| {one.page} | {one.device} | {len(one.failures)} | {one.failures[0].splitlines()[0]} |"


def _faults(page: Page, device: str, run: Run) -> list[str]:
    """What is wrong with each block; empty where nothing is."""
    pairs = zip(page.blocks, run.outputs, strict=True)
    return [fault(block, device, output) if output else "" for block, output in pairs]


def _key(page: Page) -> str:
    return file_cache.key(torch_build().version, *(block.digest for block in page.blocks))


def read_pages(recorder: Recorder) -> list[Page]:
    """The pages that can be read: those that measure something first, and those with the most blocks first."""
    found = []
    for path in page_paths(recorder.kit):
        try:
            found.append(parse_page(path, recorder.kit))
        except SameDeviceError as error:
            recorder.say(f"left out: {error}")
    return sorted(found, key=lambda page: (not any(map(measures, page.blocks)), -len(page.blocks)))


def devices(recorder: Recorder) -> Iterator[str]:
    """The devices to record on, the accelerator first; says why there is none."""
    present = present_devices()
    wanted = "mps" if sys.platform == "darwin" else "cuda"
    if wanted in present:
        yield wanted
    else:
        recorder.say(f"{LABELS[wanted]} is not recorded: {why_absent(wanted)}")
    yield "cpu"


def record_all(recorder: Recorder, only: str | None) -> None:
    """Show the machine, then record everything."""
    about = subprocess.run([sys.executable, "-c", ABOUT], capture_output=True, text=True, check=False, timeout=600)
    recorder.say(about.stdout + about.stderr)
    pages = read_pages(recorder)
    for device in devices(recorder):
        if device != (only or device):
            continue
        on_device = [page for page in pages if any(block.runs_on(device) for block in page.blocks)]
        recorder.record(on_device[-1:], device)
        recorder.record(on_device, device)


def interrupt(*_: Any) -> None:
    """End as by Ctrl-C, so that what was recorded is packed."""
    raise KeyboardInterrupt


def main() -> int:
    """Record; the exit status is 1 if a page failed, 130 if it was ended before all was done."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("archive", nargs="?", type=Path, default=KIT / "recordings.tar.gz", help="the file to write")
    parser.add_argument("--limit", type=float, default=PAGE_LIMIT, help="seconds that a page may take (default: 240)")
    parser.add_argument("--device", choices=tuple(LABELS), help="record on this device alone")
    parser.add_argument(
        "--side-by-side",
        type=int,
        default=1,
        metavar="N",
        help="sections that run at once on a GPU, each with a CUDA context of half a GiB (default: 1)",
    )
    given = parser.parse_args()
    signal.signal(signal.SIGTERM, interrupt)
    recorder = Recorder(KIT, given.archive.resolve(), given.limit, given.side_by_side)
    ended = 0
    try:
        record_all(recorder, given.device)
    except KeyboardInterrupt:
        ended = 130
        recorder.say("ended before all was recorded; started again, it goes on")
    for line in recorder.table():
        recorder.say(line)
    recorder.pack()
    return ended or int(any(one.failures for one in recorder.results.values()))


if __name__ == "__main__":
    sys.exit(main())
