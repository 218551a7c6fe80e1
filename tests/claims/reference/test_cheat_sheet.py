"""The cheat sheet: bytes of training, and the fixes of ten mistakes."""

from __future__ import annotations

import pytest
import torch
from torch import nn

from claims.claimlib import claim, refuses


@claim(
    "Weights, gradients and AdamW's two averages take 16 bytes for each `float32` parameter; activations come on top:"
)
@pytest.mark.parametrize("make", [lambda: nn.Linear(3, 5), lambda: nn.LSTM(2, 3), lambda: nn.MultiheadAttention(4, 2)])
def test_sixteen_bytes(make: object) -> None:
    model = make()
    optimizer = torch.optim.AdamW(model.parameters())
    for parameter in model.parameters():
        parameter.grad = torch.ones_like(parameter)
    optimizer.step()
    state = [value for values in optimizer.state.values() for value in values.values() if value.ndim]
    held = [*model.parameters(), *(p.grad for p in model.parameters()), *state]
    assert sum(x.nbytes for x in held) == 16 * sum(p.numel() for p in model.parameters())


@claim(
    "1 | make the inner sizes equal: `nn.Linear(4, 1)`",
    "2 | make the sizes equal, or one of them 1",
    "3 | `reshape`",
    "4 | convert: `x.float()`, or `x.to(layer.weight.dtype)`",
)
def test_fixes() -> None:
    layer, wide = nn.Linear(3, 1), torch.ones(2, 3, dtype=torch.float64)
    assert refuses(layer, torch.ones(2, 4))
    assert nn.Linear(4, 1)(torch.ones(2, 4)).shape == (2, 1)
    assert refuses(torch.add, torch.ones(3), torch.ones(4))
    assert (torch.ones(3) + torch.ones(1)).shape == (torch.ones(1, 4) + torch.ones(3, 1)).T.shape[1:] == (3,)
    assert refuses(torch.ones(2, 3).T.view, 6)
    assert torch.ones(2, 3).T.reshape(6).shape == (6,)
    assert refuses(layer, wide)
    assert layer(wide.float()).dtype == layer(wide.to(layer.weight.dtype)).dtype == torch.float32
