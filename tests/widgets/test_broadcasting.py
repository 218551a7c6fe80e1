"""The broadcasting widget says what PyTorch does."""

from __future__ import annotations

import random
from typing import Any

import pytest
import torch


def shapes(count: int) -> list[tuple[list[int], list[int]]]:
    """Pairs of shapes of all kinds: of no dimensions, with 0 and 1, that fit and that do not."""
    choose = random.Random(0)
    return [
        tuple([choose.choice([0, 1, 1, 2, 3]) for _ in range(choose.randrange(5))] for _ in range(2))  # type: ignore[misc]
        for _ in range(count)
    ]


def result(a: list[int], b: list[int]) -> list[int] | str:
    """The shape of a sum, or why there is none."""
    try:
        return list((torch.zeros(a) + torch.zeros(b)).shape)
    except RuntimeError as error:
        return str(error)


def test_the_result_and_the_message_are_those_of_pytorch(ask: Any) -> None:
    """Of four hundred pairs of shapes."""
    pairs = shapes(400)
    found = ask("broadcasting", "broadcast", [list(pair) for pair in pairs])
    failed = 0
    for (a, b), one in zip(pairs, found, strict=True):
        expected = result(a, b)
        failed += isinstance(expected, str)
        assert (one["error"] or one["shape"]) == expected, (a, b)
    assert 50 < failed < 350


@pytest.mark.parametrize(
    ("text", "shape"),
    [
        ("2, 3", [2, 3]),
        ("(2,)", [2]),
        ("torch.Size([2, 3])", [2, 3]),
        ("()", []),
        ("2x3", [2, 3]),
        ("2, a", None),
        ("2.5", None),
    ],
)
def test_a_shape_is_read_as_people_write_it(ask: Any, text: str, shape: list[int] | None) -> None:
    """As PyTorch prints it, as Python has it, and bare."""
    assert ask("broadcasting", "parse", [[text]]) == [shape]
