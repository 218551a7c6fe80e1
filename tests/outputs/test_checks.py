"""A verdict: the sentence that a person reads when an output is not what its block or its recording says."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from samedevice.outputs.checks import compare, fails_as_known, fault
from samedevice.outputs.environments import Environment
from samedevice.outputs.output import Figure, Output, Raised
from samedevice.outputs.recordings import Recording, block_statuses, update
from samedevice.pages.page import Page

HERE = Environment("cpu", "EPYC 9B14", "2.13.0+cpu", "3.11.7", "", "2026-11-21")
COMMAND = "pytest docs/page.md --device cpu --record"

Write = Callable[..., Page]


@pytest.mark.parametrize(
    ("info", "output", "message"),
    [
        ("", Output("fine\n"), ""),
        ("", Output(died="ended its process with signal SIGSEGV"), " on cpu ended its process with signal SIGSEGV"),
        ("", Output(raised=Raised("KeyError", "'a'", "Traceback\n")), " on cpu raised KeyError: 'a'\n\nTraceback"),
        ('raises="KeyError"', Output(raised=Raised("KeyError", "'a'")), ""),
        (
            'raises="ValueError"',
            Output(raised=Raised("KeyError", "'a'", "Traceback\n")),
            " on cpu raised KeyError instead of ValueError: 'a'\n\nTraceback",
        ),
        (
            'raises="ValueError"',
            Output("fine\n"),
            " on cpu did not raise ValueError, although it says so; mend the block or its raises=",
        ),
        ('raises="RuntimeError"', Output(raised=Raised("NotImplementedError", "no", announced="RuntimeError")), ""),
        (
            'raises="ValueError"',
            Output(raised=Raised("NotImplementedError", "no", "Traceback", announced="RuntimeError")),
            " on cpu raised NotImplementedError instead of ValueError: no\n\nTraceback",
        ),
        ('raises="cuda: ValueError"', Output("fine\n"), ""),
        (
            'raises="cuda: ValueError"',
            Output(raised=Raised("ValueError", "bad", "Traceback")),
            " on cpu raised ValueError: bad\n\nTraceback",
        ),
        (
            "",
            Output(figures=(Figure("<svg/>", ""),)),
            ' draws a figure; add alt="..." to its fence, a sentence that says what it shows',
        ),
        ('alt="A line."', Output(figures=(Figure("<svg/>", "A line."),)), ""),
    ],
)
def test_what_is_wrong_with_an_output_by_itself(write: Write, info: str, output: Output, message: str) -> None:
    """An exception is an error unless it is announced; one that is announced and does not come is an error too."""
    (block,) = write(f"# Title\n\n```python {info}\nx\n```\n").blocks
    assert fault(block, "cpu", output) == (f"docs/page.md:3{message}" if message else "")


@pytest.fixture
def page(write: Write) -> Page:
    """A page of two blocks."""
    return write("```python\none\n```\n\n```python\ntwo\n```\n")


@pytest.fixture
def recording(page: Page) -> Recording:
    """A recording of that page."""
    found = update(None, page, HERE, (Output("1\n"), Output("2.5000\n")))
    assert found is not None
    return found


def told(page: Page, index: int, now: str, recording: Recording | None) -> str:
    """The message for a block that printed this."""
    return compare(page, page.blocks[index], HERE, Output(now), [recording] if recording else []).wrong


def test_an_output_as_recorded_is_right(page: Page, recording: Recording) -> None:
    """Numbers count at the precision printed."""
    assert told(page, 0, "1\n", recording) == ""
    assert told(page, 1, "2.50000\n", recording) == ""


def test_another_output_is_shown_with_the_code_and_what_differs(page: Page, recording: Recording) -> None:
    """Page, line, origin, code, difference and the next step: all that a person needs to decide who is right."""
    assert told(page, 1, "2.75\n", recording) == (
        "docs/page.md:5 on cpu: not what was recorded (EPYC 9B14, PyTorch 2.13.0+cpu, 2026-11-21)\n\n"
        "two\n\n--- recorded\n+++ now\n@@ -1 +1 @@\n-2.5000\n+2.75\n\n"
        f"If the new output is right, run {COMMAND}"
    )


def test_a_block_without_a_recording_says_how_to_make_one(page: Page, write: Write, recording: Recording) -> None:
    """A new page fails until someone has looked at its outputs."""
    assert told(page, 0, "1\n", None) == f"docs/page.md:1 has no recording for cpu; run {COMMAND}"
    longer = write(f"{page.text}\n```python\nthree\n```\n")
    assert told(longer, 2, "3\n", recording) == f"docs/page.md:9 has no recording for cpu; run {COMMAND}"


def test_a_block_that_changed_since_says_so(page: Page, write: Write, recording: Recording) -> None:
    """Even if it prints the same: what was recorded belongs to other code."""
    changed = write(page.text.replace("two", "2"))
    message = f"docs/page.md:5 was recorded on cpu for other code than it has now; run {COMMAND}"
    assert told(changed, 0, "1\n", recording) == ""
    assert told(changed, 1, "2.5000\n", recording) == message


def test_a_failing_block_shows_what_it_had_printed(page: Page) -> None:
    """A program that ends with status 1 says why in what it prints, and nowhere else."""
    block = page.blocks[0]
    found = fault(block, "cpu", Output(text="no free port\n", raised=Raised("SystemExit", "1")))
    assert found == "docs/page.md:1 on cpu raised SystemExit: 1\n\nIt had printed:\nno free port"
    found = fault(block, "cpu", Output(text="half\n", died="ended its process with signal SIGSEGV"))
    assert found.endswith("SIGSEGV\n\nIt had printed:\nhalf")


OTHER = replace(HERE, torch="2.15.0+cu132")
THIRD = replace(HERE, torch="2.11.0+cu130")


def made(page: Page, where: Environment, *texts: str) -> Recording:
    """A recording of a page with these outputs."""
    found = update(None, page, where, [Output(text) for text in texts])
    assert found is not None
    return found


def test_the_recording_of_the_same_environment_decides(page: Page) -> None:
    """What another version printed is no excuse where this one was recorded."""
    recordings = [made(page, OTHER, "1\n", "3\n"), made(page, HERE, "1\n", "2\n")]
    assert compare(page, page.blocks[0], HERE, Output("1\n"), recordings).matched == HERE
    verdict = compare(page, page.blocks[1], HERE, Output("3\n"), recordings)
    assert verdict.wrong.startswith("docs/page.md:5 on cpu: not what was recorded (EPYC 9B14, PyTorch 2.13.0+cpu, ")


def test_a_version_that_is_not_recorded_may_print_what_any_other_printed(page: Page) -> None:
    """So the pages pass with 2.14, where it does what 2.13 or 2.15 did, before anybody has recorded it."""
    recordings = [made(page, OTHER, "1\n", "3\n"), made(page, THIRD, "1\n", "2\n")]
    assert compare(page, page.blocks[1], HERE, Output("2\n"), recordings).matched == THIRD
    assert compare(page, page.blocks[1], HERE, Output("3\n"), recordings).matched == OTHER
    verdict = compare(page, page.blocks[1], HERE, Output("4\n"), recordings)
    assert verdict.matched is None
    assert verdict.wrong == (
        "docs/page.md:5 on cpu: not what was recorded (EPYC 9B14, PyTorch 2.11.0+cu130, 2026-11-21), "
        "nor what any other environment printed\n\ntwo\n\n--- recorded\n+++ now\n@@ -1 +1 @@\n-2\n+4\n\n"
        f"If this is what cpu-2.13.0+cpu prints, run {COMMAND}"
    )


def test_another_kind_of_device_is_no_witness(page: Page) -> None:
    """A GPU prints what a GPU prints."""
    gpu = replace(HERE, device="cuda", name="NVIDIA T4")
    verdict = compare(page, page.blocks[0], HERE, Output("1\n"), [made(page, gpu, "1\n", "2\n")])
    assert verdict.wrong == f"docs/page.md:1 has no recording for cpu; run {COMMAND}"


def test_a_stale_recording_lets_another_environment_speak(page: Page, write: Write) -> None:
    """After an edit only one version may have been recorded; the others compare with that until they are."""
    changed = write(page.text.replace("two", "2"))
    recordings = [made(changed, OTHER, "1\n", "2\n"), made(page, HERE, "1\n", "2\n")]
    assert compare(changed, changed.blocks[1], HERE, Output("2\n"), recordings).matched == OTHER


GPU = replace(HERE, device="cuda", name="NVIDIA H100", torch="2.11.0+cu130")


def test_a_block_that_uses_no_gpu_may_print_what_a_cpu_printed(page: Page) -> None:
    """Nothing is recorded of it under a GPU's name; on a machine with one it prints what it prints everywhere."""
    cpu = made(page, HERE, "1\n", "2\n")
    gpu = update(None, page, GPU, [Output("1\n", used=False), Output("5\n")], others=[cpu])
    assert gpu is not None
    recordings, block = [gpu, cpu], page.blocks[0]
    assert compare(page, block, GPU, Output("1\n", used=False), recordings).matched == HERE
    assert compare(page, block, GPU, Output("1\n", used=False), [cpu]).matched == HERE
    assert compare(page, page.blocks[1], GPU, Output("2\n", used=True), recordings).wrong
    now = compare(page, block, GPU, Output("4\n", used=False), recordings).wrong
    assert now == (
        "docs/page.md:1 did not use cuda when it was recorded, or printed what a CPU prints, "
        "and now that is different; run pytest docs/page.md --device cuda --record"
    )


def test_a_block_that_failed_when_it_was_recorded_is_known_to_fail(page: Page, recording: Recording) -> None:
    """It fails again without surprise; a stale or a missing recording says nothing of it."""
    failed = update(None, page, OTHER, [Output(raised=Raised("KeyError", "'a'")), Output("2.5000\n")])
    assert failed is not None
    statuses = [block_statuses(page, index, "cpu", [failed, recording]) for index in (0, 1)]
    assert [fails_as_known(block, "cpu", one) for block, one in zip(page.blocks, statuses, strict=True)] == [
        True,
        False,
    ]
