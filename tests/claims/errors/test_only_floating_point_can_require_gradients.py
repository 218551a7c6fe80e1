"""Integers and gradients."""

from __future__ import annotations

import torch
from torch import nn

from claims.claimlib import claim, raises


@claim(
    "`nn.Parameter` of an integer tensor raises it too, for example for quantized weights: pass `requires_grad=False`, or use a buffer."
)
def test_parameter() -> None:
    raises("Only Tensors of floating point and complex dtype can require gradients", nn.Parameter, torch.tensor([1]))
    assert nn.Parameter(torch.tensor([1]), requires_grad=False).dtype == torch.int64


@claim("`requires_grad_()` says it in other words, `only Tensors of floating point dtype can require gradients`.")
def test_method() -> None:
    raises("only Tensors of floating point dtype can require gradients", torch.tensor([1]).requires_grad_)
