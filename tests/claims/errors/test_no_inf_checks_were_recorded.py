"""Optimizers without a gradient."""

from __future__ import annotations

import torch
from torch import nn
from torch.optim import SGD, Adam

from claims.claimlib import claim, raises


@claim(
    "`update()` was called without a `step()` or `unscale_()` before it, for example after every part of an accumulated batch, or after the `step()` of a fused optimizer none of whose parameters has a gradient."
)
def test_update() -> None:
    other = [nn.Parameter(torch.ones(1))]
    for optimizer in (None, Adam(other, fused=True)):
        scaler = torch.amp.GradScaler("cpu")
        scaler.scale(nn.Parameter(torch.ones(1)).sum()).backward()
        if optimizer:
            scaler.step(optimizer)
        raises("No inf checks were recorded prior to update.", scaler.update)


@claim(
    "If an optimizer has no gradients in some iterations on purpose, call `scaler.step` for it only if a gradient is not `None`."
)
def test_step() -> None:
    scaler = torch.amp.GradScaler("cpu")
    scaler.scale(nn.Parameter(torch.ones(1)).sum()).backward()
    raises("No inf checks were recorded for this optimizer.", scaler.step, SGD([nn.Parameter(torch.ones(1))]))
