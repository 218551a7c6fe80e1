"""PageRuns: each page once on each device, and told once."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from samedevice.devices import torch_build
from samedevice.outputs.record import UNCHANGED, OutputCache
from samedevice.page_runs import PageRuns
from samedevice.pages.page import Page
from samedevice.pages.parsing import parse_page
from samedevice.project import CACHE, Settings

CPU_HERE = f"cpu-{torch_build().version}"
"""The environment of this interpreter's CPU."""

TWO = "```python\nprint('one')\n```\n\n```python\nprint('two')\n```\n"


@pytest.fixture
def page(one_server: object, write: Callable[..., Page]) -> Page:
    """A page of two blocks, run by the one fork server."""
    return write(TWO)


@pytest.mark.parametrize("record", [False, True])
def test_a_page_runs_once_and_not_past_what_was_selected(root: Path, page: Page, record: bool) -> None:
    """But whole, where it is recorded."""
    runs = PageRuns(root)
    try:
        runs.start([(page, "cpu", None if record else 0)])
        run = runs.result(page, "cpu")
        assert runs.result(page, "cpu") is run
    finally:
        runs.close()
    assert [output is not None for output in run.outputs] == [True, record]


def test_pages_that_start_programs_run_first(root: Path, one_server: object, write: Callable[..., Page]) -> None:
    """They take longest: begun last, they would keep all but one core waiting."""
    pages = [write(TWO), write("```console\n$ true\n```\n", "docs/other.md")]
    runs = PageRuns(root)
    try:
        runs.start([(page, "cpu", 0) for page in pages])
        assert list(runs.runs) == [("docs/other.md", "cpu"), ("docs/page.md", "cpu")]
    finally:
        runs.close()


def test_what_was_done_is_told_once(root: Path, page: Page) -> None:
    """Each block of the page asks for it."""
    said = []
    for _ in range(2):
        runs = PageRuns(root)
        try:
            run = runs.result(page, "cpu")
            said.append([runs.write(page, "cpu", run), runs.write(page, "cpu", run)])
        finally:
            runs.close()
    assert said == [
        [f"recorded docs/page.md on {CPU_HERE}: 2 blocks", ""],
        [f"{UNCHANGED}docs/page.md on {CPU_HERE}", ""],
    ]


def test_a_page_that_says_what_it_prints_is_written_once(
    root: Path, one_server: object, write: Callable[..., Page]
) -> None:
    """Its fence holds one text, the first device's; a second device found the page changed, and recording failed."""
    text = "```python\nprint('one')\n```\n\n```text\n{}\n```\n"
    write(text.format("two"))
    page = parse_page(root / "docs/page.md", root, settings=Settings(expect="following"))
    runs = PageRuns(root)
    try:
        run = runs.result(page, "cpu")
        assert runs.write(page, "cpu", run).startswith("recorded")
        runs.write(page, "cuda", run)
    finally:
        runs.close()
    assert (root / page.path).read_text(encoding="utf-8") == text.format("one")


def test_a_page_that_is_a_link_stays_one(root: Path, one_server: object, write: Callable[..., Page]) -> None:
    """Many projects have docs/index.md lead to their README."""
    (root / "README.md").write_text("```python\nprint('one')\n```\n\n```text\ntwo\n```\n", encoding="utf-8")
    (root / "docs/index.md").symlink_to("../README.md")
    page = parse_page(root / "docs/index.md", root, settings=Settings(expect="following"))
    runs = PageRuns(root)
    try:
        runs.write(page, "cpu", runs.result(page, "cpu"))
    finally:
        runs.close()
    assert (root / "docs/index.md").is_symlink()
    assert "```text\none\n```" in (root / "README.md").read_text(encoding="utf-8")


CHANGES = "import os\nprint('old', flush=True)\nos.system('echo \\'# new\\' >> \"{}\"')\n"
"""Somebody else's program, as an editor is one, writes to the file."""
FENCES = {
    "a program": '```python file="snippets/x.py"\n```\n',
    "a command": "```console\n$ python snippets/x.py\n```\n",
    "an import": "```console\n$ python snippets/y.py\n```\n",
}


@pytest.mark.parametrize("fence", FENCES.values(), ids=FENCES.keys())
def test_what_is_edited_while_it_runs_is_neither_kept_nor_recorded(
    root: Path, one_server: object, write: Callable[..., Page], fence: str
) -> None:
    """Its output would be recorded as that of the text which was read before."""
    program = root / "snippets/x.py"
    program.parent.mkdir(exist_ok=True)
    program.write_text(CHANGES.format(program), encoding="utf-8")
    program.with_name("y.py").write_text("import x\n", encoding="utf-8")
    page, runs = write(fence), PageRuns(root)
    try:
        run = runs.result(page, "cpu")
        (output,) = run.outputs
        assert output is not None
        assert output.died.startswith("is not kept, because a file that it runs or reads changed")
        assert runs.write(page, "cpu", run).startswith("not recorded: docs/page.md")
    finally:
        runs.close()
    assert OutputCache(root).missing(page, "cpu") == {0}


THERE_AND_BACK = """\
import os
print('old', flush=True)
os.system('cp "{0}" "{0}.old"; echo "print(1)" > "{0}"')
import x
os.system('cp "{0}.old" "{0}"')
"""


@pytest.mark.parametrize(
    "fence", ['```python file="snippets/z.py"\n```\n', "```console\n$ python snippets/z.py\n```\n"]
)
def test_an_edit_that_is_taken_back_while_the_program_runs_is_noticed(
    root: Path, one_server: object, write: Callable[..., Page], fence: str
) -> None:
    """The text is the same before and after, and another one printed the output."""
    module = root / "snippets/x.py"
    module.parent.mkdir(exist_ok=True)
    module.write_text("print('old')\n", encoding="utf-8")
    module.with_name("z.py").write_text(THERE_AND_BACK.format(module), encoding="utf-8")
    page, runs = write(fence), PageRuns(root)
    try:
        (output,) = runs.result(page, "cpu").outputs
    finally:
        runs.close()
    assert module.read_text(encoding="utf-8") == "print('old')\n"
    assert output is not None
    assert output.died.startswith("is not kept, because a file that it runs or reads changed")


def test_runs_that_nothing_was_asked_of_start_no_process(root: Path) -> None:
    """`pytest --collect-only` would wait for torch."""
    runs = PageRuns(root)
    runs.close()
    assert runs.sessions is None


SECTIONS = (
    "## One\n\n```python\nprint('one')\n```\n\n```python\nprint('two')\n```\n\n## Two\n\n```python\nprint(3)\n```\n"
)


@pytest.mark.parametrize(
    ("index", "code", "missing"),
    [(None, "", set()), (0, "", {0, 1, 2}), (1, "", {2}), (2, "", {0, 1}), (None, "1 / 0", {0, 1})],
)
def test_a_section_that_ran_without_a_fault_is_not_run_again(
    root: Path, one_server: object, write: Callable[..., Page], index: int | None, code: str, missing: set[int]
) -> None:
    """A save runs the sections that it changed; half a section would be run again all the same."""
    page = write(SECTIONS.replace("print('two')", code or "print('two')"))
    runs = PageRuns(root)
    try:
        runs.start([(page, "cpu", index)])
        runs.result(page, "cpu")
    finally:
        runs.close()
    assert OutputCache(root).missing(page, "cpu") == missing


def test_an_edit_leaves_the_other_sections_kept(root: Path, one_server: object, write: Callable[..., Page]) -> None:
    """And what an edited one printed joins them, so that the whole page is kept again."""
    runs = PageRuns(root)
    try:
        runs.result(write(SECTIONS), "cpu")
        page = write(SECTIONS.replace("print(3)", "print(4)"))
        cache = OutputCache(root)
        assert cache.missing(page, "cpu") == {2}
        runs.forget_page(page, "cpu")
        runs.start([(page, "cpu", 2)])
        output = runs.result(page, "cpu").outputs[2]
        assert output is not None
        assert output.text == "4\n"
        assert cache.missing(page, "cpu") == set()
        found = cache.find(page, "cpu")
        assert found is not None
        assert [entry.output.text for entry in found.entries if entry.output] == ["one\n", "two\n", "4\n"]
    finally:
        runs.close()


def test_what_is_kept_already_is_not_written_again(root: Path, page: Page) -> None:
    """To write the files of a page takes longer than to run most of its blocks."""
    written = []
    for _ in range(2):
        runs = PageRuns(root)
        try:
            runs.result(page, "cpu")
        finally:
            runs.close()
        written.append({path: path.stat().st_ino for path in (root / CACHE).rglob("page.json")})
    assert len(written[0]) == 2
    assert written[0] == written[1]


def test_what_was_recorded_is_read_anew(root: Path, page: Page) -> None:
    """The summary of a run that records counts what is missing."""
    runs = PageRuns(root)
    try:
        assert runs.recorded(page) == ((), [])
        runs.write(page, "cpu", runs.result(page, "cpu"))
        assert len(runs.recorded(page)[0]) == 1
    finally:
        runs.close()


def test_a_run_is_told_once_it_is_kept(root: Path, page: Page, monkeypatch: pytest.MonkeyPatch) -> None:
    """A build that ended sooner left nothing for the next one."""
    runs = PageRuns(root)
    keep = runs.cache.keep

    def keep_slowly(*what: Any) -> None:
        time.sleep(0.3)
        keep(*what)

    monkeypatch.setattr(runs.cache, "keep", keep_slowly)
    try:
        runs.result(page, "cpu")
        assert OutputCache(root).find(page, "cpu")
    finally:
        runs.close()


def test_what_goes_wrong_while_a_run_is_kept_is_told(root: Path, page: Page, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody may wait for ever."""
    runs = PageRuns(root)
    monkeypatch.setattr(runs.cache, "keep", lambda *_: 1 // 0)
    try:
        with pytest.raises(ZeroDivisionError):
            runs.result(page, "cpu")
    finally:
        runs.close()
