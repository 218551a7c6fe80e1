"""A model that was built in inference mode."""

from __future__ import annotations

import torch
from torch import nn

from claims.claimlib import claim, raises

OUTSIDE = "inference tensor outside InferenceMode is not allowed"


@claim(
    "So do the parameters and the buffers of a model that was built in the block: `requires_grad_()`, `load_state_dict` and a `BatchNorm` in training raise it."
)
def test_model() -> None:
    with torch.inference_mode():
        model = nn.BatchNorm1d(2)
    raises(OUTSIDE, model.requires_grad_)
    raises(OUTSIDE, model.load_state_dict, nn.BatchNorm1d(2).state_dict())
    raises(OUTSIDE, model, torch.rand(3, 2))
