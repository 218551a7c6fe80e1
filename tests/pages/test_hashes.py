"""The hashes of a page's blocks: what changes them, and what does not."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest

from samedevice.pages.options import Options
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


def test_a_changed_program_is_another_block(write: Write, snippets: Path) -> None:
    """The file that a fence names is the code that the page shows and runs; a comment in it is shown, too."""
    text = '```python file="snippets/train.py"\n```\n'
    before = write(text).hashes("cpu")
    path = snippets / "train.py"
    path.write_text(path.read_text(encoding="utf-8") + "# More.\n", encoding="utf-8")
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


SAME = {
    "a comment": "def f(x, /, *, y=1.5):  # Half.\n    return x + y",
    "layout": "def f(\n    x, /, *, y = 1.50,\n):\n\n    return (x +\n            y)",
    "semicolons": "def f(x, /, *, y=1.5): return x + y;",
}


@pytest.mark.parametrize("code", SAME.values(), ids=SAME.keys())
def test_a_comment_and_layout_do_not_change_the_hash(write: Write, code: str) -> None:
    """They cannot change what is printed, and a run on every device is dear."""
    assert hashes(write, ["def f(x, /, *, y=1.5):\n    return x + y", "x", "x"]) == hashes(write, [code, "x", "x"])


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("x = 1", "x = 1.0"),
        ("x = 1", "x = True"),
        ("x = 'a'", "x = b'a'"),
        ("x = 'a '", "x = 'a'"),
        ("f'{x}'", "f'{x!r}'"),
        ("f'{x:>5}'", "f'{x:>6}'"),
        ("x.y", "x.z"),
        ("x - y", "y - x"),
        ("1j", "2j"),
        ("...", "None"),
        ("a; b", "b; a"),
        ("if x:\n    y\nz", "if x:\n    y\n    z"),
        ("x = -0.0", "x = 0.0"),
        ("x: int = 1", "x = 1"),
        ("async def f(): pass", "def f(): pass"),
        ("f(*x)", "f(x)"),
        ("f(**x)", "f(*x)"),
        ("import a as b", "import a"),
        ("from . import a", "from .. import a"),
        ("'Doc.'", "'doc.'"),
    ],
)
def test_other_code_changes_the_hash(write: Write, one: str, other: str) -> None:
    """All that the program does is in its tree."""
    assert hashes(write, [one, "x", "x"])[0] != hashes(write, [other, "x", "x"])[0]


HELD = {
    "x = 1": "0d6f09f19a5392f0",
    "def f(x, /, *a: int, y=1.5, **k) -> None:\n    return x if y else -a[0:1, ...]": "904acf6b1ad5337f",
    "class A(B, metaclass=C):\n    'Doc.'\n    x: int = 0x10": "3d6382e3bcb47795",
    "with open(f'{x!r:>{w}}') as file, lock:\n    [await y async for y in file if y]": "ddfe8a8b070d1ceb",
    "match x:\n    case {'a': [1, *_], **rest} | None if rest: pass": "39ee92721713ac7c",
    "try:\n    raise E from e\nexcept* (A, B) as found:\n    del found\nfinally:\n    pass": "84c0b5bf0983cbee",
    "lambda *, é='ü', s=b'\\xff', n=10_000_000_000_000, j=2j: (é := 1e400)": "ad0ca7e42e345989",
    "for x, *y in z:\n    global g\n    continue\nelse:\n    assert x is not y, 'no'": "a05a1098f14df8b6",
    "x =": "a4b65adf1d04aa45",
}
"""The hashes of code, as every version of Python has to give them."""


@pytest.mark.parametrize(("code", "held"), HELD.items(), ids=range(len(HELD)))
def test_a_hash_is_the_same_in_each_version_of_python(write: Write, code: str, held: str) -> None:
    """If this fails, recordings of one machine are stale on another: newer trees have fields that older ones lack."""
    (block,) = write(f"```python\n{code}\n```\n").blocks
    assert block.digest == held


@pytest.mark.parametrize(
    ("code", "depends"),
    [
        ("import traceback\ntraceback.print_exc()", True),
        ("print(error.__traceback__.tb_lineno)", True),
        ("import inspect\nprint(inspect.getsource(f))", True),
        ("logging.basicConfig(format='%(lineno)d')", True),
        ("x = 1", False),
    ],
)
def test_what_can_print_its_line_is_another_block_where_it_moves_and_so_is_what_comes_after_it(
    write: Write, code: str, depends: bool
) -> None:
    """Prose is edited more often than code, and what is recorded must not name a line that is another one now."""
    text = f"```python\n{code}\n```\n\n```python\nwarn()\n```\n"
    before, moved = write(text).hashes("cpu"), write(f"Text.\n\n{text}").hashes("cpu")
    assert [one != other for one, other in zip(before, moved, strict=True)] == [depends, depends]
    comment = write(text.replace("warn()", "warn()  # Now.")).hashes("cpu")
    assert (comment[1] != before[1]) == depends


def test_an_option_that_is_added_later_changes_no_hash(write: Write) -> None:
    """One more line in the table of options must make nothing stale, until a fence says it."""

    @dataclass(frozen=True)
    class Later(Options):
        speed: int = field(default=3, metadata={"output": True})

    (block,) = write("```python\nx\n```\n").blocks
    assert replace(block, options=Later()).digest == block.digest
    assert replace(block, options=Later(speed=4)).digest != block.digest
