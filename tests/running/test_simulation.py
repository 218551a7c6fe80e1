"""results: which outputs of a simulated device may stand for those of a real one."""

from __future__ import annotations

from collections.abc import Callable

from samedevice.devices import SIMULATED_GPU
from samedevice.outputs.environments import Run
from samedevice.outputs.output import Output, Raised
from samedevice.pages.page import Page
from samedevice.running.results import taken

Write = Callable[..., Page]
PAGE = "```python\na\n```\n\n```python\nb\n```\n\n```python\nc\n```\n"


def left(page: Page, *outputs: Output | None) -> dict[int, str]:
    """Why the outputs of a page's blocks are not taken."""
    found = taken(Run(outputs, None), page.blocks, SIMULATED_GPU)
    assert all((found.outputs[index] is None) == (index in found.unsure) for index, one in enumerate(outputs) if one)
    return dict(found.unsure)


def test_what_nobody_doubts_is_taken(write: Write) -> None:
    """Most outputs are PyTorch's own logic."""
    assert left(write(PAGE), Output("1"), Output("2"), None) == {}


def test_a_doubt_spreads_to_what_comes_after_it(write: Write) -> None:
    """Not to what came before."""
    doubt = "the simulator does not vouch for aten::poisson"
    found = left(write(PAGE), Output("1"), Output("2", unsure="aten::poisson"), Output("3"))
    assert found == {1: doubt, 2: f"it comes after docs/page.md:5: {doubt}"}


def test_a_refusal_that_was_announced_is_a_refusal(write: Write) -> None:
    """NotSimulated is a RuntimeError: `raises="RuntimeError"` would take it for the page's own."""
    refused = Output(raised=Raised("NotSimulated", "aten::fft: it cannot", announced="RuntimeError"))
    assert left(write(PAGE), refused, None, None) == {0: "the simulator refused it: NotSimulated: aten::fft: it cannot"}


def test_what_varies_from_gpu_to_gpu_and_measures_nothing_is_taken_if_the_author_says_so(write: Write) -> None:
    """The bytes of a workspace are PyTorch's arithmetic, though each kind of GPU has another one."""
    page = write(PAGE.replace("python\na", 'python numbers="vary" simulated="yes"\na'))
    assert left(page, Output("8 MiB"), Output("2"), None) == {}


def test_a_reason_of_the_authors_comes_before_ours(write: Write) -> None:
    """Numbers that vary are not always a measurement."""
    page = write(PAGE.replace("python\na", 'python numbers="vary" simulated="no" reason="the driver decides"\na'))
    assert left(page, Output("13"), None, None) == {0: "the driver decides"}


def test_a_measurement_raises_no_doubt_unless_it_dies(write: Write) -> None:
    """What comes after it knows its names; if its process died, nothing ran after it."""
    page = write(PAGE.replace("python\na", 'python numbers="vary"\na'))
    measures = "it measures, and a simulated device measures nothing"
    assert left(page, Output("0.1 ms"), Output("2"), None) == {0: measures}
    died = left(page, Output(died="was killed"), Output(died="was not run"), None)
    assert died == {0: measures, 1: "it comes after docs/page.md:1, which was killed"}
