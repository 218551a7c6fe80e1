"""What the lesson about saving says beside its blocks."""

from __future__ import annotations

import pytest
from torch import nn

from claims.claimlib import claim, refuses


@claim(
    "It compares names and shapes, and raises [an error](../errors/missing-keys-in-state-dict.md) if the model in your code has others than the model that you saved."
)
@pytest.mark.parametrize(
    ("other", "is_refused"),
    [
        (nn.Sequential(nn.Linear(2, 3), nn.ReLU()), False),
        (nn.Sequential(nn.Linear(2, 3), nn.Tanh()), False),
        (nn.Sequential(nn.Linear(2, 4), nn.ReLU()), True),
        (nn.Sequential(nn.ReLU(), nn.Linear(2, 3)), True),
        (nn.Sequential(nn.Linear(2, 3), nn.Linear(3, 1)), True),
    ],
    ids=["same", "another activation", "another shape", "another name", "one more"],
)
def test_names_and_shapes(other: nn.Module, is_refused: bool) -> None:
    saved = nn.Sequential(nn.Linear(2, 3), nn.ReLU()).state_dict()
    assert refuses(other.load_state_dict, saved) == is_refused
