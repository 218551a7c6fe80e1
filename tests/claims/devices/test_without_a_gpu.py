"""Where meta tensors stop."""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import nn
from torch.optim import Adafactor, Adam

from claims.claimlib import claim, raises, refuses


def step(kind: type[torch.optim.Optimizer], **options: bool) -> None:
    with torch.device("meta"):
        layer, x = nn.Linear(2, 2), torch.ones(1, 2)
    optimizer = kind(layer.parameters(), **options)  # type: ignore[call-arg]
    layer(x).sum().backward()
    optimizer.step()


@claim("Meta tensors have no values, so code that needs one stops there, the step of `Adafactor` for example.")
def test_values() -> None:
    step(Adam)
    raises("Tensor.item() cannot be called on meta tensors", step, Adafactor)


@claim(
    "A fused optimizer stops too, and an operation without a rule for shapes, such as the backward pass of `F.ctc_loss`."
)
def test_no_rule() -> None:
    raises("fused=True", step, Adam, fused=True)
    scores = torch.rand(5, 1, 3, device="meta").log_softmax(2).requires_grad_()
    targets = torch.ones(1, 2, dtype=torch.int64, device="meta")
    loss = F.ctc_loss(scores, targets, [5], [2])
    assert refuses(loss.backward)
