"""Expected results: marked as such until a device has run the block above them, plain text afterwards."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from samedevice.errors import PageError
from samedevice.outputs.environments import Environment
from samedevice.outputs.output import Output
from samedevice.pages.page import Page
from samedevice.weaving.between import PREDICTION, based_on, expected
from samedevice.weaving.panes import ShownOutput
from samedevice.weaving.weave import weave

Write = Callable[..., Page]
CUDA = ShownOutput("cuda", Output(value="1"), Environment("cuda", "H100", "2.11.0", "3.12.1", "", "2026-11-21"))
UNRECORDED = ShownOutput("cuda", None, None, "Needs CUDA; not recorded yet.")
UNRUN = "Expected, from a report"
PAGE = """# Title

```python needs="cuda"
1
```

!!! expected

    The copy waits for the GPU
    ([notes](https://example.org)).

    A second paragraph.

After it.
"""


def test_a_result_that_nobody_has_seen_says_where_it_comes_from(write: Write) -> None:
    """Otherwise a reader takes it for an output."""
    woven = weave(write(PAGE), {0: [UNRECORDED]}, {})
    assert f'!!! expected "{UNRUN}"\n\n    The copy waits for the GPU\n    ([notes]' in woven


def test_the_mark_goes_when_the_device_has_run_the_block(write: Write) -> None:
    """Nobody has to remember to edit the page on the day of a recording."""
    woven = weave(write(PAGE), {0: [CUDA]}, {})
    assert (
        "\nThe copy waits for the GPU\n([notes](https://example.org)).\n\nA second paragraph.\n\nAfter it.\n" in woven
    )
    assert "expected" not in woven


def test_a_simulated_output_takes_the_mark_away(write: Write) -> None:
    """The output shows what the box would say, and its own label says that no GPU printed it."""
    assert CUDA.environment is not None
    simulated = replace(CUDA, environment=replace(CUDA.environment, simulated=True))
    woven = weave(write(PAGE), {0: [simulated]}, {})
    assert "\nThe copy waits for the GPU\n" in woven
    assert UNRUN not in woven


def test_an_output_of_another_device_does_not_take_the_mark_away(write: Write) -> None:
    """The block runs everywhere; the sentence is about CUDA."""
    page = write(PAGE.replace(' needs="cuda"', ""))
    cpu = ShownOutput("cpu", Output(value="1"), CUDA.environment)
    assert UNRUN in weave(page, {0: [cpu]}, {})
    assert UNRUN not in weave(page, {0: [cpu, CUDA]}, {})
    assert UNRUN in weave(write(PAGE.replace("expected\n", 'expected "mps"\n')), {0: [cpu, CUDA]}, {})


def test_a_result_in_a_list_stays_in_it(write: Write) -> None:
    """Its indentation is the list's, with or without the box."""
    text = (
        '- item\n\n    ```python needs="cuda"\n    1\n    ```\n\n    !!! expected\n\n        It waits.\n\n    More.\n'
    )
    page = write(f"# Title\n\n{text}")
    assert f'\n    !!! expected "{PREDICTION}"\n\n        It waits.\n\n    More.\n' in weave(
        page, {0: [UNRECORDED]}, {}
    )
    assert "\n    It waits.\n\n    More.\n" in weave(page, {0: [CUDA]}, {})


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("# Title\n\n!!! expected\n\n    It waits.\n\n```python\n1\n```\n", "docs/page.md:3: this expected result"),
        (
            '# Title\n\n```python\n1\n```\n\n!!! expected "gpu"\n\n    It waits.\n',
            'docs/page.md:7: "gpu" names no device',
        ),
    ],
)
def test_a_result_of_no_block_or_device_is_an_error_at_its_line(write: Write, text: str, message: str) -> None:
    """It would stay marked forever."""
    with pytest.raises(PageError, match=message):
        weave(write(text), {0: []}, {})


def test_expected_results_are_listed_with_their_blocks(write: Write) -> None:
    """Someone with a GPU holds each against what was recorded."""
    found = [(block.line, device, text.splitlines()[0]) for block, device, text in expected(write(PAGE))]
    assert found == [(3, "cuda", "The copy waits for the GPU")]


@pytest.mark.parametrize(
    ("links", "title"),
    [
        ("", "Our prediction"),
        ("[page](../devices/cuda.md)", "Our prediction"),
        ("[issue](https://github.com/pytorch/pytorch/issues/1)", "Expected, from a report"),
        ("[notes](https://docs.pytorch.org/docs/stable/notes/cuda.html)", "Expected, from PyTorch's documentation"),
        ("[guide](https://docs.nvidia.com/cuda/index.html)", "Expected, from NVIDIA's documentation"),
        (
            "[notes](https://docs.pytorch.org/x) and [code](https://github.com/pytorch/pytorch/blob/main/x.py)",
            "Expected, from PyTorch's source",
        ),
    ],
)
def test_the_title_says_what_the_result_rests_on(links: str, title: str) -> None:
    """A prediction must not look like PyTorch's word."""
    assert based_on(f"\n    It waits {links}.\n") == title
