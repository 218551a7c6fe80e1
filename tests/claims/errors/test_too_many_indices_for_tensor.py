"""Lists of lists as an index."""

from __future__ import annotations

import pytest
import torch

from claims.claimlib import claim, raises, same

X = torch.arange(80).reshape(2, 40)


@claim("A list of lists is an index for each dimension, one list each, if it has fewer than 32 lists.")
@pytest.mark.filterwarnings("ignore:Using a non-tuple sequence")
def test_lists() -> None:
    assert X[[[0], [3]]].tolist() == [3]
    raises("too many indices for tensor of dimension 2", lambda: X[[[0]] * 31])
    same(X[[[0]] * 32], X[torch.zeros(32, 1, dtype=torch.int64)])


@claim("A mask counts with all its dimensions: for a mask of shape `(3, 1)` and a vector, write `x[mask.squeeze(1)]`.")
def test_mask() -> None:
    x, mask = torch.tensor([1, 2, 3]), torch.tensor([[True], [False], [True]])
    raises("too many indices for tensor of dimension 1", lambda: x[mask])
    assert x[mask.squeeze(1)].tolist() == [1, 3]
