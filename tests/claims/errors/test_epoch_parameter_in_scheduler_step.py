"""Schedulers and their second argument."""

from __future__ import annotations

import warnings

import pytest
import torch
from torch import nn
from torch.optim.lr_scheduler import CosineAnnealingWarmRestarts, ReduceLROnPlateau, StepLR

from claims.claimlib import claim


def optimizer() -> torch.optim.Optimizer:
    parameter = nn.Parameter(torch.ones(1))
    parameter.grad = torch.ones(1)
    one = torch.optim.SGD([parameter], lr=0.1)
    one.step()
    return one


@claim("`ReduceLROnPlateau` warns for its second argument, the epoch; the first is the loss, and stays.")
def test_plateau() -> None:
    with pytest.warns(UserWarning, match="epoch parameter"):
        ReduceLROnPlateau(optimizer()).step(1.0, 3)
    one = optimizer()
    scheduler = StepLR(one, 1)
    one.step()
    with pytest.warns(UserWarning, match="epoch parameter"):
        scheduler.step(3)


@claim("`CosineAnnealingWarmRestarts` takes a fraction of an epoch, and does not warn.")
def test_warm_restarts() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        scheduler = CosineAnnealingWarmRestarts(optimizer(), 2)
        scheduler.step(0.5)
    assert 0.05 < scheduler.get_last_lr()[0] < 0.1
