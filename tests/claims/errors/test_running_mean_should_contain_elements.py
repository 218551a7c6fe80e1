"""Names in the message."""

from __future__ import annotations

import torch
from torch import nn

from claims.claimlib import claim, raises


@claim(
    "Without running statistics (`track_running_stats=False`) the message names `weight` in place of `running_mean`."
)
def test_weight() -> None:
    raises("running_mean should contain 3 elements not 4", nn.BatchNorm1d(4), torch.ones(2, 3))
    raises("weight should contain 3 elements not 4", nn.BatchNorm1d(4, track_running_stats=False), torch.ones(2, 3))
