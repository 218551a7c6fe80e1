"""Statements: what can be quoted of a page, and what a quote may leave out."""

from __future__ import annotations

import pytest

from same_device_site.statements import passages, plain, quoted

PAGE = """\
---
title: A page
---

# `reshape` copies or not { #title }

`reshape` returns a *view* if it can, [and copies](https://example.org/a_(b).html)
if not.
It raises no error; `view` does.

- One item, with **bold** words.
- Another item
  of two lines.

```python
print("`reshape` copies if not.")
```

!!! expected "cuda"

    On a GPU it waits ([source](https://example.org)).

| NumPy | PyTorch | Note |
| --- | --- | --- |
| `a | b` | [`a \\| b`](x.md){ #pipe } | both join bits; it waits |
| `a.copy()` | `t.clone()` | |
"""


@pytest.mark.parametrize(
    ("quote", "line"),
    [
        ("`reshape` returns a view if it can, and copies if not.", 7),
        ("`reshape` returns a view if it can, and copies if not. It raises no error; `view` does.", 7),
        ("`reshape` returns a *view* if it can, [and copies](elsewhere.md) if not.", 7),
        ("if not.", 8),
        ("It raises no error;", 9),
        ("It raises no error; `view` does:", 9),
        ("`view` does.", 9),
        ("One item, with bold words.", 11),
        ("Another item of two lines.", 12),
        ("On a GPU it waits (source).", 21),
        ("`a | b` | `a \\| b`", 25),
        ("both join bits;", 25),
        ("`a.copy()` | `t.clone()`", 26),
        ("`reshape` copies or not", 5),
    ],
)
def test_a_quote_is_found_at_its_line_whatever_its_links_and_line_breaks(quote: str, line: int) -> None:
    """A new link, a line break or an id does not change what a page says."""
    assert quoted(PAGE, quote) == [line]


@pytest.mark.parametrize(
    "part",
    [
        "returns a view if it can, and copies if not.",
        "`reshape` returns a view if it can, and",
        "One item, with bold",
        "`a | b` | `a",
        "raises no error",
        'print("`reshape` copies if not.")',
        "title: A page",
    ],
)
def test_a_part_of_a_sentence_is_no_quote(part: str) -> None:
    """A short quote would survive an edit that turns the sentence around."""
    assert quoted(PAGE, part) == []


def test_what_a_page_says_twice_is_found_twice() -> None:
    """Which of the two a test is about must be clear."""
    assert quoted("It copies.\n\n- It copies.\n\n| It copies. | no |\n", "It copies.") == [1, 3, 5]


def test_code_spans_stay_as_they_are_written() -> None:
    """A star or a bracket in code is no Markdown."""
    assert plain("`a * b * c` and `x[i](y)` and ``one ` tick``, *bold* and a*b*c") == (
        "`a * b * c` and `x[i](y)` and ``one ` tick``, bold and a*b*c"
    )


def test_passages_know_their_sentences_and_lines() -> None:
    """`make claims` lists sentences with the lines where they begin."""
    found = {sentence: line for passage in passages(PAGE) for sentence, line in passage.sentences}
    assert found["It raises no error; `view` does."] == 9
    assert found["`a.copy()` | `t.clone()`"] == 26
