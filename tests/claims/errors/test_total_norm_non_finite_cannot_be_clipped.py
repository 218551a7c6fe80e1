"""Clipping without a scaler."""

from __future__ import annotations

import torch
from torch import nn

from claims.claimlib import INF, claim


@claim(
    "Without a scaler nothing skips the step: with `False`, clipping spreads the `nan` to the gradients and the step to the weights."
)
def test_spreads() -> None:
    parameter = nn.Parameter(torch.ones(2))
    parameter.grad = torch.tensor([INF, 1.0])
    nn.utils.clip_grad_norm_([parameter], 1.0)
    torch.optim.SGD([parameter], lr=0.1).step()
    assert not parameter.isfinite().all()
