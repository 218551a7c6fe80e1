"""The sections of a page: where they begin, what runs before each block, and options that are in a wrong place."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from samedevice.errors import PageError
from samedevice.pages.options import read_options
from samedevice.pages.page import Page
from samedevice.project import Settings

Write = Callable[..., Page]

PAGE = """\
# A title

```python setup
import torch
```

```python
top = 1
```

## First part

```python
one = 1
```

### Not a section

```python
two = one
```

## Second { #second }

```text
## no heading
```

```python after="first-part"
three = two
```

## Error messages

### `x cannot be y` { #err-x .main }

```python
error = 1
```

## Exercises

**1.** Do this.

```python
first = 1
```

**2.** Do that.

??? success "Solution"

    ```python after="second"
    second = 1
    ```
"""


def codes(page: Page) -> list[list[str]]:
    """The first word of each block of each section."""
    return [[block.code.split()[0] for block in section.blocks] for section in page.sections]


def led_to(page: Page, word: str) -> list[str]:
    """The first words of the blocks that run before the one that begins with a word."""
    block = next(one for one in page.blocks if one.code.startswith(word))
    return [one.code.split()[0] for one in page.program(block)]


def refusal(write: Write, *blocks: str) -> str:
    """What is wrong with a page with a heading above each of these blocks."""
    with pytest.raises(PageError) as found:
        write("".join(f"## Part {number}\n\n```{block}\n```\n\n" for number, block in enumerate(blocks, start=1)))
    return str(found.value)


def test_a_section_begins_at_each_heading_exercise_and_error_message(write: Write) -> None:
    """A reader who lands at one of them sees all that its code needs."""
    page = write(PAGE)
    assert codes(page) == [["top"], ["one", "two"], ["three"], ["error"], ["first"], ["second"]]
    anchors = [section.part.anchor for section in page.sections]
    assert anchors == ["a-title", "first-part", "second", "err-x", "exercise-1", "exercise-2"]
    assert str(page.sections[1].part) == "docs/page.md:11"


def test_the_setup_and_the_sections_that_it_comes_after_lead_to_a_block(write: Write) -> None:
    """This is what runs, what the copy button copies, and what a recording's hash covers."""
    page = write(PAGE)
    assert led_to(page, "import") == []
    assert led_to(page, "top") == ["import"]
    assert led_to(page, "two") == ["import", "one"]
    assert led_to(page, "three") == ["import", "one", "two"]
    assert led_to(page, "second") == ["import", "one", "two", "three"]


def test_setup_runs_by_itself_and_then_each_section(write: Write) -> None:
    """So the setup's own block has an output, which is none, and an error in it is told at its line."""
    page = write(PAGE)
    assert [len(own) for _, own in page.units] == [1, 1, 2, 1, 1, 1, 1]


def test_a_page_is_one_section_where_the_project_does_not_ask_for_more(write: Write) -> None:
    """As in Sybil."""
    page = write(PAGE.replace(" setup", "").replace('after="first-part"', "").replace('after="second"', ""))
    alone = Page(page.path, page.text, page.blocks, Settings())
    assert codes(alone) == [["import", "top", "one", "two", "three", "error", "first", "second"]]


def test_the_cells_of_a_notebook_are_one_section(write: Write) -> None:
    """They share a kernel."""
    page = write("# %% [markdown]\n# ## One\n\n# %%\nx = 1\n\n# %% [markdown]\n# ## Two\n\n# %%\nx\n", "docs/walk.py")
    assert [block.code for block in page.program(page.blocks[1])] == ["x = 1\n"]


def test_a_program_may_be_above_the_setup(write: Write) -> None:
    """It has a process of its own."""
    page = write("## One\n\n```console\n$ true\n```\n\n```python setup\nimport torch\n```\n\n```python\nx = 1\n```\n")
    assert [block.kind for block in page.program(page.blocks[2])] == ["python", "console"]


@pytest.mark.parametrize(
    ("blocks", "message"),
    [
        (
            ("python\nx = 1", "python setup\nimport torch"),
            "9: a setup block comes before all other blocks of Python; move it above docs/page.md:3",
        ),
        (("console setup\n$ true",), "3: a setup block is Python that runs; leave out setup here"),
        (
            ('python setup raises="ValueError"\nx',),
            "3: a setup block takes no raises= and no after=; leave them out",
        ),
        (('python setup="yes"\nx',), '3: setup="yes" is unknown; write the word setup alone'),
        (
            ("python\nx", 'python after="part-9"\ny'),
            '9: after="part-9" names no section with code above this one; write one of part-1',
        ),
        (('python after="part-1"\nx',), "above this one"),
        (
            ('python after="part-2"\nx', 'python after="part-1"\ny'),
            '3: after="part-2" names a section that is not above this one; move one of them, or define here what it',
        ),
        (
            ("python\nx\n```\n\n```python after='part-1'\ny",),
            '7: after="part-1" is said by a section\'s first block; write it at docs/page.md:3',
        ),
    ],
)
def test_an_option_in_a_wrong_place_says_what_to_write(write: Write, blocks: tuple[str, ...], message: str) -> None:
    """A block that silently ran after another one would print what its page does not lead to."""
    assert message in refusal(write, *blocks)


def test_after_a_heading_that_is_there_twice_is_an_error(write: Write) -> None:
    """Refuse rather than guess."""
    with pytest.raises(PageError, match=r"names two sections, .*md:1 and .*md:7; give one of them an id"):
        write("## A\n\n```python\n1\n```\n\n## A\n\n```python\n2\n```\n\n## B\n\n```python after='a'\n3\n```\n")


def test_sections_need_the_setting() -> None:
    """Elsewhere the words would do nothing, silently."""
    with pytest.raises(PageError, match=r"set namespace: section of the plugin in mkdocs\.yml"):
        read_options({"after": "x"}, "docs/page.md", 1, Settings())


def test_all_that_is_wrong_with_a_page_s_sections_is_told_at_once(write: Write) -> None:
    """An author mends a page in one go."""
    told = refusal(write, "python after='x'\n1", "python setup\n2", "python after='y'\n3")
    assert len(told.splitlines()) == 3
