"""record: runs the sections of pages on the devices of this machine, those first that nothing else can show.

A part of the kit that `kit.py` writes, started by `record.sh`. It runs what uses the accelerator and is not recorded
with this PyTorch (`order.py` says in which order), the claims, then what the CPU has not shown with this PyTorch. It
writes each section at once (`recorder.py`), says every 20 seconds how far it is, and ends in time. Started again, it
goes on.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any

from order import Piece, in_order, pieces
from recorder import Recorder
from session import OutOfTimeError, Session

from same_device_site.settings import page_paths, parse_page
from samedevice.devices import (
    KINDS,
    LABELS,
    Simulator,
    available_cores,
    present_devices,
    torch_build,
    why_absent,
    why_not_simulated,
)
from samedevice.errors import SameDeviceError
from samedevice.outputs.environments import Environment
from samedevice.outputs.recordings import CPU
from samedevice.pages.page import Page
from samedevice.running.monitor import TIME_LIMIT
from samedevice.running.section_runner import SectionRunner

KIT = Path(__file__).resolve().parent
END = 10.0
"""Seconds before the end at which nothing is waited for any more."""
ROOM = 4 << 30
"""Bytes of a GPU's memory for each section that runs there beside others, its CUDA context included."""
ABOUT = """
import importlib.util, json, platform, sys, torch
from samedevice.devices import available_cores
from samedevice.running import machine
device, simulated = sys.argv[1], sys.argv[2] == "simulated"
print(f"Python {platform.python_version()}, PyTorch {torch.__version__}")
for name in ("numpy", "matplotlib", "pandas", "sklearn", "pytest", "hypothesis"):
    if importlib.util.find_spec(name) is None:
        print(f"{name} is not installed: what needs it fails")
print(f"{available_cores()} cores")
memory = []
for number in range(torch.cuda.device_count() if device == "cuda" else 0):
    free, total = torch.cuda.mem_get_info(number)
    memory.append(free)
    print(f"{torch.cuda.get_device_name(number)}: {free / 2**30:.1f} of {total / 2**30:.1f} GiB free")
print(json.dumps([machine.environment(device, simulated), machine.count(device), memory]))
"""
"""A program that describes the machine to a person, and in its last line to this one."""


def read_pages(recorder: Recorder) -> Iterator[Page]:
    """The pages that can be read."""
    for path in page_paths(recorder.kit):
        try:
            yield parse_page(path, recorder.kit)
        except SameDeviceError as error:
            recorder.say(f"left out: {error}")


def devices(recorder: Recorder, simulated: bool) -> Iterator[str]:
    """The devices to record on, the accelerator first; says why there is none."""
    wanted = "mps" if sys.platform == "darwin" else "cuda"
    why = why_not_simulated(wanted) if simulated else "" if wanted in present_devices() else why_absent(wanted)
    if why:
        recorder.say(f"{LABELS[wanted]} is not recorded: {why}")
    else:
        yield wanted
    if not simulated:
        yield CPU


def described(recorder: Recorder, device: str, simulator: Simulator | None) -> tuple[Environment, int, list[int]]:
    """Say what a device of this machine is like: its environment, how many there are, the free bytes of each."""
    command = [sys.executable, "-c", ABOUT, device, "simulated" if simulator else "real"]
    given = os.environ | (simulator.environ if simulator else {})
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=600, env=given)
    *told, last = done.stdout.strip().split("\n")
    recorder.say("\n".join([*told, done.stderr]))
    if done.returncode:
        raise SameDeviceError(f"{LABELS[device]} is not recorded: PyTorch cannot describe it; see above")
    about, count, memory = json.loads(last)
    return Environment(device=device, **about), count, memory


def sections(recorder: Recorder, about: Environment, count: int) -> list[Piece]:
    """What is left to run on a device of this machine, in order. In a rehearsal nothing is known of the device."""
    planned, found = replace(about, simulated=False), list[Piece]()
    for page in read_pages(recorder):
        found += pieces(page, planned, count, recorder.recordings(page), recorder.kit)
    return [piece for piece in in_order(found) if not recorder.is_done(piece)]


def record(recorder: Recorder, device: str, given: argparse.Namespace, deadline: float, stack: ExitStack) -> None:
    """Record on a device what nobody has recorded there. Raises SameDeviceError and OutOfTimeError."""
    simulator = KINDS[device].simulator if given.simulated else None
    about, count, memory = described(recorder, device, simulator)
    found = sections(recorder, about, count)
    least = available_cores() if device == CPU or simulator else 1
    side_by_side = given.side_by_side or max([least, *(min(available_cores(), free // ROOM) for free in memory)])
    recorder.say(f"{len(found)} sections to run on {about}, {side_by_side} side by side")
    runner = SectionRunner(recorder.kit, given.limit, simulator=simulator, side_by_side=side_by_side)
    stack.callback(runner.close)  # at the end: a process that hangs keeps nothing from being packed
    session = Session(recorder, runner, deadline)
    first = [piece for piece in found if not piece.message and not piece.doubtful and device != CPU]
    session.run(first, side_by_side)
    if device != CPU and about.folder not in recorder.claims:
        stack.callback(session.start_claims(about, simulator.environ if simulator else {}))
    session.run(found[len(first) :], side_by_side)
    session.run_again()
    session.end_claims()


def interrupt(*_: Any) -> None:
    """End as by Ctrl-C, so that what was recorded is packed."""
    raise KeyboardInterrupt


def parsed() -> argparse.Namespace:
    """What the command line says."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("archive", nargs="?", type=Path, default=KIT / "recordings.tar.gz", help="the file to write")
    parser.add_argument("--minutes", type=float, default=float("inf"), help="end before so many minutes are over")
    parser.add_argument("--device", choices=tuple(LABELS), help="record on this device alone")
    parser.add_argument("--limit", type=float, default=TIME_LIMIT, help="seconds that a block may take (default: 60)")
    parser.add_argument("--side-by-side", type=int, metavar="N", help="sections that run at once, as memory allows")
    parser.add_argument("--simulated", action="store_true", help="rehearse on simulated GPUs")
    return parser.parse_args()


def main() -> int:
    """Record; the exit status is 1 if a section failed, 130 if it was ended before all was done."""
    deadline = time.monotonic() - END
    given = parsed()
    deadline += 60 * given.minutes
    signal.signal(signal.SIGTERM, interrupt)
    recorder = Recorder(KIT, given.archive.resolve(), torch_build().version)
    ended = 0
    with ExitStack() as stack:
        try:
            for device in devices(recorder, given.simulated):
                if device == (given.device or device):
                    record(recorder, device, given, deadline, stack)
        except SameDeviceError as error:
            ended = 1
            recorder.say(str(error))
        except (KeyboardInterrupt, OutOfTimeError):
            ended = 130
            recorder.say("ended before all was recorded; started again, it goes on")
        for line in recorder.table():
            recorder.say(line)
        recorder.pack()
    return ended or int(any(one.failures for one in recorder.results.values()))


if __name__ == "__main__":
    sys.exit(main())
