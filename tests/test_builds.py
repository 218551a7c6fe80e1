"""Builds: the pages of a site together, with what runs here, what is cached, and what was recorded elsewhere."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from made_build import TWO, Build, Write, kept, record_as_run, texts

from samedevice import devices
from samedevice.errors import SessionError
from samedevice.outputs.environments import Environment
from samedevice.outputs.output import Figure, Output
from samedevice.outputs.record import OutputCache
from samedevice.outputs.recording_files import Recordings
from samedevice.outputs.recordings import Recording, update
from samedevice.pages.page import Page
from samedevice.project import CACHE
from samedevice.running.section_runner import Part, SectionRunner
from samedevice.weaving.panes import ShownOutput

NOTHING: dict[int, list[ShownOutput]] = {0: [], 1: []}


def test_a_page_is_run_and_its_outputs_are_shown(build: Build, write: Write) -> None:
    """A line of progress tells which page took how long."""
    (shown,) = build(write(TWO))
    assert texts(shown) == [["cpu: one"], ["cpu: two"]]
    (line,) = build.lines
    assert line.startswith("ran docs/page.md on cpu: 2 blocks, ")
    assert line.endswith(" s")


def test_nothing_that_has_not_changed_is_run_again(build: Build, write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    """A warm build costs no process; one page saved costs one page run."""
    same, changed = write(TWO, "docs/same.md"), write(TWO, "docs/changed.md")
    first = build(same, changed)
    build.lines.clear()
    monkeypatch.setattr("samedevice.page_runs.SectionRunner", lambda root: pytest.fail("a process was started"))
    assert build(same, changed) == first
    moved = write("# A title\n\n" + TWO, "docs/same.md")
    assert texts(build(moved)[0]) == texts(first[0])
    monkeypatch.undo()
    assert build.lines == []


def test_a_page_that_has_changed_is_run_again_and_no_other(build: Build, write: Write) -> None:
    """Saving a page under `mkdocs serve` shows it at once."""
    same, changed = write(TWO, "docs/same.md"), write(TWO, "docs/changed.md")
    build(same, changed)
    build.lines.clear()
    _, shown = build(same, write(TWO.replace("two", "2"), "docs/changed.md"))
    assert texts(shown) == [["cpu: one"], ["cpu: 2"]]
    assert [line.split(" on ")[0] for line in build.lines] == ["ran docs/changed.md"]


NEWER = {
    "torch_build": lambda: devices.TorchBuild("99.0", False),
    "platform.python_version": lambda: "99.0",
}


@pytest.mark.parametrize(("what", "answer"), NEWER.items(), ids=NEWER.keys())
def test_another_version_runs_everything_again(
    build: Build, write: Write, monkeypatch: pytest.MonkeyPatch, what: str, answer: Callable[[], object]
) -> None:
    """What stands beside the output says which version printed it."""
    page = write(TWO)
    build(page)
    monkeypatch.setattr(f"samedevice.outputs.record.{what}", answer)
    build(page)
    assert len(build.lines) == 2


DAMAGES: dict[str, Callable[[bytes], bytes]] = {
    "empty": lambda content: b"",
    "half": lambda content: content[: len(content) // 2],
    "binary": lambda content: b"\xff\xfe\x00" + content,
    "zeros": lambda content: bytes(len(content)),
    "a list": lambda content: b"[]",
    "another format": lambda content: content.replace(b'"format": 3', b'"format": 99'),
    "a changed output": lambda content: content.replace(b'"one\\n"', b'"uno\\n"'),
    "an output that is a list": lambda content: content.replace(b'"text": "one', b'"text": ["one"], "value": "'),
    "an unknown device": lambda content: content.replace(b'"device": "cpu"', b'"device": "cpx"'),
    "an environment that is not there": lambda content: content.replace(
        b'"environments": {', b'"environments": {}, "x": {'
    ),
}


@pytest.mark.parametrize("damage", DAMAGES.values(), ids=DAMAGES.keys())
def test_a_damaged_cache_is_made_again_without_a_word(
    build: Build, write: Write, root: Path, damage: Callable[[bytes], bytes]
) -> None:
    """Nobody wants to hear of a file that can be made again."""
    page = write(TWO)
    first = build(page)
    record_as_run(root, page)
    path = kept(root, page)
    whole = path.read_bytes()
    assert damage(whole) != whole
    path.write_bytes(damage(whole))
    assert build(page) == first
    assert len(build.lines) == 2
    assert path.read_bytes() == whole
    assert build.faults == []


def test_a_page_with_a_fault_is_not_cached(build: Build, write: Write, root: Path) -> None:
    """It may be the machine's fault, and its author will look again."""
    page = write("```python\n1 / 0\n```\n")
    (shown,) = build(page)
    assert shown[0][0].wrong
    assert shown[0][0].note.startswith("docs/page.md:1 on cpu raised ZeroDivisionError: division by zero\n\nTraceback")
    assert build.problems[0] == shown[0][0].note
    assert not kept(root, page).exists()


def test_a_page_without_blocks_starts_nothing(build: Build, write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    """Most pages of a site may be prose."""
    monkeypatch.setattr("samedevice.page_runs.SectionRunner", lambda root: pytest.fail("a process was started"))
    assert build(write("# Title\n"), write('```python needs="cuda"\n1\n```\n', "docs/gpu.md"))[0] == {}
    assert build.problems == []


def test_two_builds_at_once_do_not_disturb_each_other(one_server: object, root: Path, write: Write) -> None:
    """`mkdocs serve` in one terminal, `mkdocs build` in another."""
    figure = "import matplotlib.pyplot as plt\nplt.plot([1, 2])\nNone"
    text = f'{TWO}\n```python alt="A line."\n{figure}\n```\n'
    pages = [write(text, f"docs/{name}.md") for name in "abc"]
    _ = OutputCache(root)  # what another engine kept would be forgotten
    for page in pages:
        Recordings(root, CACHE / "outputs").save(page, whole_with_another_figure(page))
    builds = [Build(root), Build(root)]
    shown: dict[int, object] = {}
    threads = [threading.Thread(target=lambda n=n: shown.update({n: builds[n](*pages)})) for n in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert shown[0] == shown[1]
    for page in pages:
        (found, old), _ = Recordings(root, CACHE / "outputs").load(page)
        assert [entry.output.text for entry in found.entries if entry.output] == ["one\n", "two\n", ""]
        assert old.environment.torch == "1.0"
        assert len(list(kept(root, page).parent.glob(f"{page.name}@*"))) == 2
    assert [path.name for path in (root / CACHE).rglob(".*")] == [".gitignore"]


def whole_with_another_figure(page: Page) -> Recording:
    """A cache of another version, whose figure both builds will want to remove."""
    old = Environment("cpu", "chip", "1.0", "3.0", "", "2020-01-01")
    found = update(None, page, old, (Output(), Output(), Output(figures=(Figure("<svg/>", "A line."),))))
    assert found is not None
    return found


def test_a_page_that_needs_two_devices_is_cached_all_the_same(build: Build, write: Write) -> None:
    """It would run at every build on a machine with one."""
    page = write('```python\nx = 1\n```\n\n```python needs="2 cpu"\nx\n```\n')
    build(page)
    build(page)
    assert len(build.lines) == 1


def test_a_failure_of_the_machinery_is_not_taken_for_an_output(
    build: Build, write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A page must not look as if its blocks printed nothing."""

    def fail(self: SectionRunner, part: Part) -> None:
        raise SessionError(f"{part.page.path}: no interpreter")

    monkeypatch.setattr(SectionRunner, "_run", fail)
    with pytest.raises(SessionError, match=r"docs/page\.md: no interpreter"):
        build(write(TWO))


def test_a_file_that_a_block_read_is_part_of_what_is_kept(build: Build, write: Write, root: Path) -> None:
    """A build shows what the page prints now, and a warm one runs nothing."""
    (root / "docs/x.csv").write_text("41", encoding="utf-8")
    page = write("```python\nfrom pathlib import Path\nprint(Path(__file__).with_name('x.csv').read_text())\n```\n")
    assert texts(build(page)[0]) == texts(build(page)[0]) == [["cpu: 41"]]
    assert len(build.lines) == 1
    (root / "docs/x.csv").write_text("42", encoding="utf-8")
    assert texts(build(page)[0]) == [["cpu: 42"]]
    assert len(build.lines) == 2
