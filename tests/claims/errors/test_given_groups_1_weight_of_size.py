"""Channels of a convolution."""

from __future__ import annotations

import pytest
import torch
from torch import nn

from claims.claimlib import claim, raises


@claim(
    "3, the height | channels in the last dimension, as NumPy, OpenCV and PIL have them | `permute(0, 3, 1, 2)`",
    "1, the batch size | no dimension for the channel: `input[1, 32, 28, 28]` for a batch of 32 | `unsqueeze(1)`",
)
def test_fixes() -> None:
    last = torch.rand(4, 20, 22, 3)
    raises("to have 3 channels, but got 20 channels", nn.Conv2d(3, 1, 3), last)
    assert nn.Conv2d(3, 1, 3)(last.permute(0, 3, 1, 2)).shape == (4, 1, 18, 20)
    gray = torch.rand(32, 28, 28)
    raises("expected input[1, 32, 28, 28] to have 1 channels, but got 32 channels", nn.Conv2d(1, 1, 3), gray)
    assert nn.Conv2d(1, 1, 3)(gray.unsqueeze(1)).shape == (32, 1, 26, 26)


@claim(
    "`weight of size` begins with the layer's output channels and its input channels (divided by `groups`), and `input[...]` is the shape that arrived."
)
@pytest.mark.parametrize("groups", [1, 2])
def test_weight(groups: int) -> None:
    layer = nn.Conv2d(4, 6, 3, groups=groups)
    assert tuple(layer.weight.shape) == (6, 4 // groups, 3, 3)
    raises(f"weight of size [6, {4 // groups}, 3, 3], expected input[1, 5, 8, 8]", layer, torch.rand(1, 5, 8, 8))
