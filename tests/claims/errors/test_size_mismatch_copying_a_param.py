"""Sizes and `strict=False`."""

from __future__ import annotations

import torch
from torch import nn

from claims.claimlib import claim, raises


@claim("`strict=False` does not help, since it is about names that are missing or too many.")
def test_strict() -> None:
    layer, state = nn.Linear(1, 1), {"weight": torch.ones(2, 1), "other": torch.ones(1)}
    raises("size mismatch for weight", layer.load_state_dict, state, strict=False)
    assert layer.load_state_dict({"other": torch.ones(1)}, strict=False).unexpected_keys == ["other"]
