"""Where Python wants one integer."""

from __future__ import annotations

import torch

from claims.claimlib import claim, raises

TEXT = "only integer tensors of a single element can be converted to an index"


@claim(
    "A list or a tuple times a tensor raises it too: make a tensor of the list, or take `.values` of the result of `max(dim=1)`."
)
def test_times() -> None:
    raises(TEXT, lambda: [1.0, 2.0] * torch.ones(2))
    raises(TEXT, lambda: torch.rand(2, 2).max(dim=1) * torch.ones(2))


@claim(
    "So does `torch.tensor` of a list of integer tensors: join them with `torch.stack(tensors)`, if all have one shape."
)
def test_list() -> None:
    tensors = [torch.tensor([1, 2]), torch.tensor([3, 4])]
    raises(TEXT, torch.tensor, tensors)
    assert torch.stack(tensors).tolist() == [[1, 2], [3, 4]]


@claim(
    "`range(n)` and the ends of a slice, `x[start:stop]`, also want one integer, and often get a float from `/`: divide with `//`, or convert with `int(n)`."
)
def test_range() -> None:
    n = torch.tensor(2.0)
    raises(TEXT, range, n)
    raises(TEXT, lambda: [1, 2, 3][n:])
    assert [1, 2, 3][int(n) :] == [3]
