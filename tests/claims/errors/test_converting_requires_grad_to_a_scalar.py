"""Numbers without a gradient."""

from __future__ import annotations

import warnings

import torch

from claims.claimlib import claim


@claim("`torch.tensor([w])` and a write into a NumPy array convert too; `torch.stack([w])` keeps the gradient.")
def test_stack() -> None:
    w = torch.tensor(2.0, requires_grad=True)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert not torch.tensor([w]).requires_grad
    assert torch.stack([w]).requires_grad
