"""Names that are no device."""

from __future__ import annotations

import torch
from torch import nn

from claims.claimlib import claim, raises


@claim('A dtype as a string raises it too: write `model.to(torch.half)`, not `model.to("half")`.')
def test_half() -> None:
    raises("Expected one of cpu, cuda", nn.Linear(1, 1).to, "half")
    assert nn.Linear(1, 1).to(torch.half).weight.dtype == torch.float16
