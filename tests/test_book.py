"""A book: what is run, what is taken from the cache or from recordings, and what is to be shown under each block."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from samedevice import devices
from samedevice.book import Book
from samedevice.devices import torch_build
from samedevice.errors import SessionError
from samedevice.outputs.environments import Environment
from samedevice.outputs.output import Figure, Output
from samedevice.outputs.recording_files import load, place, save
from samedevice.outputs.recordings import update
from samedevice.pages.page import Page
from samedevice.project import CACHE, RECORDINGS
from samedevice.running.sessions import Sessions
from samedevice.weaving.panes import Shown

CPU_FOLDER = f"cpu-{torch_build().version}"
"""The folder of the recordings of this interpreter."""

CUDA = Environment("cuda", "NVIDIA H200", "2.13.0+cu130", "3.11.7", "580.95.05", "2026-11-20")
TWO = "```python\nprint('one')\n```\n\n```python\nprint('two')\n```\n"
NOTHING: dict[int, list[Shown]] = {0: [], 1: []}
COMMAND = "pytest docs/page.md --device cpu --record"

Write = Callable[..., Page]


class Build:
    """Reads pages as a build does, with a book of its own, and remembers what is told to whoever builds."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.lines: list[str] = []
        self.problems: list[str] = []

    def __call__(self, *pages: Page) -> list[dict[int, list[Shown]]]:
        book = Book(self.root, self.lines.append, ["cpu"])
        book.start(pages)
        try:
            found = [book.read(page) for page in pages]
        finally:
            book.close()
        self.problems += [problem.message for _, problems in found for problem in problems]
        return [shown for shown, _ in found]

    @property
    def faults(self) -> list[str]:
        """The problems, without those that only ask for a recording."""
        return [problem for problem in self.problems if "are not recorded on" not in problem]


@pytest.fixture
def build(one_server: object, root: Path) -> Build:
    """A build of this repository."""
    return Build(root)


def record(root: Path, page: Page, *outputs: Output | None, environment: Environment = CUDA) -> Path:
    """Write a recording of these outputs."""
    path = place(root / RECORDINGS, environment.folder, page)
    found = update(None, page, environment, outputs)
    assert found is not None
    save(path, found)
    return path


def record_as_run(root: Path, page: Page) -> None:
    """Write a recording of what the cache holds."""
    found = load(place(root / CACHE, CPU_FOLDER, page))
    assert found is not None
    save(place(root / RECORDINGS, CPU_FOLDER, page), found)


def texts(shown: dict[int, list[Shown]]) -> list[list[str]]:
    """The device and text of each output, or the note in its place."""
    return [
        [f"{one.device}: {one.output.shown if one.output else one.note}" for one in shown[n]] for n in sorted(shown)
    ]


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
    monkeypatch.setattr("samedevice.runs.Sessions", lambda root: pytest.fail("a process was started"))
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
    "torch_build": lambda: devices.Build("99.0", False),
    "platform.python_version": lambda: "99.0",
}


@pytest.mark.parametrize(("what", "answer"), NEWER.items(), ids=NEWER.keys())
def test_another_version_runs_everything_again(
    build: Build, write: Write, monkeypatch: pytest.MonkeyPatch, what: str, answer: Callable[[], object]
) -> None:
    """What stands beside the output says which version printed it."""
    page = write(TWO)
    build(page)
    monkeypatch.setattr(f"samedevice.outputs.cache.{what}", answer)
    build(page)
    assert len(build.lines) == 2


DAMAGES: dict[str, Callable[[bytes], bytes]] = {
    "empty": lambda content: b"",
    "half": lambda content: content[: len(content) // 2],
    "binary": lambda content: b"\xff\xfe\x00" + content,
    "zeros": lambda content: bytes(len(content)),
    "a list": lambda content: b"[]",
    "another format": lambda content: content.replace(b'"format": 2', b'"format": 99'),
    "a changed output": lambda content: content.replace(b'"one\\n"', b'"uno\\n"'),
    "an output that is a list": lambda content: content.replace(b'"output": {', b'"output": [], "x": {', 1),
    "an unknown device": lambda content: content.replace(b'"device": "cpu"', b'"device": "cpx"'),
    "a block too few": lambda content: content[: content.index(b"  },\n  {")] + b"  }\n ]\n}\n",
}


@pytest.mark.parametrize("damage", DAMAGES.values(), ids=DAMAGES.keys())
def test_a_damaged_cache_is_made_again_without_a_word(
    build: Build, write: Write, root: Path, damage: Callable[[bytes], bytes]
) -> None:
    """Nobody wants to hear of a file that can be made again."""
    page = write(TWO)
    first = build(page)
    record_as_run(root, page)
    path = place(root / CACHE, CPU_FOLDER, page)
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
    assert not place(root / CACHE, CPU_FOLDER, page).exists()


def test_a_page_without_blocks_starts_nothing(build: Build, write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    """Most pages of a site may be prose."""
    monkeypatch.setattr("samedevice.runs.Sessions", lambda root: pytest.fail("a process was started"))
    assert build(write("# Title\n"), write('```python needs="cuda"\n1\n```\n', "docs/gpu.md"))[0] == {}
    assert build.problems == []


def test_two_builds_at_once_do_not_disturb_each_other(one_server: object, root: Path, write: Write) -> None:
    """`mkdocs serve` in one terminal, `mkdocs build` in another."""
    figure = "import matplotlib.pyplot as plt\nplt.plot([1, 2])\nNone"
    text = f'{TWO}\n```python alt="A line."\n{figure}\n```\n'
    pages = [write(text, f"docs/{name}.md") for name in "abc"]
    for page in pages:
        save(place(root / CACHE, CPU_FOLDER, page), whole_with_another_figure(page))
    builds = [Build(root), Build(root)]
    shown: dict[int, object] = {}
    threads = [threading.Thread(target=lambda n=n: shown.update({n: builds[n](*pages)})) for n in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert shown[0] == shown[1]
    for page in pages:
        found = load(place(root / CACHE, CPU_FOLDER, page))
        assert found is not None
        assert [entry.output.text for entry in found.entries] == ["one\n", "two\n", ""]
        assert len(list(place(root / CACHE, CPU_FOLDER, page).parent.glob(f"{page.name}@*"))) == 1
    assert not list((root / CACHE).rglob(".*"))


def whole_with_another_figure(page: Page):
    """A cache of another version, whose figure both builds will want to remove."""
    old = Environment("cpu", "chip", "1.0", "3.0", "", "2020-01-01")
    found = update(None, page, old, (Output(), Output(), Output(figures=(Figure("<svg/>", "A line."),))))
    assert found is not None
    return found


def test_what_another_device_printed_is_taken_from_its_recording(build: Build, write: Write, root: Path) -> None:
    """This machine cannot run it, and a fresh recording is as good."""
    page = write(TWO)
    record(root, page, Output("one\n"), Output("deux\n"))
    (shown,) = build(page)
    assert texts(shown) == [["cpu: one", "cuda: one"], ["cpu: two", "cuda: deux"]]
    assert shown[1][1].environment == CUDA


def test_a_device_that_is_compared_says_that_it_has_not_run_the_block(build: Build, write: Write, root: Path) -> None:
    """Until it has: a comparison with one side only would pass for agreement."""
    page = write('```python compare="cuda"\nprint("one")\n```\n')
    note = "Not recorded yet: no machine with CUDA has run this block."
    assert texts(build(page)[0]) == [["cpu: one", f"cuda: {note}"]]
    record(root, page, Output("un\n"))
    assert texts(build(page)[0]) == [["cpu: one", "cuda: un"]]


def test_an_output_recorded_for_other_code_is_not_shown(build: Build, write: Write, root: Path) -> None:
    """It would be a claim that was never run."""
    record(root, write(TWO), Output("one\n"), Output("deux\n"))
    (shown,) = build(write(TWO.replace("'two'", "'2'")))
    note = "Recorded on 2026-11-20 for earlier code, and not shown: CUDA must run it again."
    assert texts(shown) == [["cpu: one", "cuda: one"], ["cpu: 2", f"cuda: {note}"]]
    assert not shown[1][1].wrong
    assert not any("cuda" in problem for problem in build.problems)


def test_a_block_that_no_device_ever_ran_says_what_it_needs(build: Build, write: Write) -> None:
    """A reader must not take silence for "prints nothing"."""
    (shown,) = build(
        write('```python needs="cuda"\nx\n```\n\n```python needs="2 cuda"\nx\n```\n\n```python\nx = 1\n```\n')
    )
    assert texts(shown) == [
        ["cuda: Needs CUDA; not recorded yet."],
        ["cuda: Needs 2 devices with CUDA; not recorded yet."],
        ["cpu: "],
    ]


def test_a_block_that_needs_two_devices_is_not_called_stale(build: Build, write: Write, root: Path) -> None:
    """A machine with one of them leaves it out when it records; it was never recorded for any code."""
    page = write('```python\nx = 1\n```\n\n```python needs="2 cpu"\nx\n```\n\n```python\nx\n```\n')
    build(page)
    record_as_run_without_cache(root, page)
    (shown,) = build(page)
    assert texts(shown)[1] == ["cpu: Needs 2 devices with CPU; not recorded yet."]


def record_as_run_without_cache(root: Path, page: Page) -> None:
    """Record what this machine printed, by running it."""
    with Sessions(root) as sessions:
        run = sessions.run(page, "cpu")
    assert run.environment is not None
    record(root, page, *run.outputs, environment=run.environment)


def test_a_page_that_needs_two_devices_is_cached_all_the_same(build: Build, write: Write) -> None:
    """It would run at every build on a machine with one."""
    page = write('```python\nx = 1\n```\n\n```python needs="2 cpu"\nx\n```\n')
    build(page)
    build(page)
    assert len(build.lines) == 1


def test_a_device_that_is_here_but_was_not_recorded_is_one_problem_a_page(build: Build, write: Write) -> None:
    """The author is told once a page, with the command to run; the reader sees the outputs, which are true."""
    (shown,) = build(write("# Title\n\n" + TWO))
    assert [one.wrong for ones in shown.values() for one in ones] == [False, False]
    assert build.problems == [
        f"docs/page.md:3: 2 blocks from here on are not recorded on cpu as they stand; run {COMMAND}"
    ]


def test_a_recording_as_run_is_no_problem(build: Build, write: Write, root: Path) -> None:
    """A strict build of the site as committed passes."""
    page = write(TWO)
    build(page)
    record_as_run(root, page)
    build.problems.clear()
    build(page)
    assert build.problems == []


def test_a_stale_recording_of_a_device_that_is_here_is_a_problem(build: Build, write: Write, root: Path) -> None:
    """Strict builds refuse it; the page shows what was just run."""
    page = write(TWO)
    build(page)
    record_as_run(root, page)
    build.problems.clear()
    (shown,) = build(write(TWO.replace("'two'", "'2'")))
    assert texts(shown) == [["cpu: one"], ["cpu: 2"]]
    assert build.problems == [
        f"docs/page.md:5: 1 blocks from here on are not recorded on cpu as they stand; run {COMMAND}"
    ]


def test_an_output_that_is_not_what_was_recorded_is_a_problem(build: Build, write: Write, root: Path) -> None:
    """One of the two is wrong, and the reader is told."""
    page = write(TWO)
    here = Environment("cpu", "chip", "2.13.0", "3.11.7", "", "2026-11-20")
    record(root, page, Output("one\n"), Output("too\n"), environment=here)
    (shown,) = build(page)
    assert shown[1][0].wrong
    assert shown[1][0].note.startswith(
        "docs/page.md:5 on cpu: not what was recorded (chip, PyTorch 2.13.0, 2026-11-20)"
    )
    assert "-too\n+two" in shown[1][0].note
    assert build.problems == [shown[1][0].note]


@pytest.mark.parametrize("device", ["cpu", "cuda"])
def test_a_recording_changed_by_hand_is_a_problem_on_every_machine(
    build: Build, write: Write, root: Path, device: str
) -> None:
    """Whoever forges one must be found out where the device is missing, too."""
    page = write(TWO)
    here = Environment(device, "chip", "2.13.0", "3.11.7", "", "2026-11-20")
    path = record(root, page, Output("one\n"), Output("deux\n"), environment=here)
    path.write_text(path.read_text().replace("deux", "two"))
    build(page)
    assert build.faults == [
        f"docs/page.md:5: its recording for {here.folder} was changed, by hand or by a merge; "
        "bring tests/recordings/*/page.json back with git checkout, "
        f"or run pytest docs/page.md --device {device} --record"
    ]


@pytest.mark.parametrize("device", ["cpu", "cuda"])
@pytest.mark.parametrize("content", [b'{"format": 1,\n "blocks": [', b"\xff\xfe\x00"], ids=["truncated", "binary"])
def test_a_recording_that_cannot_be_read_is_a_problem_that_names_it(
    build: Build, write: Write, root: Path, device: str, content: bytes
) -> None:
    """The build goes on, and says which file to mend."""
    page = write(TWO)
    path = place(root / RECORDINGS, device, page)
    path.parent.mkdir(parents=True)
    path.write_bytes(content)
    (shown,) = build(page)
    assert texts(shown) == [["cpu: one"], ["cpu: two"]]
    (problem,) = build.faults
    assert problem.startswith(f"tests/recordings/{device}/page.json: is damaged (")
    assert problem.endswith("; bring it back with git checkout, or delete it and record again")


def test_a_failure_of_the_machinery_is_not_taken_for_an_output(
    build: Build, write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A page must not look as if its blocks printed nothing."""

    def fail(self: Sessions, page: Page, device: str, upto: int | None = None) -> None:
        raise SessionError(f"{page.path}: no interpreter")

    monkeypatch.setattr(Sessions, "run", fail)
    with pytest.raises(SessionError, match=r"docs/page\.md: no interpreter"):
        build(write(TWO))


def test_what_a_block_needs_follows_the_snippet_that_it_is_a_part_of(build: Build, write: Write, root: Path) -> None:
    """The page itself has not changed, but what a reader would copy has."""
    (root / "snippets").mkdir()
    snippet = root / "snippets/x.py"
    text = '```python\na = 1\n```\n\n```python file="snippets/x.py" part="p"\n```\n'
    book = Book(root, print, ["cpu"])
    snippet.write_text("# region p\nprint(1)\n# endregion\n")
    assert book.copies(write(text), NOTHING)[1].needs == ()
    assert book.copies(write(text), NOTHING)[1].needs == ()
    snippet.write_text("# region p\nprint(a)\n# endregion\n")
    assert book.copies(write(text), NOTHING)[1].needs == (0,)


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b"\xff", b'{"key": 1}'], ids=repr)
def test_a_damaged_cache_of_what_blocks_need_is_made_again(root: Path, write: Write, content: bytes) -> None:
    """Nobody wants to hear of a file that can be made again."""
    page = write("```python\na = 1\n```\n\n```python\nprint(a)\n```\n")
    book = Book(root, print, ["cpu"])
    first = book.copies(page, NOTHING)
    assert first[1].needs == (0,)
    (kept,) = (path for path in (root / CACHE).rglob("*.json"))
    kept.write_bytes(content)
    assert book.copies(page, NOTHING) == first
    assert kept.read_bytes() != content
