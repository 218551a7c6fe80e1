"""The way of one block through the engine: how many of its files and functions a block passes. Printed, not limited.

`pytest -s tests/test_one_way.py` prints both counts; `python tests/test_one_way.py html FOLDER` names each function.
"""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

import pytest

PROJECT = {
    "mkdocs.yml": "site_name: One block\nplugins:\n  - search\n  - samedevice\n",
    "docs/index.md": "# A page\n\n```python\nprint(1)\n```\n",
}


def to_html() -> None:
    """Build the site of the working directory."""
    from mkdocs.commands.build import build
    from mkdocs.config import load_config

    config = load_config("mkdocs.yml")
    config.plugins.on_startup(command="build", dirty=False)
    build(config)


def to_recording() -> None:
    """Record the pages of the working directory."""
    assert pytest.main(["-q", "--samedevice-record", "-p", "no:cacheprovider"]) == 0


def passed(way: Callable[[], None]) -> set[tuple[str, str]]:
    """The files of the engine that are called on a way, in this process, with the functions that are called in them.

    Lambdas, comprehensions and the bodies of modules and classes are not counted.
    """
    import samedevice

    package = Path(samedevice.__file__).parent
    seen: set[CodeType] = set()

    def profile(frame: FrameType, event: str, _: Any) -> None:
        if event == "call":
            seen.add(frame.f_code)

    threading.setprofile(profile)
    sys.setprofile(profile)
    try:
        way()
    finally:
        sys.setprofile(None)
        threading.setprofile(None)
    functions = (code for code in seen if code.co_flags & 1 and not code.co_name.startswith("<"))  # 1: it has locals
    own = ((Path(code.co_filename), code.co_qualname) for code in functions)
    return {(path.relative_to(package).as_posix(), name) for path, name in own if path.is_relative_to(package)}


@pytest.mark.parametrize("way", ["html", "recording"])
def test_the_way_of_one_block_is_counted(way: str, tmp_path: Path) -> None:
    """Who carries the engine on has to know what is on that way."""
    for name, text in PROJECT.items():
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
    command = [sys.executable, __file__, way, str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    told = done.stdout.strip().splitlines()[-1]
    print(f"\n{told}")
    assert told.startswith(f"Markdown to {way}: ")
    assert " 0 " not in told


def main() -> None:
    """Go one way in a folder, and print what it passes."""
    way = sys.argv[1]
    os.chdir(sys.argv[2])
    found = passed({"html": to_html, "recording": to_recording}[way])
    for name, function in sorted(found):
        print(f"  {name} {function}")
    print(f"Markdown to {way}: {len({name for name, _ in found})} files, {len(found)} functions")


if __name__ == "__main__":
    main()
