"""The two wordings."""

from __future__ import annotations

import torch
from torch import nn

from claims.claimlib import claim, raises

DOUBLE = torch.ones(1, 2, dtype=torch.float64)


@claim("A layer with bias raises the first message, a layer without bias and the `@` of two matrices the second.")
def test_wordings() -> None:
    raises("mat1 and mat2 must have the same dtype, but got Double and Float", nn.Linear(2, 2), DOUBLE)
    raises("expected m1 and m2 to have the same dtype, but got: double != float", nn.Linear(2, 2, bias=False), DOUBLE)
    raises("expected m1 and m2 to have the same dtype, but got: double != float", lambda: DOUBLE @ torch.ones(2, 2))


@claim("`Float and BFloat16` is a `float32` input of a model in 16 bits: write `inputs.to(layer.weight.dtype)`.")
def test_half_model() -> None:
    layer, inputs = nn.Linear(2, 2).to(torch.bfloat16), torch.ones(1, 2)
    raises("Float and BFloat16", layer, inputs)
    assert layer(inputs.to(layer.weight.dtype)).dtype == torch.bfloat16
