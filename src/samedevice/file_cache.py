"""file_cache: what is made from other data, kept in a file of JSON until that data or the engine changes."""

from __future__ import annotations

import contextlib
import hashlib
import json
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

from samedevice.project import PACKAGE
from samedevice.temporary import write_atomically

RUNNER = (
    "devices.py",
    "nvidia.py",
    "running/worker.py",
    "running/observing/__init__.py",
    "running/reading.py",
    "running/machine.py",
    "running/printed_lines.py",
    "running/processes.py",
    "running/matplotlibrc",
    "outputs/output.py",
    "outputs/cleaning.py",
)


def key(*data: str) -> str:
    """Hash of the data that something is made from, and of the engine that makes it."""
    return digest("\0".join([engine(PACKAGE), *map(digest, data)]))


def digest(text: str) -> str:
    """Hash of a text."""
    return hashlib.sha256(text.encode("utf-8", "backslashreplace")).hexdigest()


@cache
def engine(folder: Path) -> str:
    """Hash of the engine's own files: who changes the engine must not be shown what the old one made."""
    files = sorted(path for suffix in ("py", "j2") for path in folder.rglob(f"*.{suffix}"))
    return digest("\0".join(digest(path.read_text(encoding="utf-8")) for path in files))


@cache
def runner() -> str:
    """Hash of the files that decide what the output of a block is."""
    return digest("\0".join((PACKAGE / name).read_text(encoding="utf-8") for name in RUNNER))


def find(path: Path, key: str) -> Any:
    """What is kept in a file under this key; None if there is nothing, or it cannot be read."""
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
        return found["found"] if found["key"] == key else None
    except (OSError, ValueError, KeyError, TypeError):
        return None


def keep(path: Path, key: str, found: Any) -> None:
    """Keep something that JSON can hold, in place of what the file held; nothing, where nothing can be written."""
    with contextlib.suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(path, json.dumps({"key": key, "found": found}), durably=False)


def find_or_make(path: Path, key: str, make: Callable[[], Any]) -> Any:
    """What is kept; made, and kept, if it is not there."""
    found = find(path, key)
    if found is None:
        found = make()
        keep(path, key, found)
    return found


def ignore(folder: Path) -> None:
    """Have git ignore a folder, by a file in it: nobody has to name it in a file of his own."""
    path = folder / ".gitignore"
    with contextlib.suppress(OSError):
        if not path.exists():
            folder.mkdir(parents=True, exist_ok=True)
            path.write_text("*\n", encoding="utf-8")
