"""Tensors without dimensions."""

from __future__ import annotations

import torch

from claims.claimlib import claim, raises


@claim("The tensor is a single number, without dimensions, so there is nothing to loop over or to count.")
def test_nothing() -> None:
    x = torch.tensor(1.0)
    raises("iteration over a 0-d tensor", list, x)
    raises("len() of a 0-d tensor", len, x)
    raises("Dimension specified as 0 but tensor has no dimensions", x.unbind)


@claim("Often `squeeze()` took the last dimension: `squeeze(1)` takes only the one that you name.")
def test_squeeze() -> None:
    assert torch.ones(1, 1).squeeze().dim() == 0
    assert torch.ones(1, 1).squeeze(1).shape == (1,)
