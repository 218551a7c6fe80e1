"""What an inference tensor may do."""

from __future__ import annotations

import torch
from torch import nn

from claims.claimlib import claim, raises


@claim("The clone has to be made outside of the block; one made inside is an inference tensor, too.")
def test_clone() -> None:
    with torch.inference_mode():
        x = torch.ones(2)
        assert x.clone().is_inference()
    assert not x.clone().is_inference()


@claim("An operation that saves nothing, such as `w + features`, raises no error.")
def test_sum() -> None:
    w = torch.ones(2, requires_grad=True)
    with torch.inference_mode():
        features = torch.ones(2)
    assert (w + features).requires_grad
    raises("Inference tensors cannot be saved for backward", lambda: w * features)


@claim("A single layer may raise nothing when its input is data: its bias gets a gradient, and its weight gets none.")
def test_layer() -> None:
    with torch.inference_mode():
        layer = nn.Linear(2, 2)
    layer(torch.ones(1, 2)).sum().backward()
    assert layer.weight.grad is None
    assert layer.bias.grad is not None
