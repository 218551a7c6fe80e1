"""The dimensions that convolutions take."""

from __future__ import annotations

import pytest
import torch
from torch import nn

from claims.claimlib import claim, raises, refuses


@claim(
    "A 2-D convolution takes images as (channels, height, width) or (batch, channels, height, width).",
    "`conv1d` says `Expected 2D (unbatched) or 3D (batched) input`, and `conv3d` `Expected 4D (unbatched) or 5D (batched) input`.",
)
@pytest.mark.parametrize(("kind", "dims"), [(nn.Conv1d, 1), (nn.Conv2d, 2), (nn.Conv3d, 3)])
def test_dimensions(kind: type, dims: int) -> None:
    layer = kind(3, 1, 1)
    for n in range(1, 7):
        x = torch.rand(n * (3,))
        assert refuses(layer, x) == (n not in (dims + 1, dims + 2))
    raises(f"Expected {dims + 1}D (unbatched) or {dims + 2}D (batched) input", layer, torch.rand(3))


@claim(
    "`[32, 784]` | flattened images, as in a CSV file of MNIST, or `flatten` before the convolution | `unflatten(1, (1, 28, 28))`, or leave out `flatten`",
    "`[28, 28]` | a gray image without channel and batch | `x[None, None]`",
    "`[32, 5, 3, 28, 28]` | several images for each sample, such as frames | `flatten(0, 1)` before the layer, `unflatten(0, (32, 5))` after it",
)
def test_fixes() -> None:
    gray, color = nn.Conv2d(1, 2, 3), nn.Conv2d(3, 2, 3)
    assert gray(torch.rand(32, 784).unflatten(1, (1, 28, 28))).shape == (32, 2, 26, 26)
    assert gray(torch.rand(28, 28)[None, None]).shape == (1, 2, 26, 26)
    assert color(torch.rand(32, 5, 3, 28, 28).flatten(0, 1)).unflatten(0, (32, 5)).shape == (32, 5, 2, 26, 26)


@claim(
    "With the right number of dimensions and a wrong order you get another message, or none: a batch of 32 gray images, `(32, 28, 28)`, passes as one image with 32 channels if the layer has `in_channels=32`."
)
def test_passes() -> None:
    assert nn.Conv2d(32, 1, 3)(torch.rand(32, 28, 28)).shape == (1, 26, 26)
    raises("to have 1 channels", nn.Conv2d(1, 1, 3), torch.rand(32, 28, 28))
