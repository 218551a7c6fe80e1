"""Schedulers that resume."""

from __future__ import annotations

import torch
from torch import nn
from torch.optim.lr_scheduler import StepLR

from claims.claimlib import claim, raises


@claim(
    "A scheduler writes `initial_lr` into each group of the optimizer; with `last_epoch` of 0 or more it expects to find it there.",
    "For a new run, leave `last_epoch` out; its default is -1, and not 0.",
)
def test_initial_lr() -> None:
    optimizer = torch.optim.SGD([nn.Parameter(torch.ones(1))], lr=0.1)
    raises("initial_lr", StepLR, optimizer, 1, last_epoch=0)
    StepLR(optimizer, 1)
    assert optimizer.param_groups[0]["initial_lr"] == 0.1
    assert StepLR(optimizer, 5, last_epoch=0).last_epoch == 1
