"""Lengths for `random_split`."""

from __future__ import annotations

from torch.utils.data import random_split

from claims.claimlib import claim, raises


@claim("Lengths such as `8.0` and `3.0` raise `TypeError`: use `int(...)` or `//`.")
def test_floats() -> None:
    raises("float", random_split, range(11), [8.0, 3.0])


@claim(
    "With fractions that do not add up to 1, the message is the same; rounding can do that, as in `[0.34, 0.56, 0.1]`."
)
def test_fractions() -> None:
    raises("Sum of input lengths does not equal the length", random_split, range(10), [0.34, 0.56, 0.1])
    assert [len(part) for part in random_split(range(10), [0.5, 0.5])] == [5, 5]
