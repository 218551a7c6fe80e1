"""Labels out of range."""

from __future__ import annotations

import torch
from torch.nn.functional import binary_cross_entropy_with_logits, cross_entropy

from claims.claimlib import claim, raises


@claim(
    "A class label is not smaller than the number of classes, or is negative (and not `ignore_index`, -100 by default)."
)
def test_range() -> None:
    for label in (3, -1):
        raises(f"Target {label} is out of bounds", cross_entropy, torch.ones(1, 3), torch.tensor([label]))
    assert cross_entropy(torch.ones(2, 3), torch.tensor([0, -100])).isfinite()


@claim(
    "`Target 1 is out of bounds` often comes from a model with a single output: use `binary_cross_entropy_with_logits` there, with float targets in the shape of the output."
)
def test_single_output() -> None:
    output, labels = torch.zeros(2, 1), torch.tensor([0, 1])
    raises("Target 1 is out of bounds", cross_entropy, output, labels)
    assert binary_cross_entropy_with_logits(output, labels.float().unsqueeze(1)).isfinite()
