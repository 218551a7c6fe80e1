"""What `nn.Sequential` refuses."""

from __future__ import annotations

from collections import OrderedDict

import torch
from torch import nn

from claims.claimlib import claim, raises

LAYERS = [nn.ReLU(), nn.ReLU()]


@claim(
    "`torch.nn.functional.relu`, or `torch._VariableFunctionsClass.relu` for `torch.relu` | a function | the layer of this name, `nn.ReLU()`",
    "`torch.nn.modules.activation.ReLU` | `nn.ReLU`, the class | `nn.ReLU()`",
)
def test_functions() -> None:
    raises("torch.nn.functional.relu is not a Module subclass", nn.Sequential, torch.nn.functional.relu)
    raises("torch._VariableFunctionsClass.relu is not", nn.Sequential, torch.relu)
    raises("torch.nn.modules.activation.ReLU is not", nn.Sequential, nn.ReLU)


@claim(
    "`list`, `tuple` | a list, to `nn.Sequential` | a star: `nn.Sequential(*layers)`; `nn.ModuleList` takes the list, but no list in it",
    "`dict` | a dictionary, to `nn.Sequential` | `nn.Sequential(OrderedDict(layers))`",
)
def test_containers() -> None:
    raises("list is not a Module subclass", nn.Sequential, LAYERS)
    raises("tuple is not a Module subclass", nn.Sequential, tuple(LAYERS))
    raises("list is not a Module subclass", nn.ModuleList, [LAYERS])
    raises("dict is not a Module subclass", nn.Sequential, {"a": LAYERS[0]})
    assert len(nn.Sequential(*LAYERS)) == len(nn.ModuleList(LAYERS)) == 2
    assert len(nn.Sequential(OrderedDict({"a": LAYERS[0]}))) == 1


@claim("Write the numbers into the parameter that is there, so that the optimizer keeps it:")
def test_parameter() -> None:
    layer = nn.Linear(1, 1)
    raises("cannot assign 'torch.FloatTensor' as parameter 'weight'", setattr, layer, "weight", torch.ones(1, 1))
    before = layer.weight
    with torch.no_grad():
        layer.weight.copy_(torch.ones(1, 1))
    assert layer.weight is before
