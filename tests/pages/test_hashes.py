"""The hashes of a page's blocks: what changes them, and what does not."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from samedevice.pages.page import Page

Write = Callable[..., Page]


BLOCKS = ["x = 1", "x += 1", "x"]


def hashes(
    write: Write, blocks: list[str], infos: tuple[str, ...] = ("", "", ""), device: str = "cpu"
) -> list[str | None]:
    """Hashes of a page with these blocks."""
    fences = [f"```python {info}\n{block}\n```\n" for info, block in zip(infos, blocks, strict=True)]
    return list(write("\n".join(fences)).hashes(device))


def test_a_changed_block_changes_its_hash_and_the_later_ones(write: Write) -> None:
    """An output depends on all the code before it, and on none after it."""
    before, after = hashes(write, BLOCKS), hashes(write, ["x = 1", "x += 2", "x"])
    assert before[0] == after[0]
    assert before[1] != after[1]
    assert before[2] != after[2]


def test_each_block_has_a_hash_of_its_own(write: Write) -> None:
    """The same code twice may print two things."""
    assert len(set(hashes(write, ["x", "x", "x"]))) == 3


@pytest.mark.parametrize("info", ['raises="ValueError"', 'numbers="vary"'])
def test_an_option_that_changes_what_is_right_changes_the_hash(write: Write, info: str) -> None:
    """A recording made without the option must not pass for one made with it."""
    before, after = hashes(write, BLOCKS), hashes(write, BLOCKS, ("", info, ""))
    assert before[0] == after[0]
    assert before[1] != after[1]


@pytest.mark.parametrize("info", ['title="A title"', 'hl_lines="1"'])
def test_an_option_that_changes_only_the_looks_does_not_change_the_hash(write: Write, info: str) -> None:
    """A better title must not cost a run on every device."""
    assert hashes(write, BLOCKS) == hashes(write, BLOCKS, ("", info, ""))


def test_where_a_block_stands_does_not_change_the_hash(write: Write) -> None:
    """Prose is edited more often than code."""
    before = write("```python\nx = 1\n```\n").hashes("cpu")
    assert before == write("# A title\n\n- A list\n\n    ~~~ py\n    x = 1\n    ~~~\n").hashes("cpu")


def test_a_block_for_another_device_does_not_change_the_hashes(write: Write) -> None:
    """Whoever edits a CUDA block on a laptop cannot record it, and must not make the CPU's outputs stale."""
    plain = hashes(write, BLOCKS)
    one = hashes(write, ["x = 1", "x += 1", "x", "x"], ("", 'needs="cuda"', "", ""))
    other = hashes(write, ["x = 1", "x -= 1", "x", "x"], ("", 'needs="cuda"', "", ""))
    assert one[1] is other[1] is None
    assert one == other
    assert plain[0] == one[0]
    cuda = ("", 'needs="cuda"', "")
    assert hashes(write, BLOCKS, cuda, "cuda")[2] != hashes(write, ["x = 1", "x -= 1", "x"], cuda, "cuda")[2]


def test_later_blocks_do_not_depend_on_one_that_needs_two_devices(write: Write) -> None:
    """It is skipped where there is one device; the others' outputs are the same with and without it."""
    infos = ("", 'needs="2 cuda"', "")
    one, other = (hashes(write, ["x = 1", code, "x"], infos, "cuda") for code in ("a", "b"))
    assert one[1] != other[1]
    assert one[2] == other[2]


@pytest.mark.parametrize(
    "text",
    [
        '```python file="snippets/train.py"\n```\n',
        "```console\n$ python snippets/train.py\n```\n",
        '```python\nopen("snippets/train.py").read()\n```\n',
    ],
    ids=["program", "console", "python"],
)
def test_a_changed_snippet_changes_the_block_that_runs_it(write: Write, snippets: Path, text: str) -> None:
    """Snippets are part of the page when it is decided what has to run again."""
    before = write(text).hashes("cpu")
    (snippets / "train.py").write_text("print(1)\n", encoding="utf-8")
    assert write(text).hashes("cpu") != before


def test_a_changed_part_changes_only_the_blocks_that_run_it(write: Write, snippets: Path) -> None:
    """The rest of that file does not matter to them."""
    text = '```python file="snippets/train.py" part="first"\n```\n'
    before = write(text).hashes("cpu")
    path = snippets / "train.py"
    path.write_text(path.read_text(encoding="utf-8").replace("c = 3", "c = 4"), encoding="utf-8")
    assert write(text).hashes("cpu") == before
    path.write_text(path.read_text(encoding="utf-8").replace("b = 2", "b = 3"), encoding="utf-8")
    assert write(text).hashes("cpu") != before


SECTIONS = """\
```python setup
import torch
```

## One

```python
one = 1
```

## Two

```python after="one"
two = 2
```

## Three

```python
three = 3
```
"""


@pytest.mark.parametrize(
    ("code", "changed"),
    [
        ("import torch", [True, True, True, True]),
        ("one = 1", [False, True, True, False]),
        ("two = 2", [False, False, True, False]),
        ("three = 3", [False, False, False, True]),
    ],
)
def test_an_edit_changes_the_hashes_of_what_it_leads_to_and_of_nothing_else(
    write: Write, code: str, changed: list[bool]
) -> None:
    """Recordings from a rare machine live until the program that made them changes."""
    before, after = (write(text).hashes("cpu") for text in (SECTIONS, SECTIONS.replace(code, f"{code}; pass")))
    assert [one != other for one, other in zip(before, after, strict=True)] == changed


def test_a_section_may_move_within_its_page(write: Write) -> None:
    """Its program is the same."""
    parts = SECTIONS.split("## ")
    moved = write("## ".join([parts[0], parts[3], parts[1], parts[2]]))
    assert sorted(map(str, moved.hashes("cpu"))) == sorted(map(str, write(SECTIONS).hashes("cpu")))


def test_a_block_for_a_version_leads_to_later_outputs_where_it_runs_alone(write: Callable[..., Page]) -> None:
    """With another PyTorch it never ran: editing it must not make what was recorded there stale."""
    text = '```python\none\n```\n\n```python needs="torch>=2.15"\ntwo\n```\n\n```python\nthree\n```\n'
    before, after = write(text), write(text.replace("two", "2"))
    assert before.hashes("cpu", "2.13.0") == after.hashes("cpu", "2.13.0")
    assert before.hashes("cpu", "2.13.0")[1] is None
    assert [a == b for a, b in zip(before.hashes("cpu", "2.15.0"), after.hashes("cpu", "2.15.0"), strict=True)] == [
        True,
        False,
        False,
    ]
