"""What `model.to(device)` moves, what it leaves behind, and what is saved."""

from __future__ import annotations

import torch
from torch import nn

from claims.claimlib import claim


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


@claim(
    "`Module.to` reaches parameters, buffers and registered submodules. It does not look into plain attributes: a tensor, a list or a dictionary in one stays as it is.",
    "The integer buffer moved, and kept its dtype: `Module.to` casts floating point and complex tensors only.",
)
def test_what_stays_behind() -> None:
    model = Mixed().to("meta", torch.float16)
    assert [(x.device.type, x.dtype) for x in (model.weight, model.mean, model.table)] == [("meta", torch.float16)] * 3
    assert (model.count.device.type, model.count.dtype) == ("meta", torch.int64)
    assert [x.device.type for x in (model.plain, model.layers[0].weight)] == ["cpu", "cpu"]


@claim(
    'not learned, saved with the model | `self.register_buffer("name", tensor)`',
    'not learned, can be computed again | `self.register_buffer("name", tensor, persistent=False)`',
    "learned | `self.w = nn.Parameter(tensor)`",
)
def test_what_is_saved() -> None:
    assert list(Mixed().state_dict()) == ["weight", "mean", "count"]
    assert [name for name, _ in Mixed().named_parameters()] == ["weight"]


@claim(
    "The module that computes it has nothing to move, unless it holds tensors:",
    "Class weights are a buffer, so a loss with weights moves like a model:",
)
def test_losses() -> None:
    assert list(nn.CrossEntropyLoss().buffers()) == list(nn.MSELoss().state_dict()) == []
    assert nn.CrossEntropyLoss(weight=torch.ones(2)).to("meta").weight.device.type == "meta"
