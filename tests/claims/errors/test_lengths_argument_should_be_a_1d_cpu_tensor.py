"""Lengths of sequences."""

from __future__ import annotations

import torch
from torch.nn.utils.rnn import pack_padded_sequence

from claims.claimlib import claim, raises


@claim(
    "The same message with `2D cpu Long tensor` means a dimension too many, such as (batch, 1): `lengths.squeeze(1)`."
)
def test_column() -> None:
    lengths = torch.tensor([[2], [1]])
    raises("but got 2D cpu Long tensor", pack_padded_sequence, torch.ones(2, 2, 1), lengths)
    assert pack_padded_sequence(torch.ones(2, 2, 1), lengths.squeeze(1)).data.shape == (3, 1)
