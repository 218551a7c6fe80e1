"""Which BatchNorm takes which input."""

from __future__ import annotations

import pytest
import torch
from torch import nn

from claims.claimlib import claim, refuses


@claim(
    "`BatchNorm2d` takes four dimensions, `BatchNorm1d` two or three, and the input has another number.",
    "`(batch, features)` from a linear layer, `(batch, channels, length)` | `BatchNorm1d`",
    "`(batch, channels, height, width)` | `BatchNorm2d`",
    "`(batch, channels, depth, height, width)` | `BatchNorm3d`",
)
@pytest.mark.parametrize(("name", "takes"), [("BatchNorm1d", {2, 3}), ("BatchNorm2d", {4}), ("BatchNorm3d", {5})])
def test_dimensions(name: str, takes: set[int]) -> None:
    for dims in range(1, 7):
        assert refuses(getattr(nn, name)(2), torch.rand(dims * (2,))) == (dims not in takes)


@claim("`LayerNorm` takes the sizes of the last dimensions; the channels of images are not last.")
def test_layer_norm() -> None:
    x = torch.rand(2, 3, 8, 9)
    assert not refuses(nn.LayerNorm([8, 9]), x)
    assert not refuses(nn.LayerNorm(9), x)
    assert refuses(nn.LayerNorm(3), x)


@claim("The two are different: the first normalizes the channels of each pixel, the second all numbers of an image.")
def test_two_norms() -> None:
    x = torch.randn(2, 3, 8, 8)
    pixels = nn.LayerNorm(3)(x.movedim(1, -1)).movedim(-1, 1)
    images = nn.GroupNorm(1, 3)(x)
    assert pixels.mean(dim=1).abs().max() < 1e-4
    assert images.mean(dim=(1, 2, 3)).abs().max() < 1e-4
    assert images.mean(dim=1).abs().max() > 0.1
