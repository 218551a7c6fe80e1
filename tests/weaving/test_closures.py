"""What a block needs to run by itself, found by names and by possible mutation."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from samedevice.pages.page import Page
from samedevice.weaving.closures import closures, standalone


def page_of(write: Callable[..., Page], *blocks: str) -> Page:
    """A page with these blocks; one that begins with `raises ` announces a RuntimeError."""
    fences = []
    for block in blocks:
        option = ' raises="RuntimeError"' if block.startswith("raises ") else ""
        fences.append(f"```python{option}\n{block.removeprefix('raises ')}\n```\n")
    return write("\n".join(fences))


@pytest.mark.parametrize(
    ("blocks", "needed"),
    [
        (["import torch", "x = torch.ones(2)", "y = 1", "print(x)"], (0, 1)),
        (["x = 1", "x = 2", "print(x)"], (1,)),
        (["x = [1]", "x.append(2)", "print(x)"], (0, 1)),
        (["x = [1]", "y = x", "y.append(2)", "print(x)"], (0, 1, 2)),
        (["x = [1]", "x[0] = 5", "print(x)"], (0, 1)),
        (["x = [1]", "print(len(x))", "print(x)"], (0,)),
        (["def f():\n    return k", "k = 3", "print(f())"], (0, 1)),
        (["k = 3\ndef f():\n    k = 1\n    return k", "k = 4", "print(f())"], (0,)),
        (["import torch\nw = torch.ones(1)", "o = torch.optim.SGD([w], 0.1)", "o.step()", "print(w)"], (0, 1, 2)),
        (["import torch\nw = torch.ones(1)", "w.add_(1)", "print(w)"], (0, 1)),
        (["import torch\nw = torch.ones(1)", "v = torch.add(w, 1)", "print(w)"], (0,)),
        (["x = 1", "if x:\n    x = 2", "print(x)"], (0, 1)),
        (["x = 1", "[x for x in (1, 2)]", "print(x)"], (0,)),
        (["open('a.txt', 'w').write('1')", "y = 1", "print(open('a.txt').read())"], (0,)),
        (["x = 1", "raises x = 2; raise RuntimeError", "print(x)"], (0, 1)),
    ],
)
def test_a_block_needs_what_binds_or_may_change_its_names(
    write: Callable[..., Page], blocks: list[str], needed: tuple[int, ...]
) -> None:
    """Too little, and the copy fails for the reader; too much, and he reads what he did not ask for."""
    page = page_of(write, *blocks)
    assert closures(page)[len(blocks) - 1] == needed


def test_a_block_that_needs_a_gpu_is_no_part_of_what_the_cpu_runs(write: Callable[..., Page]) -> None:
    """Its copy has to run where there is none."""
    page = write('```python\nx = [1]\n```\n\n```python needs="cuda"\nx.append(2)\n```\n\n```python\nprint(x)\n```\n')
    assert closures(page) == {0: (), 1: (0,), 2: (0,)}


def test_a_copy_goes_on_after_an_exception_that_an_earlier_block_announces(write: Callable[..., Page]) -> None:
    """The page goes on there too."""
    page = page_of(write, "x = 1", "raises x = 2\nraise RuntimeError", "print(x)")
    expected = "x = 1\n\ntry:\n    x = 2\n    raise RuntimeError\nexcept RuntimeError:\n    pass\n\nprint(x)\n"
    assert standalone(page, page.blocks[2]) == expected
