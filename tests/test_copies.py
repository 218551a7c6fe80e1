"""What readers copy and take along from the real pages, run as they would run it.

The program that is copied is the one that ran, so that the pages' own tests are those of the copies. A few are run.
"""

from __future__ import annotations

import ast
import re
import subprocess
import sys
import tomllib
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import TypeGuard

import pytest

from same_device_site.settings import page_paths, parse_page
from samedevice.devices import torch_build
from samedevice.exporting.exports import exports
from samedevice.outputs.comparison import same_text
from samedevice.outputs.output import Output
from samedevice.outputs.recording_files import Recordings
from samedevice.pages.page import Page
from samedevice.project import RECORDINGS
from samedevice.weaving.copies import copies, edited, program
from samedevice.weaving.panes import ShownOutput

ROOT = Path(__file__).parents[1]
RECORDED = Recordings(ROOT, RECORDINGS)
PAGES = {page.name: page for path in page_paths(ROOT) if (page := parse_page(path, ROOT)).blocks}
RUN = ("tensors/reshaping", "memory/model-of-memory", "notebooks/fundamentals")
"""Pages with sections that come after others, with exceptions in the middle of a section, and of one section."""

each_page = pytest.mark.parametrize("name", PAGES)


@cache
def shown(name: str) -> dict[int, list[ShownOutput]]:
    """What this PyTorch printed for each block on a CPU, as recorded."""
    page, version = PAGES[name], torch_build().version
    found: dict[int, list[ShownOutput]] = {block.index: [] for block in page.blocks}
    for recording in RECORDED.load(page)[0]:
        about = recording.environment
        for block in page.blocks if (about.device, about.torch) == ("cpu", version) else ():
            if block.runs_on("cpu", version) and (output := recording.find(page, block.index).output):
                found[block.index].append(ShownOutput("cpu", output, about))
    return found


def printed(code: str, folder: Path) -> str:
    """What a program prints, all of it, run by an interpreter of its own in an empty folder."""
    path = folder / "page.py"
    path.write_text(code, encoding="utf-8")
    command = [sys.executable, "-W", "ignore", str(path)]
    run = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    return run.stdout + run.stderr


def last_with_output(page: Page) -> int:
    """The last block that shows text, which has most before it, and raises nothing."""
    plain = (block for block in reversed(page.blocks) if block.kind == "python" and not block.options.raises)
    return next(one.index for one in plain if page.program(one) and _text(page.name, one.index))


def _text(name: str, index: int) -> str:
    return "".join(one.output.shown for one in shown(name)[index] if one.output)


@pytest.mark.parametrize("name", RUN)
def test_a_copy_prints_what_the_page_shows_for_its_block_and_nothing_before_it(name: str, tmp_path: Path) -> None:
    """The values are printed, and what the blocks before it print is not."""
    page = PAGES[name]
    index = last_with_output(page)
    text = printed(program(page, index, copies(page, shown(name))), tmp_path)
    assert same_text(_text(name, index).strip(), text.strip())


@each_page
def test_each_copy_is_the_program_that_ran(name: str) -> None:
    """Statement by statement: the setup, what its section comes after, the blocks above it, and it."""
    page = PAGES[name]
    parts = copies(page, shown(name))
    for index, copy in parts.items():
        before = [one for one in page.program(page.blocks[index]) if one.index in copy.needs]
        wanted = [ast.unparse(part) for one in before for part in _caught(ast.parse(one.code).body)]
        found = list(_flat(ast.parse(program(page, index, parts)).body))
        own = len(ast.parse(edited(page.blocks[index].code.strip("\n"), copy.edit)).body)
        assert [ast.unparse(part) for part in found[: len(found) - own]] == wanted


def _flat(body: list[ast.stmt]) -> list[ast.stmt]:
    """Statements without what keeps them silent, and without what catches their exceptions."""
    found: list[ast.stmt] = []
    at = 0
    while at < len(body):
        part = body[at]
        if ast.unparse(part) == "import contextlib" and at + 2 < len(body) and _silences(body[at + 2]):
            inside = body[at + 2]
            assert isinstance(inside, ast.With)
            found += _caught(inside.body)
            at += 3
            continue
        found.append(part)
        at += 1
    return found


def _caught(body: list[ast.stmt]) -> list[ast.stmt]:
    """Statements, and those whose exceptions are passed over in place of what passes over them."""
    return [inside for one in body for inside in (one.body if _only_passes(one) else [one])]


def _silences(part: ast.stmt) -> bool:
    return isinstance(part, ast.With) and "redirect_stdout" in ast.unparse(part.items[0])


def _only_passes(part: ast.stmt) -> TypeGuard[ast.Try]:
    return isinstance(part, ast.Try) and [list(map(ast.unparse, one.body)) for one in part.handlers] == [["pass"]]


def _on_stdout(text: str) -> str:
    """An output without its warnings, which a script writes to stderr."""
    return "\n".join(line for line in text.strip().splitlines() if not re.match(r"\w+Warning: ", line))


@pytest.mark.parametrize("name", RUN)
def test_a_script_prints_what_the_page_shows(name: str, tmp_path: Path) -> None:
    """From top to bottom, with the values, and the messages of the exceptions; each section by itself."""
    page = PAGES[name]
    wanted = [_text(name, block.index) for block in page.blocks if block.kind == "python"]
    steady = not any(block.options.numbers_vary for block in page.blocks)
    text = printed(exports(page, shown(name))["py"], tmp_path)
    assert "Traceback" not in text
    assert not steady or same_text(_on_stdout("".join(f"{one}\n" for one in wanted if one)), text.strip())


def test_a_section_of_a_script_has_the_setup_s_names_and_those_that_it_comes_after(
    write: Callable[..., Page], tmp_path: Path
) -> None:
    """A name of another section would not be there in the page."""
    page = write(
        "# T\n\n```python setup\nx = 1\n```\n\n## A\n\n```python\na = [x]\nprint('a')\nx = 5\n```\n\n"
        "## B\n\n```python\na = 'b'\n'a' in globals(), x\n```\n\n## C\n\n```python after='a'\na.append(x)\na\n```\n\n"
        "## D\n\n```python\n'a' in globals()\n```\n"
    )
    seen = {block.index: [ShownOutput("cpu", Output(value="-"), None)] for block in page.blocks}
    assert printed(exports(page, seen)["py"], tmp_path) == "a\n(True, 1)\n[1, 5]\nFalse\n"


def imported(code: str) -> set[str]:
    """The modules that code imports."""
    nodes = list(ast.walk(ast.parse(code)))
    found = {alias.name.partition(".")[0] for node in nodes if isinstance(node, ast.Import) for alias in node.names}
    return found | {str(node.module).partition(".")[0] for node in nodes if isinstance(node, ast.ImportFrom)}


@each_page
def test_each_script_lists_what_it_imports(name: str) -> None:
    """`uv run` installs that, and nothing else."""
    code = exports(PAGES[name], shown(name))["py"]
    lines = code.partition("# /// script\n")[2].partition("# ///\n")[0].split("\n")
    metadata = tomllib.loads("\n".join(line.removeprefix("# ") for line in lines))
    assert metadata["requires-python"] == ">=3.10"
    packages = {{"scikit-learn": "sklearn"}.get(name, name) for name in metadata["dependencies"]}
    assert packages == imported(code) - sys.stdlib_module_names
