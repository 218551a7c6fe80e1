"""Containers without a `forward`."""

from __future__ import annotations

import torch
from torch import nn

from claims.claimlib import claim, raises, same


@claim("Called with a keyword, such a module says `_forward_unimplemented() got an unexpected keyword argument 'x'`.")
def test_keyword() -> None:
    raises("_forward_unimplemented() got an unexpected keyword argument 'x'", nn.Module(), x=1)


@claim("`nn.ModuleList` and `nn.ModuleDict` hold layers, and do not say in which order they run.")
def test_containers() -> None:
    raises('is missing the required "forward" function', nn.ModuleList([nn.ReLU()]), torch.ones(1))
    raises('is missing the required "forward" function', nn.ModuleDict({"a": nn.ReLU()}), torch.ones(1))


@claim("Loop over them, or use `nn.Sequential`, which calls one after the other:")
def test_loop() -> None:
    layers, x = nn.ModuleList([nn.Linear(2, 3), nn.ReLU(), nn.Linear(3, 1)]), torch.rand(4, 2)
    y = x
    for layer in layers:
        y = layer(y)
    same(nn.Sequential(*layers)(x), y)
