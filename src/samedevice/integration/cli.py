"""The command `samedevice`: begin in a project; does this machine print what a page shows."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from samedevice import __version__
from samedevice.devices import DEVICES
from samedevice.errors import SameDeviceError
from samedevice.exporting.check_export import Published
from samedevice.integration.check import demand, findings, pack, plan, ran, report
from samedevice.integration.fetching import fetched
from samedevice.outputs.checks import fault
from samedevice.outputs.environments import Run
from samedevice.outputs.escaping import terminal

SAME, DIFFERENT, FAILED, STOPPED = 0, 1, 2, 130
"""Exit statuses."""
PAUSE = 5.0
"""Seconds between two lines that say how far a command has come."""
NEXT = """\
{archive} has what this machine printed. To contribute it, in a checkout of the site's repository:
  make gpu-import ARCHIVE={archive}
  git add tests/recordings && git commit -m "Record on <device>"
or attach the file to an issue."""


def arguments(given: Sequence[str] | None) -> argparse.Namespace:
    """The command line, read."""
    parser = argparse.ArgumentParser(prog="samedevice", description="Same Device: every output was printed.")
    parser.add_argument("--version", action="version", version=f"samedevice {__version__}")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    text = "run a page's blocks on this machine, and compare with what the site recorded"
    after = "Exit status: 0 if nothing differs, 1 if a block prints something else, 2 if the page could not be run."
    check = commands.add_parser("check", help=text, description=text, epilog=after)
    check.add_argument("page", metavar="PAGE", help="address of a page, or a local .check.json file")
    check.add_argument("--device", choices=DEVICES, default="cpu", help="the device to run on (default: cpu)")
    check.add_argument("--yes", action="store_true", help="do not ask before running")
    check.add_argument("--record", type=Path, metavar="FILE", help="write a recording to contribute, a .tar.gz")
    check.set_defaults(run=lambda asked: run_check(asked.page, asked.device, asked.yes, asked.record))
    text = "name the plugin in this project's mkdocs.yml, run its pages' code, and record what that prints"
    after = "Exit status: 0, or 2 if mkdocs.yml cannot be changed safely; then the message says why, and what to add."
    init = commands.add_parser("init", help=text, description=text, epilog=after)
    init.add_argument("--dry-run", action="store_true", help="say what would be run and written, and do nothing")
    init.set_defaults(run=lambda asked: run_init(asked.dry_run))
    return parser.parse_args(given)


def main(given: Sequence[str] | None = None) -> int:
    """Run the command; return its exit status."""
    asked = arguments(given)
    try:
        return int(asked.run(asked))
    except SameDeviceError as error:
        print(terminal(f"samedevice: {error}"), file=sys.stderr)
        return FAILED
    except KeyboardInterrupt:
        print("\nsamedevice: stopped; nothing was written", file=sys.stderr)
        return STOPPED


def run_check(address: str, device: str, sure: bool, archive: Path | None) -> int:
    """Fetch a page, run it and report. Raises SameDeviceError."""
    page = fetched(address)
    demand(page, device)
    print(terminal("\n".join(plan(page, device))), flush=True)
    if not sure and not _agreed():
        print("samedevice: nothing was run; answer y, or give --yes", file=sys.stderr)
        return FAILED
    run = ran(page, device)
    assert run.environment is not None
    found = findings(page, run, device)
    said = "\n".join(report(found, run.environment))
    print(terminal(f"\n{said}"), flush=True)
    if archive is not None:
        _record(page, run, device, said, archive)
    return DIFFERENT if any(one.differs for one in found) else SAME


def run_init(dry: bool) -> int:
    """Begin in the project in the working directory. Raises SameDeviceError."""
    from samedevice.integration.init import init

    told = time.monotonic()

    def progress(text: str) -> None:
        nonlocal told
        if time.monotonic() - told >= PAUSE:
            told = time.monotonic()
            print(terminal(text), file=sys.stderr, flush=True)

    for line in init(Path.cwd(), dry, progress):
        print(terminal(line), flush=True)
    return SAME


def _agreed() -> bool:
    try:
        return input("Run them? [y/N] ").strip().lower() in ("y", "yes")
    except EOFError:
        print()
        return False


def _record(page: Published, run: Run, device: str, said: str, archive: Path) -> None:
    """Write what was printed, unless a block failed: then there is nothing to compare with."""
    outputs = zip(page.page.blocks, run.outputs, strict=True)
    failed = [block for block, output in outputs if output and fault(block, device, output)]
    if failed:
        print(terminal(f"\nNothing was recorded: {len(failed)} blocks failed, first {failed[0]}."))
        return
    pack(page, run, said, archive)
    print("\n" + NEXT.format(archive=archive))
