"""Empty sequences."""

from __future__ import annotations

import torch
from torch.nn.utils.rnn import pack_padded_sequence

from claims.claimlib import claim, raises


@claim(
    "If all sequences of the batch are empty, none is left, and `pack_padded_sequence` raises `Cannot pack empty tensors.`: skip such a batch."
)
def test_none_left() -> None:
    raises("Length of all samples has to be greater than 0", pack_padded_sequence, torch.ones(2, 2, 1), [2, 0])
    raises("Cannot pack empty tensors.", pack_padded_sequence, torch.ones(2, 0, 1), [])
