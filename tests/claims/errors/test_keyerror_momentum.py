"""Another optimizer's state."""

from __future__ import annotations

import torch
from torch import nn
from torch.optim import SGD, Adam, AdamW, Optimizer

from claims.claimlib import claim, raises


def stepped(kind: type[Optimizer]) -> Optimizer:
    parameter = nn.Parameter(torch.ones(2))
    parameter.grad = torch.ones(2)
    optimizer = kind([parameter], lr=0.1)  # type: ignore[call-arg]
    optimizer.step()
    return optimizer


@claim(
    "`load_state_dict` takes the options from the file in place of yours, does not check whose they are, and `step()` misses one."
)
def test_options() -> None:
    optimizer = stepped(SGD)
    optimizer.load_state_dict(stepped(Adam).state_dict())
    raises("momentum", optimizer.step)


@claim("Its weight decay is gone:")
def test_weight_decay() -> None:
    optimizer = stepped(AdamW)
    assert optimizer.param_groups[0]["weight_decay"] > 0
    optimizer.load_state_dict(stepped(Adam).state_dict())
    assert optimizer.param_groups[0]["weight_decay"] == 0
