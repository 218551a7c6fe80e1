"""alone: runs the code of pages and nothing else, in one process; what that takes, no tool that runs it can spare.

Started with the Python of a project as `alone.py FILE`, where FILE is JSON: the kind and the code of each block, in a
list for each page. The blocks of a page share their names; with `--fresh` each has names of its own, no code waits
outside of a function, and a transcript is an error of syntax, as in pytest-markdown-docs. What they print is dropped.
At the end the file holds how many passed.
"""

from __future__ import annotations

import ast
import contextlib
import doctest
import inspect
import io
import json
import os
import sys
import tempfile
from pathlib import Path
from typing import Any


def run(kind: str, code: str, names: dict[str, Any], fresh: bool) -> None:
    """Run a block. Raises what it raises, and AssertionError for a transcript that prints something else."""
    if kind == "transcript" and not fresh:
        test = doctest.DocTestParser().get_doctest(code, {}, "transcript", None, 0)
        test.globs = names
        assert not doctest.DocTestRunner(verbose=False).run(test, out=str, clear_globs=False).failed
        return
    compiled = compile(code, "page", "exec", 0 if fresh else ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
    found = eval(compiled, names)
    if compiled.co_flags & inspect.CO_COROUTINE:
        import asyncio

        asyncio.run(found)


def passed(pages: list[list[tuple[str, str]]], fresh: bool) -> int:
    """Run all blocks; return how many of them raised nothing."""
    count = 0
    for blocks in pages:
        names: dict[str, Any] = {"__name__": "__main__"}
        for kind, code in blocks:
            names = {"__name__": "fence"} if fresh else names
            with contextlib.suppress(BaseException), contextlib.redirect_stdout(io.StringIO()):
                with contextlib.redirect_stderr(io.StringIO()):
                    run(kind, code, names, fresh)
                count += 1
    return count


if __name__ == "__main__":
    file = Path(sys.argv[1]).resolve()
    given = json.loads(file.read_text(encoding="utf-8"))
    is_fresh = "--fresh" in sys.argv
    sys.argv[1:] = []
    sys.stdin = open(os.devnull, encoding="utf-8")  # noqa: SIM115
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        file.write_text(str(passed(given, is_fresh)), encoding="utf-8")
