"""The state of a recurrent layer."""

from __future__ import annotations

import torch
from torch import nn

from claims.claimlib import claim, raises


@claim("A GRU and an RNN say `Expected hidden size`, without `[0]`; `hidden[1]` is the cell state of an LSTM.")
def test_hidden() -> None:
    x, bad, good = torch.ones(4, 1, 2), torch.ones(1, 2, 3), torch.ones(1, 1, 3)
    raises("Expected hidden size", nn.GRU(2, 3), x, bad)
    raises("Expected hidden size", nn.RNN(2, 3), x, bad)
    raises("Expected hidden[1] size", nn.LSTM(2, 3), x, (good, bad))


@claim(
    "For the reverse, the message says `For batched 3-D input, hx and cx should also be 3-D`; a GRU and an RNN name `hx` alone."
)
def test_batched() -> None:
    state = torch.ones(1, 3)
    raises("For batched 3-D input, hx and cx should also be 3-D", nn.LSTM(2, 3), torch.ones(4, 1, 2), (state, state))
    raises("For batched 3-D input, hx should also be 3-D", nn.GRU(2, 3), torch.ones(4, 1, 2), state)


@claim("A series with one value for each step, of shape (batch, steps), needs `unsqueeze(-1)` and `input_size=1`.")
def test_series() -> None:
    assert nn.LSTM(1, 3, batch_first=True)(torch.ones(4, 7).unsqueeze(-1))[0].shape == (4, 7, 3)
