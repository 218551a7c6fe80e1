"""What code would start: nobody wants a server, or a program, from a page whose code a command runs unasked."""

from __future__ import annotations

from pathlib import Path

import pytest

from samedevice.outputs.output import Output
from samedevice.pages.conventions import what_it_starts
from samedevice.pages.parsing import parse_page
from samedevice.project import Settings
from samedevice.running.processes import Launcher
from samedevice.running.section_runner import SectionRunner

MAIN = 'def f():\n    return 1\n\nif __name__ == "__main__":\n    print("main")\nprint(f())\n'


@pytest.mark.parametrize(
    ("code", "what"),
    [
        ("import uvicorn\nuvicorn.run(app)\n", "a server"),
        ("import asyncio\nasyncio.run(server.serve())\n", "a server"),
        ("with make_server('', 80, app) as httpd:\n    httpd.serve_forever()\n", "a server"),
        ("import subprocess\nsubprocess.run(['make', 'build'])\n", "another program"),
        ("import os\nx = os.system('ls')\n", "another program"),
        ("def main():\n    uvicorn.run(app)\n", ""),
        ("if __name__ == '__main__':\n    uvicorn.run(app)\n", ""),
        ("import subprocess\nraise subprocess.CalledProcessError(1, 'x')\n", ""),
        ("model.run(x)\nprint('os.system')\n", ""),
        ("subprocess.run(\n", ""),
    ],
)
def test_what_starts_something_is_found(code: str, what: str) -> None:
    """By what it calls itself: what a function would do does not count."""
    assert what_it_starts(code) == what


def test_it_is_run_if_the_fence_asks_for_it(root: Path) -> None:
    """By the word `run`; a project that holds every fence to the rules runs all of them."""
    text = "```python\nimport os\nos.system('true')\n```\n\n```python run\nimport os\nos.system('true')\n```\n"
    path = root / "docs/page.md"
    path.write_text(text, encoding="utf-8")
    assert [block.line for block in parse_page(path, root, settings=Settings()).blocks] == [6]
    path.write_text(text.replace(" run", ""), encoding="utf-8")
    assert len(parse_page(path, root, settings=Settings(console=True)).blocks) == 2


@pytest.mark.parametrize(("word", "text"), [("", "1\n"), (" run", "main\n1\n")])
def test_what_a_module_does_as_a_program_is_left_out(root: Path, one_server: Launcher, word: str, text: str) -> None:
    """It is there for those who call the file; the word is part of the hash, since it decides what is printed."""
    path = root / "docs/page.md"
    path.write_text(f"```python{word}\n{MAIN}```\n", encoding="utf-8")
    page = parse_page(path, root, settings=Settings())
    with SectionRunner(root, workers=1) as sessions:
        assert sessions.run(page, "cpu").outputs == (Output(text=text),)
    plain = parse_page(path, root, text=path.read_text(encoding="utf-8").replace(" run", ""), settings=Settings())
    assert (page.hashes("cpu") == plain.hashes("cpu")) == (not word)
