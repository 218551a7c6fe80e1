"""preloading: which modules pytest should import once for all pages of a project, as `samedevice init` finds out."""

from __future__ import annotations

import ast
import doctest
import json
import subprocess
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

from samedevice.pages.page import Block, Page
from samedevice.running.monitor import START_LIMIT
from samedevice.running.processes import CAN_FORK, page_environ

LEAST = 0.2
"""Seconds of processor time that a package must spare."""
KNOWN = ("torch", "matplotlib", "pandas")
"""What the fork server imports by itself."""
TRIAL = """\
import importlib, json, os, sys, threading, time
begun, loaded = time.process_time(), []
for name in sys.argv[1:]:
    if name not in sys.modules:
        try:
            importlib.import_module(name)
            loaded.append(name)
        except ImportError:
            pass
threads = len(os.listdir("/proc/self/task")) if sys.platform == "linux" else threading.active_count()
print(json.dumps({"loaded": loaded, "seconds": time.process_time() - begun, "threads": threads}))
"""
"""Imports modules, those aside that came with one before them, and says what that took."""


def worth_preloading(pages: Iterable[Page]) -> list[str]:
    """The modules whose import on each page takes time, prints nothing, and leaves no threads; none without fork."""
    if not CAN_FORK:
        return []
    counted = Counter(name for page in pages for name in {name for block in page.blocks for name in _imported(block)})
    often = sorted(name for name, count in counted.items() if count > 1)
    found: list[str] = []
    for package in dict.fromkeys(name.partition(".")[0] for name in often):
        if package not in sys.stdlib_module_names and package not in KNOWN:
            names = [name for name in often if name.partition(".")[0] == package]
            found += _tried(names, counted[package] - 1)
    return found


def _imported(block: Block) -> Iterator[str]:
    """The names of what a block imports that may be modules: `a`, `a.b` and `a.b.c` for `from a.b import c`."""
    try:
        code = block.code
        if block.kind == "transcript":
            code = "".join(example.source for example in doctest.DocTestParser().get_examples(code))
        nodes = [*ast.walk(ast.parse(code))] if block.kind in ("python", "transcript") else []
    except (SyntaxError, ValueError):  # the block fails when it runs
        return
    for node in nodes:
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            names = [f"{node.module}.{alias.name}" for alias in node.names]
        else:
            continue
        for name in names:
            parts = name.split(".")
            yield from (".".join(parts[:last]) for last in range(1, len(parts) + 1))


def _tried(names: list[str], times: int) -> list[str]:
    """Those of a package's modules that are imported one by one, if it is worth it to spare that so many times."""
    with TemporaryDirectory(prefix="samedevice-") as folder:
        try:
            said = subprocess.check_output(
                [sys.executable, "-c", TRIAL, *names],
                cwd=folder,
                env=page_environ(Path(folder)),
                stdin=subprocess.DEVNULL,
                stderr=subprocess.STDOUT,
                timeout=START_LIMIT,
            )
            found = json.loads(said)
        except (subprocess.SubprocessError, ValueError):  # an import prints something, which is left to the pages
            return []
    wanted = found["threads"] == 1 and found["seconds"] * times >= LEAST
    loaded = found["loaded"] if wanted else []
    return [name for name in loaded if not any(other.startswith(f"{name}.") for other in loaded)]
