"""One-hot rows and class numbers."""

from __future__ import annotations

import torch
from torch.nn.functional import cross_entropy, one_hot

from claims.claimlib import claim, close, raises

SCORES, CLASSES = torch.tensor([[1.0, 2, 0], [0, 1, 3], [2, 1, 1], [0, 0, 5]]), torch.tensor([0, 1, 2, 0])
ROWS = one_hot(CLASSES, 3).float()


@claim("Give class numbers, or floats; the loss is the same.")
def test_same() -> None:
    close(cross_entropy(SCORES, ROWS), cross_entropy(SCORES, CLASSES))
    close(cross_entropy(SCORES, ROWS, label_smoothing=0.1), cross_entropy(SCORES, CLASSES, label_smoothing=0.1))


@claim(
    "Only with `weight` it differs: for floats the sum is divided by the batch size, and not by the weights of the classes."
)
def test_weight() -> None:
    weight = torch.tensor([1.0, 2, 3])
    total = cross_entropy(SCORES, CLASSES, weight=weight, reduction="sum")
    close(cross_entropy(SCORES, ROWS, weight=weight), total / 4)
    close(cross_entropy(SCORES, CLASSES, weight=weight), total / weight[CLASSES].sum())


@claim(
    "Class numbers of shape (batch, 1) raise it if the model has a single output, and another message if it has more."
)
def test_column() -> None:
    column = torch.zeros(4, 1, dtype=torch.int64)
    raises("Expected floating point type for target with class probabilities", cross_entropy, torch.rand(4, 1), column)
    raises("0D or 1D target tensor expected", cross_entropy, torch.rand(4, 3), column)
