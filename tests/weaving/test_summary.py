"""The row below a title: a badge for each device, which opens to say what ran, where and when, and what waits."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace

from samedevice.outputs.environments import Environment
from samedevice.outputs.output import Output
from samedevice.pages.page import Page
from samedevice.weaving.copies import Copy
from samedevice.weaving.panes import ShownOutput
from samedevice.weaving.summary import summary_html
from samedevice.weaving.weave import weave, woven_outputs

Write = Callable[..., Page]
OLD = Environment("cpu", "EPYC", "2.9.1+cpu", "3.11.7", "", "2026-11-19")
NEW = Environment("cpu", "EPYC", "2.15.0+cu132", "3.11.7", "", "2026-11-21")
GPU = Environment("cuda", "H100", "2.11.0+cu130", "3.12.1", "580", "2026-11-20")
PAGE = '# Title\n\n```python\n1\n```\n\n```python\n2\n```\n\n```python needs="cuda"\n3\n```\n\nThe end.\n'


def cpu(about: Environment = NEW) -> ShownOutput:
    return ShownOutput("cpu", Output(value="1"), about)


def badges(page: Page, shown: dict[int, list[ShownOutput]]) -> list[str]:
    """What the badges say before they are opened."""
    html = summary_html(page, shown)
    heads = re.findall(r"<summary>(.*?)</summary>|<span[^>]*>(.*?)</span>", html)
    return [re.sub(r"<[^>]*>", "", "".join(head)) for head in heads]


def opened(page: Page, shown: dict[int, list[ShownOutput]]) -> list[str]:
    """What they say once they are opened."""
    return [re.sub(r"<[^>]*>", "", text) for text in re.findall(r"<p>(.*?)</p>", summary_html(page, shown))]


def test_a_badge_is_short_and_says_the_rest_on_a_click(write: Write) -> None:
    """Forty words of counts below each title read as a disclaimer."""
    gpu = ShownOutput("cuda", Output(value="1"), GPU)
    page, shown = write(PAGE), {0: [cpu(OLD), cpu(NEW)], 1: [cpu(), gpu], 2: [gpu]}
    assert badges(page, shown) == ["CPU 2.9, 2.15", "H100 2 of 2"]
    assert opened(page, shown) == [
        "All 2 code blocks ran on CPU, with PyTorch 2.9.1 and 2.15.0, last on 2026-11-21.",
        "All 2 code blocks ran on CUDA (H100), with PyTorch 2.11.0, last on 2026-11-20.",
    ]


def test_a_device_that_did_not_run_all_says_of_how_many(write: Write) -> None:
    """Of the blocks that could run there."""
    assert badges(write(PAGE), {0: [cpu()], 1: [], 2: []}) == ["CPU 1 of 2", "1 waits for CUDA"]


def test_blocks_that_wait_are_in_the_badge_of_their_device(write: Write) -> None:
    """And have one of their own only where nothing ran on it."""
    waiting = ShownOutput("cuda", None, None, "Needs CUDA; not recorded yet.")
    gpu = ShownOutput("cuda", Output(value="1"), GPU)
    page, shown = write(PAGE), {0: [cpu(), gpu], 1: [cpu()], 2: [waiting]}
    assert badges(page, shown) == ["CPU 2.15", "H100 1 of 2"]
    assert opened(page, shown)[1].endswith("last on 2026-11-20. 1 waits for CUDA.")


def test_a_page_of_which_nothing_ran_says_what_waits(write: Write) -> None:
    """A page for a Mac, before a Mac has run it."""
    note = ShownOutput("cuda", None, None, "Needs CUDA; not recorded yet.")
    assert badges(write('```python needs="cuda"\n1\n```\n'), {0: [note]}) == ["1 waits for CUDA"]


def test_the_row_names_the_accelerators_for_the_switch(write: Write) -> None:
    """It says what it switches to, not behind a click."""
    assert ' data-cuda="H100" ' in summary_html(write(PAGE), {2: [ShownOutput("cuda", Output(value="1"), GPU)]})


def test_a_page_without_blocks_has_no_line(write: Write) -> None:
    """There is nothing to say of it."""
    assert summary_html(write("# Title\n\nText.\n"), {}) == ""


def test_a_comment_in_a_fence_is_no_title(write: Write) -> None:
    """The line would be part of the commands; a page without a title goes without."""
    page = write("Text.\n\n```text\n# Install it\n```\n\n```python\nx = 1\n```\n")
    assert "```text\n# Install it\n```\n" in weave(page, {0: [cpu()]}, {0: Copy(0, (), "", "", "", ())})


def test_blocks_in_a_row_that_wait_have_one_quiet_line(write: Write) -> None:
    """Twenty empty frames are what a reader without a GPU sees otherwise."""
    fence = '```python needs="cuda"\n{}\n```\n\n'
    page = write("# Title\n\n" + "".join(map(fence.format, "123")) + "## Next\n\n" + fence.format(4))
    note = ShownOutput("cuda", None, None, "Needs CUDA; not recorded yet.")
    woven = weave(page, {index: [note] for index in range(4)}, {})
    assert len(woven_outputs(woven)) == 3  # the row below the title, one for three blocks, one below the next heading
    wrong = weave(page, {index: [ShownOutput("cuda", None, None, "changed by hand", True)] for index in range(4)}, {})
    assert len(woven_outputs(wrong)) == 5


def test_folded_code_comes_after_its_output_in_a_closed_box(write: Write) -> None:
    """A reader wants the figure, and its code only to check it."""
    page = write('# Title\n\n```python fold="Plotting code"\nx = 1\n\nx\n```\n')
    woven = weave(page, {0: [cpu()]}, {0: Copy(0, (), "", "", "", ())})
    head, _, box = woven.partition('??? code "Plotting code"\n')
    assert "``` samedevice" in head
    assert re.match(r"\n    ```+ ", box)


SIMULATED = replace(GPU, name="Simulated GPU", simulated=True)


def test_simulated_blocks_are_counted_by_themselves(write: Write) -> None:
    """On a GPU, simulated, not run: a reader must see how much of each there is."""
    simulated = ShownOutput("cuda", Output("3"), SIMULATED)
    shown = {0: [cpu(), ShownOutput("cuda", Output("1"), GPU)], 1: [cpu()], 2: [simulated]}
    page = write(PAGE)
    assert badges(page, shown) == ["CPU 2.15", "H100 1 of 2", "simulated 1"]
    assert opened(page, shown)[-1] == (
        "1 of 2 code blocks ran on CUDA, simulated, with PyTorch 2.11.0, last on 2026-11-20: no GPU ran them."
    )
    assert '<a href="../about.html">no GPU ran them</a>' in summary_html(page, shown, "../about.html")


def test_a_block_that_is_not_simulated_says_why(write: Write) -> None:
    """Where others are, a reader wonders."""
    first, second = '```python needs="cuda"\n1\n```\n', '```python needs="cuda" numbers="vary"\n2\n```\n'
    note = ShownOutput("cuda", None, None, "Needs CUDA; not recorded yet.")
    shown = {0: [ShownOutput("cuda", Output("1"), SIMULATED)], 1: [note]}
    waits = "This block needs CUDA and has not run yet."
    page = write(f"# Title\n\n{first}\n{second}")
    measures = "it measures, and a simulated device measures nothing"
    assert f"{waits} Not simulated: {measures}." in "".join(woven_outputs(weave(page, shown, {})))
    assert "Not simulated" not in "".join(woven_outputs(weave(page, {0: [note], 1: [note]}, {})))
    asks = write("# Title\n\n" + second.replace('numbers="vary"', 'simulated="no" reason="asks the driver"'))
    assert f"{waits} Not simulated: asks the driver." in "".join(woven_outputs(weave(asks, {0: [note]}, {})))
