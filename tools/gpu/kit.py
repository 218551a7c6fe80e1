"""kit: writes a folder with all that a machine needs to run the pages, and one script, `record.sh`, that does it.

The machine needs Python with PyTorch, numpy and matplotlib, and pandas and scikit-learn for one page each. It needs no
network: what such a machine may lack, Sybil to read pages and pytest and Hypothesis for the claims, comes along.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from importlib.metadata import files
from pathlib import Path

from recorder import KNOWN, PASSED
from run_claims import CLAIMS

from samedevice.errors import SameDeviceError
from samedevice.project import DOCS, PROGRAMS, RECORDINGS

ROOT = Path(__file__).parents[2]
HERE = Path(__file__).parent
KIT = Path("build/gpu-kit")
"""Where the kit is, below the root; git ignores it."""
PARTS = (DOCS, PROGRAMS, "src", "pyproject.toml", CLAIMS)
"""What the kit takes from the working tree, changed and new files included."""
SCRIPTS = ("record.sh", "record.py", "recorder.py", "session.py", "order.py", "shares.py", "run_claims.py")
CARRIED = ("sybil", "pytest", "pluggy", "iniconfig", "packaging", "pygments", "hypothesis", "sortedcontainers")
"""Packages that come along."""
LIMIT = 40_000_000
"""Bytes that a kit may have: it travels to another machine."""


def make_kit(root: Path, kit: Path) -> Path:
    """Write the kit of the working tree at `root`, instead of an earlier one. Raises SameDeviceError if it is large."""
    shutil.rmtree(kit, ignore_errors=True)
    for name in _working_tree(root, *PARTS):
        if name != PASSED and (root / name).is_file():  # else it was deleted, and git still lists it
            _copy(root / name, kit / name)
    for name in _working_tree(root, RECORDINGS.as_posix()):
        if (root / name).is_file():
            _copy(root / name, kit / KNOWN / Path(name).relative_to(RECORDINGS))
    for script in SCRIPTS:
        _copy(HERE / script, kit / script)
    for package in CARRIED:
        for file in files(package) or ():
            if file.parts[0] in (package, f"_{package}", f"{package}.py", *PARTS) or "_hypothesis" in file.parts[0]:
                _copy(Path(str(file.locate())), kit / "packages" / file)
    size = sum(path.stat().st_size for path in kit.rglob("*") if path.is_file())
    if size > LIMIT:
        raise SameDeviceError(
            f"{kit} has {size / 1e6:.0f} MB of at most {LIMIT / 1e6:.0f}; take large files out of {DOCS}"
        )
    return kit


def _working_tree(root: Path, *parts: str) -> list[str]:
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", "--", *parts]
    return subprocess.run(command, cwd=root, capture_output=True, text=True, check=True).stdout.split("\0")[:-1]


def _copy(source: Path, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copy(source, target)


def main() -> int:
    """Write the kit of this repository, and say how to use it."""
    try:
        kit = make_kit(ROOT, ROOT / KIT)
    except SameDeviceError as error:
        print(error, file=sys.stderr)
        return 1
    size = sum(path.stat().st_size for path in kit.rglob("*") if path.is_file())
    print(f"{KIT.as_posix()}: {size / 1e6:.1f} MB. On the machine with the device: {KIT.as_posix()}/record.sh ARCHIVE")
    print("Then here: make gpu-import ARCHIVE=...")
    return 0


if __name__ == "__main__":
    sys.exit(main())
