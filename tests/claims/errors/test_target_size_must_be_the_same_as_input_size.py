"""Columns of labels."""

from __future__ import annotations

import torch
from torch import nn

from claims.claimlib import claim, raises


@claim(
    "`BCELoss` says `Using a target size (torch.Size([4])) that is different to the input size (torch.Size([4, 1])) is deprecated`, and raises it too."
)
def test_bce() -> None:
    raises(
        "that is different to the input size (torch.Size([4, 1])) is deprecated",
        nn.BCELoss(),
        torch.ones(4, 1),
        torch.ones(4),
    )


@claim("`squeeze()` without the 1 also takes the batch dimension of a batch of one.")
def test_batch_of_one() -> None:
    output, label = torch.zeros(1, 1), torch.ones(1)
    raises("must be the same as input size", nn.BCEWithLogitsLoss(), output.squeeze(), label)
    assert nn.BCEWithLogitsLoss()(output.squeeze(1), label).isfinite()
