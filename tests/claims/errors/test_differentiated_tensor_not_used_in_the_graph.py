"""New tensors that the output does not depend on."""

from __future__ import annotations

import torch

from claims.claimlib import claim, raises


@claim(
    "Often the output does depend on the values, but you asked for a new tensor made from the one that was used: `used[0]`, `used.view(2)`, `used.double()` or `-used`."
)
def test_new_tensors() -> None:
    used = torch.ones(2, requires_grad=True)
    for new in (used[0], used.view(2), used.double(), -used):
        raises("used in the graph", torch.autograd.grad, (used**2).sum(), new)
