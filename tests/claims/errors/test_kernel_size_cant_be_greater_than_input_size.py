"""Kernels and poolings that do not fit."""

from __future__ import annotations

import torch
from torch import nn

from claims.claimlib import claim, raises


@claim("`Kernel size` in the message includes the dilation: a kernel of 3 with `dilation=3` counts as 7.")
def test_dilation() -> None:
    raises("Kernel size: (7 x 7)", nn.Conv2d(1, 1, 3, dilation=3), torch.ones(1, 1, 4, 4))


@claim("`MaxPool1d` says `max_pool1d() Invalid computed output size: 0`.")
def test_pooling() -> None:
    raises("max_pool1d() Invalid computed output size: 0", nn.MaxPool1d(2), torch.ones(1, 1, 1))


@claim("Each 5 x 5 kernel takes 4 pixels off, and each pooling halves the rest, rounded down.")
def test_sizes() -> None:
    for size in (8, 9, 28):
        assert nn.Conv2d(1, 1, 5)(torch.ones(1, 1, size, size)).shape[-1] == size - 4
        assert nn.Conv2d(1, 1, 5, padding=2)(torch.ones(1, 1, size, size)).shape[-1] == size
        assert nn.MaxPool2d(2)(torch.ones(1, 1, size, size)).shape[-1] == size // 2


@claim("As the last pooling of a model, `nn.AdaptiveAvgPool2d(1)` gives one value for each channel, from any size:")
def test_adaptive() -> None:
    for shape in ((2, 3, 1, 1), (2, 3, 7, 4)):
        assert nn.AdaptiveAvgPool2d(1)(torch.ones(shape)).shape == (2, 3, 1, 1)
