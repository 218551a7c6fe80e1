"""The outputs of a site and recordings: what is shown of other devices, and which recordings are problems."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from made_build import COMMAND, CUDA, TWO, Build, Write, record, record_as_run, texts

from samedevice.outputs.environments import Environment
from samedevice.outputs.output import Output
from samedevice.outputs.recording_files import Recordings, place
from samedevice.outputs.recordings import update
from samedevice.pages.page import Page
from samedevice.project import RECORDINGS
from samedevice.running.section_runner import SectionRunner
from samedevice.weaving.panes import panes_of


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
    with SectionRunner(root) as sessions:
        run = sessions.run(page, "cpu")
    assert run.environment is not None
    record(root, page, *run.outputs, environment=run.environment)


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


UNREADABLE = "tests/recordings/page.json: cannot be read: "
DEUX = Output("deux\n")
ADVICE = "; bring it back with git checkout, or delete it and record again"


@pytest.mark.parametrize("device", ["cpu", "cuda"])
def test_a_recording_changed_by_hand_is_a_problem_on_every_machine(
    build: Build, write: Write, root: Path, device: str
) -> None:
    """Whoever forges one must be found out where the device is missing, too."""
    page = write(TWO)
    here = Environment(device, "chip", "2.13.0", "3.11.7", "", "2026-11-20")
    path = record(root, page, Output("one\n"), DEUX, environment=here)
    path.write_text(path.read_text().replace("deux", "two"))
    (shown,) = build(page)
    assert texts(shown) == [["cpu: one"], ["cpu: two"]]
    assert build.faults == [
        f"{UNREADABLE}outputs['{DEUX.digest}'] was changed by hand, or by a merge: "
        f"its name is no more the hash of what it says{ADVICE}"
    ]


@pytest.mark.parametrize("content", [b'{"format": 3,\n "blocks": [', b"\xff\xfe\x00"], ids=["truncated", "binary"])
def test_a_recording_that_cannot_be_read_is_a_problem_that_names_it(
    build: Build, write: Write, root: Path, content: bytes
) -> None:
    """The build goes on, and says which file to mend."""
    page = write(TWO)
    path = place(root / RECORDINGS, page)
    path.parent.mkdir(parents=True)
    path.write_bytes(content)
    (shown,) = build(page)
    assert texts(shown) == [["cpu: one"], ["cpu: two"]]
    (problem,) = build.faults
    assert problem.startswith(UNREADABLE)
    assert problem.endswith(ADVICE)


def test_what_used_no_gpu_is_not_shown_as_a_gpus(build: Build, write: Write, root: Path) -> None:
    """It is an output of that machine's CPU, and is shown as the CPU's; nothing is said to be missing."""
    page = write('```python\nprint("one")\n```\n\n```python compare="cuda"\nprint("two")\n```\n')
    cpu = Environment("cpu", "chip", "2.13.0", "3.11.7", "", "2026-11-20")
    record(root, page, Output("one\n"), Output("two\n"), environment=cpu)
    others = Recordings(root, RECORDINGS).load(page)[0]
    found = update(None, page, CUDA, [Output("one\n", used=False), Output("two\n", used=False)], others=others)
    assert found is not None
    Recordings(root, RECORDINGS).save(page, found)
    (shown,) = build(page)
    assert {text.partition(":")[0] for block in texts(shown) for text in block} == {"cpu"}


SIMULATED = replace(CUDA, name="Simulated GPU", simulated=True)


def test_a_real_device_takes_the_place_of_a_simulated_one_block_by_block(
    build: Build, write: Write, root: Path
) -> None:
    """What a GPU printed is never beside what was simulated, and a GPU's recording of some blocks hides no others."""
    page = write('```python needs="cuda"\nx = 1\n```\n\n```python needs="cuda"\nx\n```\n')
    record(root, page, Output("a"), Output("simulated"), environment=SIMULATED)
    (shown,) = build(page)
    assert texts(shown) == [["cuda: a"], ["cuda: simulated"]]
    record(root, page, Output("a"), None)
    (shown,) = build(page)
    assert [one.environment.simulated for ones in shown.values() for one in ones if one.environment] == [False, True]
    record(root, page, Output("a"), Output("real"))
    (shown,) = build(page)
    assert texts(shown) == [["cuda: a"], ["cuda: real"]]


def test_numbers_of_two_simulated_versions_are_never_under_one_label(build: Build, write: Write, root: Path) -> None:
    """They are no measurements: where they differ, PyTorch's code does."""
    page = write('```python needs="cuda" numbers="vary" simulated="yes"\nx\n```\n')
    older = replace(SIMULATED, torch="2.9.1+cu128")
    record(root, page, Output("8 MiB"), environment=SIMULATED)
    record(root, page, Output("4 MiB"), environment=older)
    (shown,) = build(page)
    assert [pane.label for pane in panes_of(page.blocks[0], shown[0])] == [
        "CUDA, simulated · PyTorch 2.13",
        "CUDA, simulated · PyTorch 2.9",
    ]


def test_no_page_shows_a_simulated_measurement(build: Build, write: Write, root: Path) -> None:
    """Not even where somebody recorded one: the fence decides."""
    page = write('```python needs="cuda" numbers="vary"\nx\n```\n')
    record(root, page, Output("0.1 ms"), environment=SIMULATED)
    (shown,) = build(page)
    assert texts(shown) == [["cuda: Needs CUDA; not recorded yet."]]
