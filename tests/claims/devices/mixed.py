"""A module with one of each kind of state, for claims about what moves and what is saved."""

from __future__ import annotations

import torch
from torch import nn


class Mixed(nn.Module):
    """One of each: a parameter, a buffer, an integer buffer, a plain tensor, a layer in a list."""

    def __init__(self) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.ones(2))
        self.register_buffer("mean", torch.ones(2))
        self.register_buffer("count", torch.ones(2, dtype=torch.int64))
        self.register_buffer("table", torch.ones(2), persistent=False)
        self.plain = torch.ones(2)
        self.layers = [nn.Linear(1, 1)]
