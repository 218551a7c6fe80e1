"""A recording: what it keeps, when it is stale, and how it is told that it was damaged."""

from __future__ import annotations

import json
import os
import shutil
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from same_device_site.settings import parse_page
from samedevice.errors import RecordingError
from samedevice.outputs.checks import damaged
from samedevice.outputs.cleaning import clean
from samedevice.outputs.environments import Environment
from samedevice.outputs.output import Figure, Output, Raised
from samedevice.outputs.recording_files import load, place, save
from samedevice.outputs.recordings import Recording, State, update
from samedevice.pages.page import Page
from samedevice.temporary import write_atomically

SAMPLES = Path(__file__).parents[1].joinpath("samples") / "recording"
HERE = Environment("cuda", "NVIDIA H200", "2.13.0+cu130", "3.11.7", "580.95.05", "2026-11-21")
LINE = Figure("<svg>line</svg>", "A line.")
OUTPUTS = (Output("one\n"), Output(value="2"), Output(figures=(LINE,)))

Write = Callable[..., Page]


def page_of(write: Write, *codes: str) -> Page:
    """A page of these blocks."""
    return write("\n".join(f"```python\n{code}\n```\n" for code in codes))


@pytest.fixture
def page(write: Write) -> Page:
    """A page of three blocks."""
    return page_of(write, "one", "two", "three")


@pytest.fixture
def recording(page: Page) -> Recording:
    """A recording of that page, made on a GPU."""
    found = update(None, page, HERE, OUTPUTS)
    assert found is not None
    return found


@pytest.fixture
def path(root: Path, page: Page, recording: Recording) -> Path:
    """The file of that recording."""
    path = place(root / "recordings", HERE.folder, page)
    save(path, recording)
    return path


def states(recording: Recording, page: Page) -> list[State]:
    """What a recording has to say of each block of a page."""
    return [recording.find(page, block.index).state for block in page.blocks]


def test_a_recording_comes_back_as_it_was_saved(path: Path, recording: Recording, page: Page) -> None:
    """Nothing that was recorded may be lost."""
    found = load(path)
    assert found == recording
    assert states(recording, page) == [State.FRESH] * 3
    assert [entry.output for entry in recording.entries] == list(OUTPUTS)


def test_a_recording_has_a_place_by_environment_and_page(write: Write, root: Path) -> None:
    """A person finds it by the page's name."""
    page = write("", "docs/tensors/creating.md")
    assert place(root, "cpu-2.13.0", page) == root / "cpu-2.13.0/tensors/creating.json"


def test_a_recording_of_today_is_read_tomorrow(tmp_path: Path) -> None:
    """The format and the hashes are a promise: if this fails, every recording in the repository is worthless."""
    shutil.copytree(SAMPLES, tmp_path / "samples")
    page = parse_page(tmp_path / "samples/docs/page.md", tmp_path / "samples")
    path = tmp_path / "samples/page.json"
    before = path.read_bytes()
    found = load(path)
    assert found is not None
    assert states(found, page) == [State.FRESH] * 4
    assert found.entries[1].output.raised == Raised("ZeroDivisionError", "division by zero")
    assert found.entries[2].output.figures[0].svg.startswith("<svg")
    save(path, found)
    assert path.read_bytes() == before


def test_where_there_is_no_recording_none_is_found(tmp_path: Path) -> None:
    """It is missing, not damaged."""
    assert load(tmp_path / "none.json") is None


def test_changed_code_makes_its_block_and_the_later_ones_stale(recording: Recording, write: Write) -> None:
    """An output that was not recorded for the code as it now stands is never shown as if it were."""
    assert states(recording, page_of(write, "one", "2", "three")) == [State.FRESH, State.STALE, State.STALE]


def test_a_block_added_at_the_end_is_missing(recording: Recording, write: Write) -> None:
    """It was never recorded; the others are what they were."""
    found = states(recording, page_of(write, "one", "two", "three", "four"))
    assert found == [State.FRESH, State.FRESH, State.FRESH, State.MISSING]


def test_a_block_that_was_never_recorded_is_missing_and_not_stale(write: Write) -> None:
    """One GPU leaves out the blocks for two; what it never ran was not "recorded for earlier code"."""
    infos = ("", 'needs="2 cuda"', "")
    page = write("\n".join(f"```python {info}\nx\n```\n" for info in infos))
    recording = update(None, page, HERE, (OUTPUTS[0], None, OUTPUTS[1]))
    assert recording is not None
    assert states(recording, page) == [State.FRESH, State.MISSING, State.FRESH]


def leaves(found: Any, *path: Any) -> Iterator[tuple[Any, ...]]:
    """The way to each value in a nest of lists and dictionaries."""
    if isinstance(found, (dict, list)):
        for key in found if isinstance(found, dict) else range(len(found)):
            yield from leaves(found[key], *path, key)
    else:
        yield path


EXAMPLE = json.loads((SAMPLES / "page.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("way", list(leaves(EXAMPLE)), ids=lambda way: ".".join(map(str, way)))
def test_a_value_changed_by_hand_is_noticed(tmp_path: Path, way: tuple[Any, ...]) -> None:
    """A recording is evidence: whoever edits one must be found out, on machines without that device too."""
    shutil.copytree(SAMPLES, tmp_path / "samples")
    path = tmp_path / "samples/page.json"
    found = at = json.loads(path.read_text(encoding="utf-8"))
    for key in way[:-1]:
        at = at[key]
    at[way[-1]] = at[way[-1]] + 1 if isinstance(at[way[-1]], int) else f"{at[way[-1]]}x"
    path.write_text(json.dumps(found), encoding="utf-8")
    page = parse_page(tmp_path / "samples/docs/page.md", tmp_path / "samples")
    assert complaint(path, page).startswith(("tests/recordings/h200/page.json: ", "docs/page.md:"))


def complaint(path: Path, page: Page) -> str:
    """What a person is told of a recording that was changed by hand."""
    try:
        recording = load(path, "tests/recordings/h200/page.json")
        return "\n".join(damaged(page, recording)) if recording else ""
    except RecordingError as error:
        return str(error)


def test_a_figure_changed_by_hand_is_noticed(path: Path, page: Page) -> None:
    """The picture is part of the output."""
    (figure,) = path.parent.glob("*.svg")
    figure.write_text("<svg>lime</svg>", encoding="utf-8")
    found = load(path)
    assert found is not None
    assert states(found, page) == [State.FRESH, State.FRESH, State.DAMAGED]


@pytest.mark.parametrize("inside", ['<g onload="alert(1)"/>', "<script>alert(1)</script>", "</svg><iframe/><svg>"])
def test_a_forged_figure_is_noticed_although_its_seal_is_right(page: Page, root: Path, inside: str) -> None:
    """Who can forge a figure can compute a seal; the figure would act on the page."""
    outputs = (*OUTPUTS[:2], Output(figures=(Figure(f"<svg>{inside}</svg>", "A line."),)))
    forged = update(None, page, HERE, outputs)
    assert forged is not None
    path = place(root / "recordings", "cuda", page)
    save(path, forged)
    found = load(path)
    assert found is not None
    assert states(found, page) == [State.FRESH, State.FRESH, State.DAMAGED]
    assert len(damaged(page, found)) == 1


DAMAGES: dict[str, Callable[[bytes], bytes]] = {
    "empty": lambda content: b"",
    "half": lambda content: content[: len(content) // 2],
    "without its last brace": lambda content: content.rstrip()[:-1],
    "binary": lambda content: b"\xff\xfe\x00" + content,
    "zeros": lambda content: bytes(len(content)),
    "merge conflict": lambda content: b"<<<<<<< HEAD\n" + content,
    "a list": lambda content: b"[]",
    "a word": lambda content: b'"format"',
    "another format": lambda content: content.replace(b'"format": 2', b'"format": 99'),
    "no environment": lambda content: content.replace(b'"environment"', b'"environmint"'),
    "an unknown field": lambda content: content.replace(b'"driver"', b'"drivel"'),
    "an output that is a list": lambda content: content.replace(b'"output": {', b'"output": [], "x": {', 1),
    "an output that is a text": lambda content: content.replace(b'"output": {', b'"output": "one", "x": {', 1),
    "a block that is a number": lambda content: content.replace(b'"blocks": [', b'"blocks": [1,'),
    "an unknown device": lambda content: content.replace(b'"device": "cuda"', b'"device": "cudb"'),
}


@pytest.mark.parametrize("damage", DAMAGES.values(), ids=DAMAGES.keys())
def test_a_recording_that_cannot_be_read_is_an_error_that_names_the_file(
    path: Path, damage: Callable[[bytes], bytes]
) -> None:
    """A recording is not made again by itself: someone has to know, and to know what to do."""
    path.write_bytes(damage(path.read_bytes()))
    with pytest.raises(RecordingError) as caught:
        load(path, "tests/recordings/h200/page.json")
    message = str(caught.value)
    assert message.startswith("tests/recordings/h200/page.json: ")
    assert message.endswith("; bring it back with git checkout, or delete it and record again")


def test_a_truncated_recording_is_an_error_that_names_the_line(path: Path) -> None:
    """That is where to look."""
    content = path.read_text(encoding="utf-8")
    path.write_text(content[: content.index('"seal"')], encoding="utf-8")
    line = content[: content.index('"seal"')].count("\n") + 1
    with pytest.raises(RecordingError, match=rf"page\.json: is damaged \(it is no JSON .*line {line} column"):
        load(path)


def test_a_missing_figure_is_an_error(path: Path) -> None:
    """It was not committed, or deleted by hand."""
    (figure,) = path.parent.glob("*.svg")
    figure.unlink()
    with pytest.raises(RecordingError, match="is damaged"):
        load(path)


def test_a_run_that_prints_the_same_changes_nothing(recording: Recording, page: Page) -> None:
    """A new day alone is no reason for a commit."""
    later = Environment("cuda", "NVIDIA H200", "2.13.0+cu130", "3.11.7", "580.95.05", "2026-12-24")
    assert update(recording, page, later, OUTPUTS) is None


def test_a_run_with_another_version_is_recorded(recording: Recording, page: Page) -> None:
    """The origin that stands beside the output must be true."""
    newer = Environment("cuda", "NVIDIA H200", "2.14.0+cu130", "3.11.7", "580.95.05", "2026-12-24")
    found = update(recording, page, newer, OUTPUTS)
    assert found is not None
    assert found.environment == newer


def test_what_another_machine_printed_is_not_shown_as_printed_by_this_one(write: Write) -> None:
    """A time measured on one GPU beside the name of another would be a false claim."""
    page = write('```python numbers="vary"\none\n```\n\n```python numbers="vary"\ntwo\n```\n')
    old = update(None, page, HERE, (Output("took 1.5 s"), Output("took 3.5 s")))
    other = Environment("cuda", "NVIDIA T4", "2.13.0+cu130", "3.11.7", "580.95.05", "2026-11-21")
    whole = update(old, page, other, (Output("took 9.5 s"), Output("took 7.5 s")))
    assert whole is not None
    assert [entry.output.text for entry in whole.entries] == ["took 9.5 s", "took 7.5 s"]
    part = update(old, page, other, (Output("took 9.5 s"), None))
    assert part is not None
    assert "took 3.5 s" not in [entry.output.text for entry in part.entries]


def test_an_output_that_compares_equal_stays_as_it_was_recorded(write: Write) -> None:
    """Otherwise each recording run would change all the times on all the pages."""
    page = write('```python numbers="vary"\none\n```\n\n```python\ntwo\n```\n')
    old = update(None, page, HERE, (Output("took 1.5 s"), Output("a")))
    new = update(old, page, HERE, (Output("took 2.5 s"), Output("b")))
    assert new is not None
    assert [entry.output.text for entry in new.entries] == ["took 1.5 s", "b"]


def test_blocks_that_were_not_run_keep_what_is_recorded_of_them(recording: Recording, page: Page, write: Write) -> None:
    """Recording one block must not throw away the others."""
    found = update(recording, page, HERE, (Output("uno\n"), None, None))
    assert found is not None
    assert [entry.output for entry in found.entries] == [Output("uno\n"), *OUTPUTS[1:]]
    changed = page_of(write, "one", "2", "three")
    found = update(recording, changed, HERE, (OUTPUTS[0], None, None))
    assert found is not None
    assert states(found, changed)[0] is State.FRESH
    assert State.FRESH not in states(found, changed)[1:]


def test_a_damaged_entry_is_replaced_by_a_run(path: Path, page: Page) -> None:
    """Recording again is one of the two ways out that the error names."""
    path.write_text(path.read_text(encoding="utf-8").replace('"one\\n"', '"uno\\n"'), encoding="utf-8")
    old = load(path)
    assert old is not None
    assert states(old, page)[0] is State.DAMAGED
    for printed in ("one\n", "uno\n"):
        new = update(old, page, HERE, (Output(printed), *OUTPUTS[1:]))
        assert new is not None
        assert states(new, page) == [State.FRESH] * 3


def test_saving_leaves_only_the_figures_in_use(path: Path, page: Page, recording: Recording) -> None:
    """Old pictures would pile up in the repository; those of other pages are not ours."""
    other = path.parent / "page2@000000000000.svg"
    other.write_text("<svg/>", encoding="utf-8")
    (old,) = path.parent.glob("page@*.svg")
    new = update(recording, page, HERE, (*OUTPUTS[:2], Output(figures=(Figure("<svg>curve</svg>", "A curve."),))))
    assert new is not None
    save(path, new)
    assert not old.exists()
    assert other.exists()
    assert load(path) == new


def test_text_that_utf_8_cannot_hold_does_not_break_saving(tmp_path: Path, page: Page) -> None:
    """One strange file name in an error message must not cost the recording of a whole page."""
    message = clean("a\udcffb", {})
    found = update(None, page, HERE, (Output(raised=Raised("ValueError", message)), *OUTPUTS[1:]))
    assert found is not None
    save(tmp_path / "page.json", found)
    assert states(load(tmp_path / "page.json") or found, page) == [State.FRESH] * 3


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
    path: Path, recording: Recording, page: Page, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two builds at once both find the old picture, and only one can remove it."""
    new = update(recording, page, HERE, (*OUTPUTS[:2], Output(figures=(Figure("<svg>curve</svg>", "A curve."),))))
    assert new is not None
    unlink = Path.unlink

    def too_late(self: Path, missing_ok: bool = False) -> None:
        os.remove(self)
        unlink(self, missing_ok)

    monkeypatch.setattr(Path, "unlink", too_late)
    save(path, new)
    assert load(path) == new


def test_recordings_are_readable_by_whoever_checks_them_out(path: Path) -> None:
    """A temporary file is readable only by its owner."""
    assert path.stat().st_mode & 0o444 == 0o444
