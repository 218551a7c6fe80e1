"""Lists and tensors."""

from __future__ import annotations

import operator

import torch

from claims.claimlib import claim, raises


@claim(
    "For `*` the message is `only integer tensors of a single element can be converted to an index`, and an integer tensor with one element raises nothing: `[1, 2] * torch.tensor(2)` is the Python list `[1, 2, 1, 2]`."
)
def test_times() -> None:
    raises("unsupported operand type(s) for +", operator.add, torch.ones(2), [1, 2])
    raises("only integer tensors of a single element can be converted to an index", lambda: [1, 2] * torch.ones(2))
    assert [1, 2] * torch.tensor(2) == [1, 2, 1, 2]
