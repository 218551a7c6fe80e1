"""What `model.to(device)` moves, what it leaves behind, and what is saved."""

from __future__ import annotations

import pytest
import torch
from torch import nn

from claims.claimlib import claim, on_cuda, refuses
from claims.devices.mixed import Mixed


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


@claim(
    "several submodules | `nn.ModuleList([...])`, `nn.ModuleDict({...})`",
    "several parameters | `nn.ParameterList([...])`, `nn.ParameterDict({...})`",
    "A tensor in a plain attribute, and a layer in a Python list, stay where they are.",
)
def test_containers() -> None:
    model = nn.Module()
    model.layers, model.named = nn.ModuleList([nn.Linear(1, 1)]), nn.ModuleDict({"a": nn.Linear(1, 1)})
    model.list = nn.ParameterList([torch.ones(1)])
    model.dict = nn.ParameterDict({"a": torch.ones(1)})
    model.plain, model.hidden = torch.ones(1), [nn.Linear(1, 1)]
    assert len(list(model.parameters())) == len(model.state_dict()) == 6
    model.to("meta")
    assert {p.device.type for p in model.parameters()} == {"meta"}
    assert {model.plain.device.type, model.hidden[0].weight.device.type} == {"cpu"}


@claim("Without `loss_fn.to(device)` the weights stay on the CPU, and the loss fails if the logits are on a GPU.")
@on_cuda
@pytest.mark.parametrize("kind", [nn.CrossEntropyLoss, nn.NLLLoss])
def test_class_weights(kind: type[nn.Module]) -> None:
    loss, logits, targets = (
        kind(weight=torch.ones(2)),
        torch.zeros(3, 2, device="cuda"),
        torch.zeros(3, dtype=torch.int64),
    )
    assert refuses(loss, logits, targets.cuda())
    assert not refuses(loss.cuda(), logits, targets.cuda())
