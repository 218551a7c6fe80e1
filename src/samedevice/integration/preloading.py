"""preloading: which modules pytest should import once for all pages of a project, as `samedevice init` finds out."""

from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from samedevice.running.monitor import START_LIMIT
from samedevice.running.processes import CAN_FORK, page_environ
from samedevice.running.section_runner import HEAVY

LEAST = 0.2
"""Seconds of processor time that a package must spare."""
KNOWN = {"torch", *(module.partition(".")[0] for module in HEAVY.values())}
"""The packages that the fork server imports by itself."""
TRIAL = """\
import importlib, json, os, sys, threading, time
before, names = map(json.loads, sys.argv[1:])
for name in before:
    importlib.import_module(name)
loaded = {}
for name in names:
    if name not in sys.modules:
        begun = time.process_time()
        try:
            importlib.import_module(name)
            loaded[name] = time.process_time() - begun
        except ImportError:
            pass
threads = len(os.listdir("/proc/self/task")) if sys.platform == "linux" else threading.active_count()
print(json.dumps({"loaded": loaded, "threads": threads, "all": [*sys.modules]}))
"""
"""Imports modules, those aside that came with one before them, and says what that took."""


def worth_preloading(loaded: Iterable[Sequence[str]]) -> list[str]:
    """The modules whose import on each page takes time, prints nothing, and leaves no threads; none without fork.

    `loaded` names, for each page, all modules that running it imported, as `sys.modules` has them: what others need
    comes before them. So they are tried from the end, and first those that most pages import.
    """
    if not CAN_FORK:
        return []
    counted = Counter(name for names in loaded for name in reversed(names))
    often = [name for name, count in counted.most_common() if count > 1]
    found, known = list[str](), {*sys.stdlib_module_names, *KNOWN}
    for package in dict.fromkeys(name.partition(".")[0] for name in often):
        names = [name for name in often if name.partition(".")[0] == package and name not in known]
        if package in known or not names:
            continue
        tried = _tried(found, names)
        spared = {name: seconds * (counted[name] - 1) for name, seconds in tried.get("loaded", {}).items()}
        if sum(spared.values()) >= LEAST and tried["threads"] == 1:
            found += [name for name, seconds in spared.items() if seconds >= LEAST / 10]
            known.update(tried["all"])
    return [*_tried([], found[::-1]).get("loaded", found)] if found else []  # those aside that others bring


def _tried(before: list[str], names: list[str]) -> dict[str, Any]:
    """What it takes to import modules one by one, after those before; empty where that prints something."""
    with TemporaryDirectory(prefix="samedevice-") as folder:
        try:
            said = subprocess.check_output(
                [sys.executable, "-c", TRIAL, json.dumps(before), json.dumps(names)],
                cwd=folder,
                env=page_environ(Path(folder)),
                stdin=subprocess.DEVNULL,
                stderr=subprocess.STDOUT,
                timeout=START_LIMIT,
            )
            found: dict[str, Any] = json.loads(said)
        except (subprocess.SubprocessError, ValueError):  # what an import prints belongs to the pages
            return {}
    return found
