"""Recordings of several environments: what they share on the disk, and that nothing of it gets lost."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from samedevice.errors import RecordingError
from samedevice.outputs.environments import Environment
from samedevice.outputs.output import Figure, Output
from samedevice.outputs.recording_files import load, load_all, paths, place, save
from samedevice.outputs.recordings import Recording, State, update
from samedevice.pages.page import Page

FOLDER = Path("tests/recordings")
OLD = Environment("cpu", "EPYC", "2.13.0+cpu", "3.11.7", "", "2026-11-21", "2.4.6")
NEW = replace(OLD, torch="2.15.0+cu132")
SAME = (Output("one\n" * 500), Output(figures=(Figure("<svg>line</svg>", "A line."),)))

Write = Callable[..., Page]


@pytest.fixture
def page(write: Write) -> Page:
    """A page of two blocks."""
    return write("```python\none\n```\n\n```python\ntwo\n```\n")


def record(root: Path, page: Page, where: Environment, *outputs: Output) -> Path:
    """Record a page as pytest does; the file."""
    path, every = place(root / FOLDER, where.folder, page), paths(root / FOLDER, page)
    found = update(load(path, among=every), page, where, outputs)
    assert found is not None
    save(path, found, every)
    return path


def printed(root: Path, page: Page, where: Environment) -> list[Output | None]:
    """What is recorded of a page's blocks in an environment, as it is shown."""
    recordings, errors = load_all(root, FOLDER, page)
    assert not errors
    (recording,) = (one for one in recordings if one.environment.folder == where.folder)
    return [recording.find(page, block.index).output for block in page.blocks]


def test_an_environment_that_agrees_is_a_third_of_the_first_one(root: Path, page: Page) -> None:
    """Four versions must not make the repository four times as large."""
    first, second = (record(root, page, where, *SAME) for where in (OLD, NEW))
    assert second.stat().st_size < first.stat().st_size / 3
    assert not list(second.parent.glob("*.svg"))
    assert printed(root, page, NEW) == printed(root, page, OLD) == list(SAME)
    assert load(second, among=paths(root / FOLDER, page)) == update(None, page, NEW, SAME)


def test_what_an_environment_alone_printed_is_in_its_own_file(root: Path, page: Page) -> None:
    """A reviewer reads there what is new."""
    record(root, page, OLD, *SAME)
    path = record(root, page, NEW, Output("mm: one\n"), SAME[1])
    assert [sorted(block) for block in json.loads(path.read_text())["blocks"]] == [
        ["code", "hash", "output", "seal"],
        ["hash", "seal"],
    ]


def test_recording_the_first_again_leaves_the_others_what_they_printed(root: Path, page: Page) -> None:
    """They share an output that it does not print any more."""
    record(root, page, OLD, *SAME)
    record(root, page, NEW, *SAME)
    other = (Output("uno\n"), Output(figures=(Figure("<svg>curve</svg>", "A curve."),)))
    record(root, page, OLD, *other)
    assert printed(root, page, OLD) == list(other)
    assert printed(root, page, NEW) == list(SAME)


def test_code_that_changed_is_stale_in_the_others_and_not_damaged(root: Path, page: Page, write: Write) -> None:
    """An author edits a page and records it with the PyTorch at hand."""
    record(root, page, OLD, *SAME)
    record(root, page, NEW, *SAME)
    edited = write(page.text.replace("two", "2"))
    record(root, edited, OLD, *SAME)
    newest, _ = load_all(root, FOLDER, edited)[0]
    assert newest.environment == NEW
    assert [newest.find(edited, index).state for index in (0, 1)] == [State.FRESH, State.STALE]


def test_an_output_whose_recording_was_deleted_is_told_and_not_shown(root: Path, page: Page) -> None:
    """It was kept there alone."""
    first = record(root, page, OLD, *SAME)
    record(root, page, NEW, *SAME)
    first.unlink()
    (recording,), _ = load_all(root, FOLDER, page)
    assert [recording.find(page, index).state for index in (0, 1)] == [State.DAMAGED] * 2
    record(root, page, NEW, *SAME)
    assert printed(root, page, NEW) == list(SAME)


def test_a_merge_that_mixes_two_machines_is_found(root: Path, page: Page) -> None:
    """Two branches record one page on two GPUs of one kind, and git takes the environment of one of them."""
    one = Environment("cuda", "NVIDIA H100 80GB HBM3", "2.13.0+cu130", "3.11.7", "580", "2026-11-21")
    other = replace(one, name="NVIDIA H100 PCIe")
    path = record(root, page, one, *SAME)
    mixed = load(path)
    assert mixed is not None
    save(path, Recording(other, mixed.entries))
    (recording,), _ = load_all(root, FOLDER, page)
    assert recording.find(page, 0).state is State.DAMAGED


@pytest.mark.parametrize("field", ["hash", "seal"])
def test_a_change_of_an_entry_without_an_output_of_its_own_is_told(root: Path, page: Page, field: str) -> None:
    """With another hash it would be taken for what is recorded of earlier code, and its output would be missed."""
    record(root, page, OLD, *SAME)
    path = record(root, page, NEW, *SAME)
    found = json.loads(path.read_text())
    assert "output" not in found["blocks"][1]
    found["blocks"][1][field] = "0" * len(found["blocks"][1][field])
    path.write_text(json.dumps(found), encoding="utf-8")
    (kept,), (error,) = load_all(root, FOLDER, page)
    assert kept.environment == OLD
    assert str(error).startswith(
        "tests/recordings/cpu-2.15.0+cu132/page.json: its block 2 was changed by hand; bring it"
    )


def test_an_entry_without_an_output_of_its_own_is_no_other_environments(root: Path, page: Page) -> None:
    """A merge may put it there."""
    record(root, page, OLD, *SAME)
    taken, path = (record(root, page, replace(OLD, torch=torch), *SAME) for torch in ("2.11.0+cu130", "2.15.0+cu132"))
    found = json.loads(path.read_text())
    found["blocks"][0] = json.loads(taken.read_text())["blocks"][0]
    path.write_text(json.dumps(found), encoding="utf-8")
    _, errors = load_all(root, FOLDER, page)
    assert ["its block 1 was changed by hand" in str(error) for error in errors] == [True]


def test_a_recording_in_the_folder_of_another_environment_is_an_error(root: Path, page: Page) -> None:
    """The folder is what pytest compares with."""
    path = record(root, page, OLD, *SAME)
    target = place(root / FOLDER, NEW.folder, page)
    target.parent.mkdir()
    path.rename(target)
    for figure in path.parent.glob("*.svg"):
        figure.rename(target.parent / figure.name)
    recordings, (error,) = load_all(root, FOLDER, page)
    assert recordings == ()
    assert str(error).endswith("2026-11-21 recorded it; move it to cpu-2.13.0+cpu with git mv")


@pytest.mark.parametrize(
    "content",
    [
        "[" * 100_000,
        '{"hash": [], "code": "one", "output": {}, "seal": ""}',
        '{"hash": "", "code": "one", "output": {}, "seal": {}}',
        '{"hash": "", "code": "one", "output": {"raised": {"type": [], "message": ""}}, "seal": ""}',
        '{"hash": "", "code": "one", "output": {"figures": [{"svg": 1, "alt": ""}]}, "seal": ""}',
    ],
    ids=["deep", "hash", "seal", "raised", "figure"],
)
def test_a_malformed_recording_is_an_error_that_names_it(root: Path, page: Page, content: str) -> None:
    """A traceback of the engine would say neither where nor what to do."""
    path = record(root, page, OLD, *SAME)
    found = json.loads(path.read_text())
    whole = json.dumps(found | {"blocks": []})
    path.write_text(content if content.startswith("[") else whole.replace('"blocks": []', f'"blocks": [{content}]'))
    with pytest.raises(RecordingError, match=r"is damaged .*bring it back with git checkout"):
        load(path)
    assert len(load_all(root, FOLDER, page)[1]) == 1


@pytest.mark.parametrize("name", ["a@b", "a?b", "a[b]", "a*", "a@b@c"])
def test_a_page_may_have_any_name(root: Path, write: Write, name: str) -> None:
    """Its figures are its own, and those of other pages stay."""
    page, other = (write("```python\none\n```\n", f"docs/{one}.md") for one in (name, "a'b"))
    figure = Output(figures=(Figure("<svg>line</svg>", "A line."),))
    for one in (other, page):
        record(root, one, OLD, figure)
        record(root, one, OLD, Output(figures=(Figure("<svg>curve</svg>", "A line."),)))
    for one in (other, page):
        assert printed(root, one, OLD) == [Output(figures=(Figure("<svg>curve</svg>", "A line."),))]
        assert len(list((root / FOLDER / OLD.folder).iterdir())) == 4
