"""Shapes that do not broadcast."""

from __future__ import annotations

import torch
from hypothesis import assume, given

from claims.claimlib import claim, raises, result, shapes


@claim(
    "The shapes do not broadcast: in the dimension that is named, the sizes differ and neither is 1.",
    "The message counts the dimensions of the result, from the left, starting at 0.",
)
@given(shapes(1, 3, low=1), shapes(1, 3, low=1))
def test_dimension(a: tuple[int, ...], b: tuple[int, ...]) -> None:
    assume(result(torch.broadcast_shapes, a, b) is RuntimeError)
    width = max(len(a), len(b))
    first, second = ((1,) * (width - len(shape)) + shape for shape in (a, b))
    bad = [dim for dim in range(width) if first[dim] != second[dim] and 1 not in (first[dim], second[dim])]
    raises(
        f"must match the size of tensor b ({second[bad[-1]]}) at non-singleton dimension {bad[-1]}",
        torch.add,
        torch.ones(a),
        torch.ones(b),
    )
