"""Shapes of outputs and labels."""

from __future__ import annotations

import torch
from torch import nn
from torch.nn.functional import cross_entropy

from claims.claimlib import claim, close, on_cuda, raises


@claim("Flatten batch and steps of both, or bring the classes to dimension 1; the mean is the same:")
def test_steps() -> None:
    scores, labels = torch.rand(2, 5, 10), torch.randint(10, (2, 5))
    raises("Expected target size [2, 10], got [2, 5]", cross_entropy, scores, labels)
    close(cross_entropy(scores.flatten(0, 1), labels.flatten()), cross_entropy(scores.mT, labels))


@claim(
    "If you flatten the outputs alone, you get [the message above](#err-batch-size-to-match).",
    "If there are as many steps as classes, there is no message, and the loss is wrong.",
)
def test_other_cases() -> None:
    scores, labels = torch.rand(2, 5, 5), torch.randint(5, (2, 5))
    raises("to match target batch_size", cross_entropy, scores.flatten(0, 1), labels)
    assert cross_entropy(scores, labels) != cross_entropy(scores.mT, labels)


@claim("On CUDA the message ends in `targets of size`, and the shape.")
@on_cuda
def test_masks() -> None:
    scores, masks = torch.ones(2, 3, 4, 4, device="cuda"), torch.zeros(2, 1, 4, 4, dtype=torch.int64, device="cuda")
    raises("but got targets of size", cross_entropy, scores, masks)
    raises("input and target batch or spatial sizes don't match", cross_entropy, scores, masks[:, 0, :3])
    assert cross_entropy(scores, masks.squeeze(1)).isfinite()


@claim("An LSTM or GRU without `batch_first=True` takes the first dimension for the steps.")
def test_lstm() -> None:
    x = torch.rand(8, 32, 2)
    assert nn.LSTM(2, 3)(x)[0][-1].shape == (32, 3)
    assert nn.LSTM(2, 3, batch_first=True)(x)[0][:, -1].shape == (8, 3)
