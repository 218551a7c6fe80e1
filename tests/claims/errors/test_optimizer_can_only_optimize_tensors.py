"""What an optimizer refuses."""

from __future__ import annotations

import torch
from torch import nn
from torch.optim import SGD

from claims.claimlib import claim, raises


@claim("`str` comes from a dictionary such as `model.state_dict()`, whose keys are names.")
def test_names() -> None:
    raises("one of the params is str", SGD, nn.Linear(1, 1).state_dict())


@claim(
    "A layer's name in the message comes from a list of layers or an `nn.Sequential`, `not iterable` from another model, and `Module.parameters` from `[a.parameters(), b.parameters()]`."
)
def test_layers() -> None:
    layer = nn.Linear(1, 1)
    raises("Linear", SGD, [layer])
    raises("Linear", SGD, nn.Sequential(layer))
    raises("not iterable", SGD, layer)
    raises("Module.parameters", SGD, [layer.parameters(), layer.parameters()])
    assert len(SGD([*layer.parameters(), torch.ones(1)]).param_groups[0]["params"]) == 3
