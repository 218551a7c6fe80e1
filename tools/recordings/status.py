"""Prints how many outputs each environment has recorded, and which a change makes stale.

Usage: python tools/recordings/status.py [COMMIT]. An output counts where its block is as it was when it ran, and used
the environment's device. Against a commit, such as `main`, it lists the outputs of real devices other than CPUs that
were fresh there and are fresh nowhere now, with page and line as they were: only such a device can print them again.
"""

from __future__ import annotations

import io
import subprocess
import sys
import tarfile
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from same_device_site.settings import page_paths, parse_page
from samedevice.errors import SameDeviceError
from samedevice.outputs.environments import Environment
from samedevice.outputs.recording_files import Recordings
from samedevice.outputs.recordings import State
from samedevice.project import RECORDINGS

ROOT = Path(__file__).parents[2]
SHOWN = (State.FRESH, State.UNUSED, State.STALE, State.MISSING)


class Recorded(NamedTuple):
    """What one environment has recorded of one block."""

    environment: Environment
    hash: str
    """Hash of the block's program."""
    block: str
    """The block, by page and line."""
    state: State
    """Whether there is an output for the block as it is."""


def recorded(root: Path) -> Iterator[Recorded]:
    """What is recorded of the pages of the checkout at `root`, block by block."""
    files = Recordings(root, RECORDINGS)
    for path in page_paths(root):
        page = parse_page(path, root)
        recordings, errors = files.load(page)
        if errors:
            raise errors[0]
        for one in recordings:
            for block in page.blocks:
                hash = one.hashes(page)[block.index]
                if hash is not None:
                    yield Recorded(one.environment, hash, str(block), one.find(page, block.index).state)


def table(found: list[Recorded]) -> Iterator[str]:
    """A line for each environment: what is fresh and used its device, what ran without using it, and what is stale."""
    counted: dict[str, Counter[State]] = {}
    for one in found:
        counted.setdefault(one.environment.folder, Counter())[one.state] += 1
    yield f"{'environment':36}" + "".join(f"{state.value:>9}" for state in SHOWN)
    for name, states in sorted(counted.items()):
        yield f"{name:36}" + "".join(f"{states[state]:9,}" for state in SHOWN)


def lost(before: list[Recorded], now: list[Recorded]) -> Iterator[str]:
    """A line for each output of a real accelerator that was fresh before, and is fresh nowhere now."""
    kept = {(one.environment.folder, one.hash) for one in now if one.state is State.FRESH}
    for one in before:
        about = one.environment
        real = about.device != "cpu" and not about.simulated
        if real and one.state is State.FRESH and (about.folder, one.hash) not in kept:
            yield f"{one.block}: {about.folder} has to run it again"


def at(commit: str, folder: Path) -> None:
    """Unpack the files of a commit. Raises SameDeviceError."""
    done = subprocess.run(["git", "archive", "--end-of-options", commit], cwd=ROOT, capture_output=True, check=False)
    if done.returncode:
        raise SameDeviceError(f"{commit}: {done.stderr.decode().strip()}")
    with tarfile.open(fileobj=io.BytesIO(done.stdout)) as packed:
        packed.extractall(folder, filter="data")


def main(arguments: list[str]) -> int:
    """Print it; the exit status is 1 if there is no such commit."""
    now = list(recorded(ROOT))
    print("\n".join(table(now)))
    for commit in arguments:
        with tempfile.TemporaryDirectory(prefix="samedevice-status-") as name:
            try:
                at(commit, Path(name))
                found = list(lost(list(recorded(Path(name))), now))
            except SameDeviceError as error:
                print(f"not compared with {commit}: {error}", file=sys.stderr)
                return 1
        print(f"\nSince {commit}, {len(found)} outputs of real devices became stale.", *found, sep="\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
