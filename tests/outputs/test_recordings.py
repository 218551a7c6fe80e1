"""A recording: what it keeps of a run, and of which block of a page it is true."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from samedevice.outputs.environments import Environment
from samedevice.outputs.output import VARIES, Figure, Output, Raised
from samedevice.outputs.recordings import (
    RecordedBlock,
    Recording,
    State,
    block_statuses,
    combined,
    overall_state,
    update,
    uses,
)
from samedevice.pages.page import Page

HERE = Environment("cuda", "NVIDIA H200", "2.13.0+cu130", "3.11.7", "580.95.05", "2026-11-21")
CPU = Environment("cpu", "EPYC", "2.13.0+cpu", "3.11.7", "", "2026-11-21")
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
    return recorded(page, HERE, *OUTPUTS)


def recorded(page: Page, where: Environment, *outputs: Output | None, others: tuple[Recording, ...] = ()) -> Recording:
    """What an environment has to say of a page after its first run."""
    found = update(None, page, where, outputs, others=others)
    assert found is not None
    return found


def states(recording: Recording, page: Page) -> list[State]:
    """What a recording has to say of each block of a page."""
    return [recording.find(page, block.index).state for block in page.blocks]


def texts(recording: Recording) -> list[str]:
    """What it has of each block that ran."""
    return [entry.output.text for entry in recording.entries if entry.output]


def test_changed_code_makes_its_block_and_the_later_ones_stale(recording: Recording, write: Write) -> None:
    """An output that was not recorded for the code as it now stands is never shown as if it were."""
    assert states(recording, page_of(write, "one", "2", "three")) == [State.FRESH, State.STALE, State.STALE]


def test_a_changed_comment_makes_nothing_stale(recording: Recording, write: Write) -> None:
    """It cannot change an output, and nobody can run that GPU again."""
    assert states(recording, page_of(write, "one  # uno", "# due\ntwo", "(\n    three\n)")) == [State.FRESH] * 3


def test_a_block_added_at_the_end_is_missing(recording: Recording, write: Write) -> None:
    """It was never recorded; the others are what they were."""
    found = states(recording, page_of(write, "one", "two", "three", "four"))
    assert found == [State.FRESH, State.FRESH, State.FRESH, State.MISSING]


def test_a_block_that_was_never_recorded_is_missing_and_not_stale(write: Write) -> None:
    """One GPU leaves out the blocks for two; what it never ran was not "recorded for earlier code"."""
    infos = ("", 'needs="2 cuda"', "")
    page = write("\n".join(f"```python {info}\nx\n```\n" for info in infos))
    recording = recorded(page, HERE, OUTPUTS[0], None, OUTPUTS[1])
    assert states(recording, page) == [State.FRESH, State.MISSING, State.FRESH]


def test_an_output_is_stale_once_a_file_that_its_program_read_has_changed(recording: Recording, page: Page) -> None:
    """Whoever reads the file says so; here and wherever else it is shown, it is not this program's any more."""
    changed = Recording(HERE, (recording.entries[0], replace(recording.entries[1], changed=True)))
    assert states(changed, page)[:2] == [State.FRESH, State.STALE]
    assert changed.find(page, 1).output is None


@pytest.mark.parametrize(
    "output",
    [
        Output('  File "docs/page.md", line 2, in f\n'),
        Output(raised=Raised("SyntaxError", "bad (docs/page.md, line 2)")),
        Output("docs/page.md:2: UserWarning: old\n"),
    ],
    ids=["traceback", "exception", "warning"],
)
def test_an_output_that_names_a_line_of_the_page_is_true_of_that_place_alone(write: Write, output: Output) -> None:
    """The program is the same below another sentence, and prints another number."""
    page = page_of(write, "one", "two")
    recording = recorded(page, HERE, Output("1"), output)
    assert states(recording, page) == [State.FRESH] * 2
    assert states(recording, write(f"A sentence.\n\n{page.text}")) == [State.FRESH, State.STALE]
    assert states(recording, page_of(write, "one", "two  # 2"))[1] is State.STALE


def test_two_blocks_of_one_program_have_an_output_each(write: Write) -> None:
    """Two measurements of it are two numbers."""
    page = write('## A\n\n```python numbers="vary"\ntime()\n```\n\n## B\n\n```python numbers="vary"\ntime()\n```\n')
    recording = recorded(page, HERE, Output("1 s"), Output("2 s"))
    assert [recording.find(page, index).output for index in (0, 1)] == [Output("1 s"), Output("2 s")]
    one = write('## A\n\n```python numbers="vary"\ntime()\n```\n')
    assert recording.find(one, 0).output == Output("1 s")


def test_a_block_that_used_no_gpu_and_printed_what_a_cpu_prints_is_unused(page: Page) -> None:
    """ "CUDA" above a text that never touched a GPU was false of 1,092 of 1,408 outputs."""
    cpu = recorded(page, CPU, Output("1"), Output("2"), Output("3"))
    outputs = Output("1", used=False), Output("5", used=False), Output("3", used=True)
    recording = recorded(page, HERE, *outputs, others=(cpu,))
    assert states(recording, page) == [State.UNUSED, State.FRESH, State.FRESH]
    assert recording.find(page, 0).output is None
    assert [entry.output and entry.output.text for entry in recording.entries] == [None, "5", "3"]
    assert states(recorded(page, HERE, *outputs), page) == [State.FRESH] * 3


def test_the_cpu_is_always_used(page: Page) -> None:
    """Its outputs are what the others are compared with."""
    cpu = recorded(page, CPU, *(Output(str(number), used=False) for number in range(3)))
    assert states(cpu, page) == [State.FRESH] * 3


def test_of_whether_a_block_uses_a_gpu_a_simulated_one_is_a_witness(page: Page) -> None:
    """Of code, it says so as well as a real one; what neither ran may use it."""
    cpu = recorded(page, CPU, Output("1"), Output("2"), Output("3"))
    simulated = replace(HERE, simulated=True)
    unused = recorded(page, simulated, Output("1", used=False), Output("2", used=True), None, others=(cpu,))
    recordings = [unused, cpu]
    assert [uses(page, index, "cuda", recordings) for index in range(3)] == [False, True, True]


def test_recordings_of_simulated_devices_are_asked_for_by_name(page: Page, recording: Recording) -> None:
    """A simulated output is never mixed with a real one."""
    simulated = Recording(replace(HERE, simulated=True), recording.entries)
    for wanted, found in ((False, recording), (True, simulated)):
        (status,) = block_statuses(page, 0, "cuda", [simulated, recording], wanted)
        assert status.environment == found.environment


def test_a_block_is_fresh_if_one_environment_says_so(page: Page, recording: Recording, write: Write) -> None:
    """The best that is known of it is shown; a page counts a block once."""
    edited = page_of(write, "one", "2", "three")
    other = recorded(edited, replace(HERE, torch="2.15.0+cu132"), Output("1"), Output("2"), None)
    found = [overall_state(block_statuses(edited, index, "cuda", [other, recording])) for index in range(3)]
    assert found == [State.FRESH, State.FRESH, State.STALE]
    assert overall_state(()) is State.MISSING


def test_a_run_that_prints_the_same_changes_nothing(recording: Recording, page: Page) -> None:
    """A new day alone is no reason for a commit."""
    assert update(recording, page, replace(HERE, day="2026-12-24"), OUTPUTS) is None


def test_a_run_with_another_version_is_recorded(recording: Recording, page: Page) -> None:
    """The origin that stands beside the output must be true."""
    newer = replace(HERE, torch="2.14.0+cu130", day="2026-12-24")
    found = update(recording, page, newer, OUTPUTS)
    assert found is not None
    assert found.environment == newer


def test_what_another_machine_printed_is_not_shown_as_printed_by_this_one(write: Write) -> None:
    """A time measured on one GPU beside the name of another would be a false claim."""
    page = write('```python numbers="vary"\none\n```\n\n```python numbers="vary"\ntwo\n```\n')
    old = recorded(page, HERE, Output("took 1.5 s"), Output("took 3.5 s"))
    other = replace(HERE, name="NVIDIA T4")
    whole = update(old, page, other, (Output("took 9.5 s"), Output("took 7.5 s")))
    assert whole is not None
    assert texts(whole) == ["took 9.5 s", "took 7.5 s"]
    part = update(old, page, other, (Output("took 9.5 s"), None))
    assert part is not None
    assert texts(part) == ["took 9.5 s"]


def test_an_output_that_compares_equal_stays_as_it_was_recorded(write: Write) -> None:
    """Otherwise each recording run would change all the times on all the pages."""
    page = write('```python numbers="vary"\none\n```\n\n```python\ntwo\n```\n')
    old = recorded(page, HERE, Output("took 1.5 s"), Output("a"))
    new = update(old, page, HERE, (Output("took 2.5 s"), Output("b")))
    assert new is not None
    assert texts(new) == ["took 1.5 s", "b"]


def test_an_output_that_compares_equal_is_recorded_with_what_it_read_now(page: Page, recording: Recording) -> None:
    """Else it would be stale for ever, since the file that it read is another one now."""
    now = replace(OUTPUTS[0], read=(("data/x.csv", "0" * 16),))
    new = update(recording, page, HERE, (now, *OUTPUTS[1:]))
    assert new is not None
    assert [entry.read for entry in new.entries] == [(("data/x.csv", "0" * 16),), (), ()]
    assert update(new, page, HERE, (now, *OUTPUTS[1:])) is None


def test_what_read_a_file_that_has_changed_is_recorded_anew(page: Page, recording: Recording) -> None:
    """What was kept is not true any more, and a block that did not run has nothing in its place."""
    old = Recording(HERE, tuple(replace(entry, changed=True) for entry in recording.entries))
    new = update(old, page, HERE, (Output("uno\n"), None, None))
    assert new is not None
    assert texts(new) == ["uno\n"]


def test_an_output_that_is_never_the_same_twice_stays(page: Page) -> None:
    """It is neither shown nor compared."""
    old = recorded(page, HERE, Output(died=VARIES), *OUTPUTS[1:])
    assert update(old, page, HERE, (Output("x"), *OUTPUTS[1:])) is None


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


def test_what_a_simulated_device_is_not_sure_of_is_left_out(page: Page, recording: Recording) -> None:
    """Also where it was recorded before that was known."""
    found = update(recording, page, HERE, OUTPUTS, unsure={1})
    assert found is not None
    assert states(found, page) == [State.FRESH, State.MISSING, State.FRESH]


def test_two_recordings_of_an_environment_are_one(page: Page, recording: Recording, write: Write) -> None:
    """An archive comes back with what a page now has, and with less of it than is recorded here."""
    longer = page_of(write, "one", "two", "three", "four")
    new = recorded(longer, replace(HERE, day="2026-12-24"), Output("uno\n"), None, None, Output("4"))
    found = combined(longer, new, recording)
    assert found.environment == new.environment
    assert [entry.output for entry in found.entries] == [Output("uno\n"), *OUTPUTS[1:], Output("4")]


def test_an_entry_keeps_what_is_recorded_and_nothing_of_the_run(page: Page) -> None:
    """What a process opened, and where a trace ran, is no part of an output, and is not in the file."""
    output = Output("1", raised=Raised("E", "m", "trace"), unsure="?", lines=((1, "1"),), opened=("r /x",))
    entry = RecordedBlock.make(page, 0, "0" * 16, replace(output, read=(("x", "0" * 16),)))
    assert entry.output is not None
    assert (entry.output.unsure, entry.output.lines, entry.output.opened, entry.output.read) == ("", (), (), ())
    assert (entry.code, entry.read, entry.text) == ("one", (("x", "0" * 16),), "")
