"""How many values `BatchNorm` needs."""

from __future__ import annotations

import torch
from torch import nn

from claims.claimlib import claim, raises


@claim(
    "For `BatchNorm2d` the pixels count too, so one image raises it only where it has shrunk to one pixel, as after global pooling."
)
def test_pixels() -> None:
    assert nn.BatchNorm2d(3)(torch.rand(1, 3, 1, 2)).shape == (1, 3, 1, 2)
    raises("Expected more than 1 value per channel when training", nn.BatchNorm2d(3), torch.rand(1, 3, 1, 1))


@claim(
    "Then use a larger batch, `nn.GroupNorm` in place of `BatchNorm`, or `eval()` for the `BatchNorm` layers alone, which then keep their statistics:"
)
def test_remedies() -> None:
    layer, one = nn.BatchNorm1d(4), torch.rand(1, 4)
    raises("Expected more than 1 value per channel when training", layer, one)
    layer.eval()(one)
    assert layer.running_mean.tolist() == [0] * 4
    assert nn.GroupNorm(2, 4)(one).shape == (1, 4)
