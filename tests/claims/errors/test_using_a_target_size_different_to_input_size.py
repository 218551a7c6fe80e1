"""Losses that warn."""

from __future__ import annotations

import pytest
import torch
from torch import nn

from claims.claimlib import claim, raises


@claim(
    "From `MSELoss`, `L1Loss`, `SmoothL1Loss` and `HuberLoss` this is only a warning, and the loss after it is wrong (with a single element it happens to be right)."
)
@pytest.mark.parametrize("loss", [nn.MSELoss(), nn.L1Loss(), nn.SmoothL1Loss(), nn.HuberLoss()])
def test_warns(loss: nn.Module) -> None:
    outputs = torch.tensor([[0.0], [5], [9]])
    with pytest.warns(UserWarning, match="different to the input size"):
        assert loss(outputs, outputs.squeeze(1)) > 0
    with pytest.warns(UserWarning, match="different to the input size"):
        assert loss(outputs[:1], outputs[:1, 0]) == 0


@claim("`binary_cross_entropy` raises it as a `ValueError`, with the same cure.")
def test_raises() -> None:
    raises("different to the input size", nn.BCELoss(), torch.ones(3, 1), torch.ones(3))
