"""Recordings on the disk: one file a page; nothing of it gets lost, and what is wrong with it is told."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from samedevice.errors import RecordingError
from samedevice.files import write_atomically
from samedevice.outputs.cleaning import clean
from samedevice.outputs.environments import Environment
from samedevice.outputs.output import Figure, Output, Raised
from samedevice.outputs.recording_files import Recordings, figure_files, file_hash, load_all, place, read_file
from samedevice.outputs.recordings import Recording, State, update
from samedevice.pages.page import Page

FOLDER = Path("tests/recordings")
CPU = Environment("cpu", "EPYC", "2.13.0+cpu", "3.11.7", "", "2026-11-21", "2.4.6")
NEWER = replace(CPU, torch="2.15.0+cu132")
H100 = Environment("cuda", "NVIDIA H100 80GB HBM3", "2.11.0+cu130", "3.11.7", "580", "2026-11-21")
LINE, CURVE = (Output(figures=(Figure(f"<svg>{what}</svg>", "A line."),)) for what in ("line", "curve"))
SAME = (Output("one\n" * 500), LINE)
TWO = "```python\none\n```\n\n```python\ntwo\n```\n"
ADVICE = "bring it back with git checkout, or delete it and record again"

Write = Callable[..., Page]


@pytest.fixture
def page(write: Write) -> Page:
    """A page of two blocks."""
    return write(TWO)


def record(root: Path, page: Page, where: Environment, *outputs: Output | None) -> Path:
    """Record a page as pytest does; the file."""
    files = Recordings(root, FOLDER)
    known = files.load(page)[0]
    old = next((one for one in files.own(page) if one.environment.folder == where.folder), None)
    new = update(old, page, where, outputs, others=known)
    if new is not None:
        files.save(page, new)
    return place(root / FOLDER, page)


def loaded(root: Path, page: Page, where: Environment) -> Recording:
    """What is recorded of a page in an environment."""
    recordings, errors = load_all(root, FOLDER, page)
    assert not errors
    (found,) = (one for one in recordings if one.environment.folder == where.folder)
    return found


def printed(root: Path, page: Page, where: Environment) -> list[Output | None]:
    """What is recorded of a page's blocks in an environment, as it is shown."""
    return [loaded(root, page, where).find(page, block.index).output for block in page.blocks]


def states(root: Path, page: Page, where: Environment) -> list[State]:
    """What an environment has to say of each block of a page."""
    return [loaded(root, page, where).find(page, block.index).state for block in page.blocks]


def test_a_recording_comes_back_as_it_was_saved(root: Path, page: Page) -> None:
    """Nothing that was recorded may be lost."""
    new = update(None, page, CPU, SAME)
    assert new is not None
    Recordings(root, FOLDER).save(page, new)
    assert load_all(root, FOLDER, page) == ((new,), [])


def test_a_page_has_one_file_for_all_environments(write: Write, root: Path) -> None:
    """A person finds it by the page's name."""
    page = write(TWO, "docs/tensors/creating.md")
    for where in (CPU, NEWER, H100):
        assert record(root, page, where, *SAME) == root / "tests/recordings/tensors/creating.json"
        assert printed(root, page, where) == list(SAME)
    names = sorted(path.name for path in (root / FOLDER).rglob("*") if path.is_file())
    (figure,) = LINE.figures
    assert names == ["creating.json", f"creating@{figure.name}.svg"]
    assert [one.environment for one in load_all(root, FOLDER, page)[0]] == [NEWER, CPU, H100]


def test_where_there_is_no_recording_none_is_found(root: Path, page: Page) -> None:
    """It is missing, which is no error."""
    assert load_all(root, FOLDER, page) == ((), [])
    assert Recordings(root, FOLDER).read(place(root / FOLDER, page)).environments == {}


def test_an_environment_that_agrees_takes_few_lines(root: Path, page: Page) -> None:
    """Nine environments must not make the repository nine times as large."""
    first = record(root, page, CPU, *SAME).stat().st_size
    assert record(root, page, NEWER, *SAME).stat().st_size < first * 1.3


def test_recording_the_first_again_leaves_the_others_what_they_printed(root: Path, page: Page) -> None:
    """They share an output that it does not print any more."""
    record(root, page, CPU, *SAME)
    record(root, page, NEWER, *SAME)
    record(root, page, CPU, Output("uno\n"), CURVE)
    assert printed(root, page, CPU) == [Output("uno\n"), CURVE]
    assert printed(root, page, NEWER) == list(SAME)


def test_code_that_changed_is_stale_in_the_others(root: Path, page: Page, write: Write) -> None:
    """An author edits a page and records it with the PyTorch at hand."""
    record(root, page, CPU, *SAME)
    record(root, page, NEWER, *SAME)
    edited = write(page.text.replace("two", "2"))
    record(root, edited, CPU, *SAME)
    assert states(root, edited, CPU) == [State.FRESH, State.FRESH]
    assert states(root, edited, NEWER) == [State.FRESH, State.STALE]
    assert printed(root, write(page.text), NEWER) == list(SAME)


def test_saving_leaves_only_the_figures_in_use(root: Path, page: Page) -> None:
    """Old pictures would pile up in the repository; those of other pages are not ours."""
    path = record(root, page, CPU, *SAME)
    other = path.with_name("page2@000000000000.svg")
    other.write_text("<svg/>", encoding="utf-8")
    (old,) = figure_files(path)
    record(root, page, CPU, SAME[0], CURVE)
    assert not old.exists()
    assert other.exists()
    assert printed(root, page, CPU) == [SAME[0], CURVE]


def test_a_recording_without_a_block_leaves_no_file(root: Path, page: Page, write: Write) -> None:
    """An empty file says nothing, and a reviewer would ask why it is there."""
    path = record(root, page, CPU, *SAME)
    Recordings(root, FOLDER).save(page, Recording(CPU, ()))
    assert not path.exists()
    assert not list(path.parent.glob("*.svg"))


def test_text_that_utf_8_cannot_hold_does_not_break_saving(root: Path, page: Page) -> None:
    """One strange file name in an error message must not cost the recording of a whole page."""
    strange = Output(raised=Raised("ValueError", clean("a\udcffb", {})))
    record(root, page, CPU, strange, SAME[1])
    assert printed(root, page, CPU) == [strange, SAME[1]]


DAMAGES: dict[str, Callable[[bytes], bytes]] = {
    "empty": lambda content: b"",
    "half": lambda content: content[: len(content) // 2],
    "without its last brace": lambda content: content.rstrip()[:-1],
    "binary": lambda content: b"\xff\xfe\x00" + content,
    "zeros": lambda content: bytes(len(content)),
    "deep": lambda content: b"[" * 100_000,
    "a list": lambda content: b"[]",
    "a word": lambda content: b'"format"',
    "another format": lambda content: content.replace(b'"format": 3', b'"format": 99'),
    "no environments": lambda content: content.replace(b'"environments"', b'"environmints"'),
    "an unknown field": lambda content: content.replace(b'"numpy"', b'"numpie"'),
    "an output that is a list": lambda content: content.replace(b'"text": "one', b'"text": ["one"], "value": "'),
    "a text that was changed": lambda content: content.replace(b'"text": "one', b'"text": "uno'),
    "a block that is a number": lambda content: content.replace(b'"blocks": [', b'"blocks": [1,'),
    "an unknown device": lambda content: content.replace(b'"device": "cpu"', b'"device": "cpv"'),
    "an environment that no machine has": lambda content: content.replace(b'"cpu-2.13.0+cpu"', b'"cpu-2.14"', 1),
}


@pytest.mark.parametrize("damage", DAMAGES.values(), ids=DAMAGES.keys())
def test_a_file_that_cannot_be_read_is_an_error_that_names_it(
    root: Path, page: Page, damage: Callable[[bytes], bytes]
) -> None:
    """A recording is not made again by itself: someone has to know, and to know what to do."""
    path = record(root, page, CPU, *SAME)
    before = damage(path.read_bytes())
    path.write_bytes(before)
    recordings, (error,) = load_all(root, FOLDER, page)
    assert recordings == ()
    assert str(error).startswith("tests/recordings/page.json: cannot be read: ")
    assert str(error).endswith(ADVICE)
    with pytest.raises(RecordingError):
        Recordings(root, FOLDER).save(page, Recording(NEWER, ()))
    assert path.read_bytes() == before


def test_a_conflict_that_git_left_is_told_as_such(root: Path, page: Page) -> None:
    """ "No JSON, line 14" would send people on a wrong track."""
    path = record(root, page, CPU, *SAME)
    mine = path.read_text(encoding="utf-8")
    other = mine.replace("one", "uno")
    texts = {"mine": mine, "base": "", "other": other}
    for name, text in texts.items():
        (root / name).write_text(text, encoding="utf-8")
    merge = ["git", "merge-file", "-p", *(str(root / name) for name in texts)]
    path.write_bytes(subprocess.run(merge, capture_output=True, check=False).stdout)
    _, (error,) = load_all(root, FOLDER, page)
    assert str(error) == (
        "tests/recordings/page.json: cannot be read: git left a conflict in it; "
        f"take both sides' lines, or record again; {ADVICE}"
    )


def test_a_truncated_file_is_an_error_that_names_the_line(root: Path, page: Page) -> None:
    """That is where to look."""
    path = record(root, page, CPU, *SAME)
    content = path.read_text(encoding="utf-8")
    path.write_text(content[: content.index('"outputs"')], encoding="utf-8")
    line = content[: content.index('"outputs"')].count("\n") + 1
    with pytest.raises(RecordingError, match=rf"page\.json: cannot be read: it is no JSON .*line {line} column"):
        read_file(path)


def test_a_missing_figure_and_a_changed_one_are_errors(root: Path, page: Page) -> None:
    """The picture is part of the output; it was not committed, or edited by hand."""
    (figure,) = figure_files(record(root, page, CPU, *SAME))
    figure.write_text("<svg>lime</svg>", encoding="utf-8")
    _, (changed,) = load_all(root, FOLDER, page)
    assert figure.name in str(changed) or figure.stem.rpartition("@")[2] in str(changed)
    figure.unlink()
    _, (missing,) = load_all(root, FOLDER, page)
    assert f"{figure.name} is no regular file" in str(missing)


def test_a_link_in_place_of_a_figure_that_leads_nowhere_is_an_error(root: Path, page: Page) -> None:
    """A traceback of the engine would say neither where nor what to do."""
    (figure,) = figure_files(record(root, page, CPU, *SAME))
    figure.unlink()
    figure.symlink_to("nowhere")
    assert len(load_all(root, FOLDER, page)[1]) == 1


@pytest.mark.parametrize("name", ["a@b", "a?b", "a[b]", "a*", "a@b@c"])
def test_a_page_may_have_any_name(root: Path, write: Write, name: str) -> None:
    """Its figures are its own, and those of other pages stay."""
    page, other = (write("```python\none\n```\n", f"docs/{one}.md") for one in (name, "a'b"))
    for one in (other, page):
        record(root, one, CPU, LINE)
        record(root, one, CPU, CURVE)
    for one in (other, page):
        assert printed(root, one, CPU) == [CURVE]
    assert len([path for path in (root / FOLDER).iterdir() if path.suffix]) == 4


def test_a_block_that_moves_to_another_page_keeps_what_an_h100_printed(root: Path, write: Write) -> None:
    """Nobody can run it there again; once the old page is recorded without it, the new one has it."""
    old = write(TWO, "docs/old.md")
    for where in (CPU, H100):
        record(root, old, where, *SAME)
    new = write("```python\none\n```\n\n```python\nthree\n```\n", "docs/topic/new.md")
    assert printed(root, new, H100) == [SAME[0], None]
    record(root, new, CPU, SAME[0], Output("3"))
    left = write("```python\nfour\n```\n", "docs/old.md")
    record(root, left, CPU, Output("4"))
    record(root, left, H100, Output("4"))
    assert printed(root, new, H100) == [SAME[0], None]
    assert printed(root, new, CPU) == [SAME[0], Output("3")]


def test_a_page_that_is_renamed_keeps_what_an_h100_printed(root: Path, write: Write) -> None:
    """At once, with its figures, though its file has the old name."""
    old = write(TWO, "docs/old.md")
    path = record(root, old, H100, *SAME)
    (root / old.path).unlink()
    new = write(TWO, "docs/topic/new.md")
    assert printed(root, new, H100) == list(SAME)
    record(root, new, CPU, *SAME)
    for one in (path, *figure_files(path)):
        one.unlink()
    assert printed(root, new, H100) == list(SAME)
    assert states(root, new, H100) == [State.FRESH] * 2


def test_what_another_page_printed_is_no_witness_where_it_was_recorded_here(root: Path, write: Write) -> None:
    """Two pages with the same first block; each has its own measurement."""
    here, there = (write('```python numbers="vary"\ntime()\n```\n', f"docs/{name}.md") for name in ("here", "there"))
    record(root, here, CPU, Output("1 s"))
    record(root, there, CPU, Output("2 s"))
    assert printed(root, here, CPU) == [Output("1 s")]
    assert printed(root, there, CPU) == [Output("2 s")]


def test_a_page_that_cannot_be_read_costs_no_other_page_its_own(root: Path, write: Write) -> None:
    """Other pages' files are looked through for blocks that moved."""
    other, page = write(TWO, "docs/a.md"), write(TWO, "docs/b.md")
    record(root, other, CPU, *SAME).write_text("<<<<<<< HEAD", encoding="utf-8")
    record(root, page, CPU, *SAME)
    assert printed(root, page, CPU) == list(SAME)


def test_a_file_that_a_block_read_makes_what_comes_after_it_stale_once_it_changes(root: Path, page: Page) -> None:
    """And nothing else; the same bytes again make it fresh."""
    data = root / "data/x.csv"
    data.parent.mkdir()
    data.write_bytes(b"\x00\xff\xfe1")
    read = (("data/x.csv", file_hash(data)),)
    record(root, page, CPU, SAME[0], replace(SAME[1], read=read))
    assert states(root, page, CPU) == [State.FRESH, State.FRESH]
    data.write_bytes(b"\x00\xff\xfd1")
    assert states(root, page, CPU) == [State.FRESH, State.STALE]
    data.unlink()
    assert states(root, page, CPU) == [State.FRESH, State.STALE]
    data.write_bytes(b"\x00\xff\xfe1")
    assert states(root, page, CPU) == [State.FRESH, State.FRESH]
    record(root, page, CPU, replace(SAME[0], read=read), SAME[1])
    data.write_bytes(b"")
    assert states(root, page, CPU) == [State.STALE, State.STALE]


def test_the_pages_that_read_a_file_are_known_by_it_and_by_its_folder(root: Path, page: Page) -> None:
    """Whoever edits a data file runs the pages that read it."""
    record(root, page, CPU, replace(SAME[0], read=(("data/a/x.csv", "0" * 16),)), SAME[1])
    files = Recordings(root, FOLDER)
    found = [files.pages_that_read([name]) for name in ("data/a/x.csv", "data", "data/a", "dat", "data/a/x")]
    assert found == [{"page"}, {"page"}, {"page"}, set(), set()]


RECORDER = """
import sys
from dataclasses import replace
from pathlib import Path
sys.path[:0] = {path!r}
from test_recording_files import CPU, H100, record, Output
from same_device_site.settings import parse_page

root, where = Path({root!r}), CPU if sys.argv[1] == "cpu" else H100
page = parse_page(root / "docs/page.md", root)
for number in range(15):
    record(root, page, where, Output(f"{{sys.argv[1]}} {{number}}"), Output("2"))
"""


def test_two_recorders_write_one_page_at_once_and_lose_nothing(root: Path, page: Page) -> None:
    """A laptop's PyTorch and a simulated GPU's, or two versions, record side by side."""
    program = RECORDER.format(path=[str(Path(__file__).parent)], root=str(root))
    started = [subprocess.Popen([sys.executable, "-c", program, device]) for device in ("cpu", "cuda")]
    while any(one.poll() is None for one in started):
        assert not load_all(root, FOLDER, page)[1]
    assert [one.returncode for one in started] == [0, 0]
    assert printed(root, page, CPU) == [Output("cpu 14"), Output("2")]
    assert printed(root, page, H100) == [Output("cuda 14"), Output("2")]


def test_a_disk_that_is_full_leaves_the_old_file_whole(root: Path, page: Page, monkeypatch: pytest.MonkeyPatch) -> None:
    """What other environments recorded is in it, too."""
    path = record(root, page, H100, *SAME)
    before = {one.name: one.read_bytes() for one in path.parent.iterdir() if one.is_file()}

    def full(path: Path, text: str, durably: bool = True) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("samedevice.outputs.recording_files.write_atomically", full)
    with pytest.raises(OSError, match="No space"):
        record(root, page, CPU, Output("1"), CURVE)
    assert {one.name: one.read_bytes() for one in path.parent.iterdir() if one.is_file()} == before


def test_a_write_that_fails_leaves_the_old_file_and_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ctrl-C or a full disk in the middle of writing must not cost what was recorded."""
    path = tmp_path / "page.json"
    write_atomically(path, "old")

    def interrupt(descriptor: int) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "fsync", interrupt)
    with pytest.raises(KeyboardInterrupt):
        write_atomically(path, "new")
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_readers_see_the_old_file_or_the_new_one(tmp_path: Path) -> None:
    """Two builds write the same cache at once."""
    path = tmp_path / "page.json"
    texts = ["a" * 100_000, "b" * 100_000]
    write_atomically(path, texts[0])
    threads = [threading.Thread(target=lambda t=text: [write_atomically(path, t) for _ in range(20)]) for text in texts]
    for thread in threads:
        thread.start()
    while any(thread.is_alive() for thread in threads):
        assert path.read_text() in texts
    assert list(tmp_path.iterdir()) == [path]


def test_a_figure_that_another_build_removed_first_does_no_harm(
    root: Path, page: Page, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two builds at once both find the old picture, and only one can remove it."""
    record(root, page, CPU, *SAME)
    unlink = Path.unlink

    def too_late(self: Path, missing_ok: bool = False) -> None:
        os.remove(self)
        unlink(self, missing_ok)

    monkeypatch.setattr(Path, "unlink", too_late)
    record(root, page, CPU, SAME[0], CURVE)
    assert printed(root, page, CPU) == [SAME[0], CURVE]


def test_recordings_are_readable_by_whoever_checks_them_out(root: Path, page: Page) -> None:
    """A temporary file is readable only by its owner."""
    path = record(root, page, CPU, *SAME)
    assert all(one.stat().st_mode & 0o444 == 0o444 for one in (path, *figure_files(path)))


def test_a_file_is_the_same_text_however_often_it_is_recorded(root: Path, page: Page) -> None:
    """What a review shows is a change of an output, and no other."""
    path = record(root, page, CPU, *SAME)
    record(root, page, H100, *SAME)
    before = path.read_text(encoding="utf-8")
    for where in (H100, CPU):
        record(root, page, replace(where, day="2026-12-24"), *SAME)
    assert path.read_text(encoding="utf-8") == before
    assert json.loads(before)["format"] == 3
