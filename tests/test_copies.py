"""What readers copy and take along from the real pages, run as they would run it."""

from __future__ import annotations

import ast
import builtins
import re
import subprocess
import symtable
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest
import tomllib

from same_device_site.settings import page_paths, parse_page
from samedevice import json_cache
from samedevice.devices import DEVICES, torch_build
from samedevice.outputs.comparison import difference, same_text
from samedevice.outputs.output import Output
from samedevice.outputs.recording_files import load, load_all, paths, place
from samedevice.outputs.recordings import Recording, update
from samedevice.pages.options import Options
from samedevice.pages.page import Block, Page
from samedevice.project import CACHE, RECORDINGS
from samedevice.running.processes import Launcher
from samedevice.running.sessions import Sessions
from samedevice.weaving.copies import copies, program
from samedevice.weaving.exports import exports
from samedevice.weaving.panes import ShownOutput

Write = Callable[..., Page]
ROOT = Path(__file__).parents[1]
PAGES = sorted(
    (page for path in page_paths(ROOT) if (page := parse_page(path, ROOT)).blocks), key=lambda page: -len(page.blocks)
)
"""All pages with blocks, long ones first: they take longest, and none of them should be alone at the end."""


@pytest.fixture(scope="module")
def real(launcher: Launcher) -> Iterator[Sessions]:
    """Runs pages of this repository."""
    with Sessions(ROOT) as sessions:
        sessions.launcher = launcher
        yield sessions


@cache
def recording_of(page: Page) -> Recording:
    """What the CPU printed."""
    folder = f"cpu-{torch_build().version}"
    recording = load(place(ROOT / RECORDINGS, folder, page), among=paths(ROOT / RECORDINGS, page))
    assert recording is not None
    return recording


def shown(page: Page) -> dict[int, list[ShownOutput]]:
    """What is recorded of each block, as the build has it."""
    found: dict[int, list[ShownOutput]] = {block.index: [] for block in page.blocks}
    for recording in load_all(ROOT, RECORDINGS, page)[0]:
        for block in page.blocks:
            output = recording.find(page, block.index).output
            if output is not None:
                found[block.index].append(ShownOutput(recording.environment.device, output, recording.environment))
    return found


def as_page(
    page: Page, block: Block, code: str, folder: Path, raises: tuple[tuple[str, str], ...] | None = None
) -> Page:
    """A page whose only block is this code, raising and drawing what the block does.

    The code is in a file of the page's name below a folder, as a reader would save it: outputs may quote its lines.
    """
    raises = block.options.raises if raises is None else raises
    options = Options(raises=raises, alt=block.options.alt or "-")
    path = folder / str(block.index) / Path(page.path).name
    path.parent.mkdir(parents=True)
    path.write_text(code, encoding="utf-8")
    alone = replace(block, index=0, kind="python", code=code, path=str(path), code_line=1, options=options)
    return Page(page.path, page.text, (alone,))


def expected(output: Output, page: Page) -> Output:
    """An output of a page as a plain program must give it: the value is printed, too."""
    text = "\n".join(filter(None, [output.text.rstrip("\n"), output.value]))
    return with_lines(replace(output, text=text, value=""), page, page.text)


def given(output: Output, page: Page, text: str, figures: int) -> Output:
    """What a plain program gave: a value is not shown by itself; figures of earlier blocks are still open."""
    return with_lines(replace(output, value="", figures=output.figures[len(output.figures) - figures :]), page, text)


def with_lines(output: Output, page: Page, text: str) -> Output:
    """An output with lines of the program in place of their numbers, as page and copy number them differently."""
    name, lines = re.escape(Path(page.path).name), text.splitlines()
    place = re.compile(rf'{name}:(?P<a>\d+)(?=:)|File "[^"]*/{name}", line (?P<b>\d+)')

    def line(found: re.Match[str]) -> str:
        return f"<{lines[int(found['a'] or found['b']) - 1].strip()}>"

    raised = output.raised and replace(output.raised, message=place.sub(line, output.raised.message))
    return replace(output, text=place.sub(line, output.text), raised=raised)


def differences(
    page: Page, texts: Mapping[int, str], sessions: Sessions, folder: Path, recording: Recording | None = None
) -> list[str]:
    """How what copies print differs from what the page shows for their blocks; `folder` is where they are written."""
    alone = {index: as_page(page, page.blocks[index], text, folder) for index, text in texts.items()}
    jobs = {index: sessions.submit(one, "cpu") for index, one in alone.items()}
    found = []
    for index, job in jobs.items():
        block = page.blocks[index]
        recorded = (recording or recording_of(page)).find(page, index).output
        assert recorded is not None
        (output,) = job.result().outputs
        assert output is not None
        figures = len(recorded.figures)
        ours = given(output, page, texts[index], figures)
        told = difference(expected(recorded, page), ours, block.options.numbers_vary)
        told = output.died or told
        found += [f"{block}: {told}\n{texts[index]}"] if told else []
    return found


def copied(page: Page, device: str) -> dict[int, str]:
    """What is copied for each block that runs on a device, by its index."""
    parts = copies(page, shown(page))
    torch = torch_build().version if device == "cpu" else ""
    return {index: program(page, index, parts) for index in parts if page.blocks[index].runs_on(device, torch)}


each_page = pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)


@each_page
def test_each_copy_to_run_prints_what_the_page_shows_for_its_block(page: Page, real: Sessions, tmp_path: Path) -> None:
    """What the button puts on the clipboard, in a process of its own; what passed once is not run again."""
    texts = {index: text for index, text in copied(page, "cpu").items() if page.blocks[index].options.count == 1}
    keys = {
        index: json_cache.digest(text + repr(recording_of(page).find(page, index))) for index, text in texts.items()
    }
    path, engine = place(ROOT / CACHE, "copied", page), json_cache.runner()
    passed = set(json_cache.find(path, engine) or ())
    due = sorted((index for index in texts if keys[index] not in passed), key=lambda index: keys[index])
    wrong = differences(page, {index: texts[index] for index in due}, real, tmp_path)
    if not wrong:
        json_cache.keep(path, engine, sorted(passed.union(keys[index] for index in due)))
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("change", [("print(repr(x))", "x"), ("x = 2", "x = 1")], ids=str)
def test_a_copy_that_prints_something_else_is_found(
    write: Write, real: Sessions, tmp_path: Path, change: tuple[str, str]
) -> None:
    """The test above must be able to fail: for a value that is not printed, and for a block that is left out."""
    page = write("```python\nx = 1\n```\n\n```python\nx = 2\n```\n\n```python\nx\n```\n")
    run = real.run(page, "cpu")
    assert run.environment is not None
    recording = update(None, page, run.environment, run.outputs)
    assert recording is not None
    good = program(page, 2, copies(page, {2: [ShownOutput("cpu", run.outputs[2], run.environment)]}))
    assert not differences(page, {2: good}, real, tmp_path / "good", recording)
    bad = good.replace(*change)
    assert bad != good
    assert differences(page, {2: bad}, real, tmp_path / "bad", recording)


def test_a_copy_that_names_another_line_is_found(write: Write, real: Sessions, tmp_path: Path) -> None:
    """Its lines have other numbers than those of the page, but an output must name the same line."""
    code = "import inspect\n\nprint(f'page.md:{inspect.currentframe().f_lineno}: {x}')\n"
    page = write(f"# Page\n\n```python\nx = 1\n```\n\n```python\n{code}```\n")
    run = real.run(page, "cpu")
    assert run.environment is not None
    recording = update(None, page, run.environment, run.outputs)
    good = program(page, 1, copies(page, {}))
    assert not differences(page, {1: good}, real, tmp_path / "good", recording)
    bad = good.replace("f_lineno", "f_lineno - 1")
    assert differences(page, {1: bad}, real, tmp_path / "bad", recording)


def unbound(text: str, own: str = "") -> set[str]:
    """The names of the module that a copy uses outside of functions, or its own block also in them, and does not bind.

    A function of an earlier block that is not called may use what the copy does not need.
    """
    bound, used = names(text, functions=not own)
    later = names(own)[1] - names(own, functions=False)[1] if own and "def " not in own else set()
    return (used | later) - bound - set(dir(builtins)) - {"__name__", "__file__"}


def names(code: str, functions: bool = True) -> tuple[set[str], set[str]]:
    """The names of the module that code binds, and those that it uses; of functions their uses only if asked."""
    bound: set[str] = set()
    used: set[str] = set()
    waiting = [symtable.symtable(code, "copy", "exec")]
    while waiting:
        table = waiting.pop()
        waiting += table.get_children()
        for symbol in table.get_symbols():
            of_module = table.get_type() == "module" or symbol.is_global()
            if of_module and (symbol.is_assigned() or symbol.is_imported() or symbol.is_namespace()):
                bound.add(symbol.get_name())
            if of_module and symbol.is_referenced() and (functions or table.get_type() != "function"):
                used.add(symbol.get_name())
    return bound, used


@pytest.mark.parametrize("device", DEVICES[1:])
@each_page
def test_each_copy_for_another_device_compiles_and_binds_its_names(page: Page, device: str) -> None:
    """More can not be said of it where there is no such device."""
    for index, text in copied(page, device).items():
        compile(text, page.path, "exec")
        assert not unbound(text, page.blocks[index].code), text


def test_a_name_that_a_copy_lacks_is_found() -> None:
    """In a function, in a comprehension, and where only a part of a name is used."""
    assert unbound("x = [y.z for y in w]") == {"w"}
    assert unbound("def f(a):\n    global made\n    made = a\n    return torch.ones(b)\nprint(made)") == {"torch", "b"}


@each_page
def test_earlier_blocks_keep_their_meaning_when_they_are_indented(page: Page) -> None:
    """A string of several lines must not change."""
    parts = copies(page, shown(page))
    for index, copy in parts.items():
        if copy.needs:
            body = ast.parse(program(page, index, parts)).body
            quiet = body[2 + len(ast.parse("\n".join(copy.imports)).body)]
            assert isinstance(quiet, ast.With)
            within = [part.body if isinstance(part, ast.Try) and _only_passes(part) else [part] for part in quiet.body]
            alone = [ast.dump(part) for needed in copy.needs for part in ast.parse(page.blocks[needed].code).body]
            flat = [ast.dump(part) for parts_ in within for part in parts_]
            again = [ast.dump(part) for needed in copy.needs for part in _flat(page.blocks[needed])]
            assert flat in (alone, again)


def _only_passes(part: ast.Try) -> bool:
    return len(part.handlers) == 1 and isinstance(part.handlers[0].body[0], ast.Pass)


def _flat(block: Block) -> list[ast.stmt]:
    found: list[ast.stmt] = []
    for part in ast.parse(block.code).body:
        found += part.body if isinstance(part, ast.Try) and _only_passes(part) else [part]
    return found


def expected_prints(page: Page) -> str:
    """All that the page shows on the CPU, in order."""
    found = [recording_of(page).find(page, block.index).output for block in page.blocks if block.kind == "python"]
    return "".join(f"{output.shown}\n" for output in found if output and output.shown)


@each_page
def test_each_script_prints_what_the_page_shows(page: Page, real: Sessions, tmp_path: Path) -> None:
    """From top to bottom, with the values, and the messages of the exceptions."""
    code = exports(page, shown(page))["py"]
    (run,) = real.run(as_page(page, page.blocks[0], code, tmp_path, raises=()), "cpu").outputs
    assert run is not None
    assert not run.died
    assert run.raised is None, run.raised
    if not any(block.options.numbers_vary for block in page.blocks):
        assert same_text(expected_prints(page).strip(), run.text.strip())


def imported(code: str) -> set[str]:
    """The modules that code imports."""
    nodes = list(ast.walk(ast.parse(code)))
    found = {alias.name.partition(".")[0] for node in nodes if isinstance(node, ast.Import) for alias in node.names}
    return found | {str(node.module).partition(".")[0] for node in nodes if isinstance(node, ast.ImportFrom)}


@each_page
def test_each_script_lists_what_it_imports(page: Page) -> None:
    """`uv run` installs that, and nothing else."""
    code = exports(page, shown(page))["py"]
    lines = code.partition("# /// script\n")[2].partition("# ///\n")[0].split("\n")
    metadata = tomllib.loads("\n".join(line.removeprefix("# ") for line in lines))
    assert metadata["requires-python"] == ">=3.10"
    packages = {{"scikit-learn": "sklearn"}.get(name, name) for name in metadata["dependencies"]}
    assert packages == imported(code) - sys.stdlib_module_names


@pytest.mark.parametrize("name", ["tensors/reshaping", "reference/claims", "notebooks/fundamentals"])
def test_a_script_runs_as_a_reader_runs_it(name: str, tmp_path: Path) -> None:
    """By an interpreter of its own, in an empty folder."""
    page = next(page for page in PAGES if page.name == name)
    path = tmp_path / "page.py"
    path.write_text(exports(page, shown(page))["py"], encoding="utf-8")
    run = subprocess.run([sys.executable, str(path)], cwd=tmp_path, capture_output=True, text=True, check=True)
    wanted = [output for block in page.blocks if (output := recording_of(page).find(page, block.index).output)]
    values = [output.value for output in wanted if output.value and "0x" not in output.value]
    assert values
    assert all(any(same_text(value, found) for found in windows(run.stdout, value)) for value in values)


def windows(text: str, like: str) -> Iterator[str]:
    """Each run of lines of a text that is as long as another text."""
    lines, count = text.splitlines(), like.count("\n") + 1
    return ("\n".join(lines[at : at + count]) for at in range(len(lines) - count + 1))
