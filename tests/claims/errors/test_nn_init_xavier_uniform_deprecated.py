"""Old names of `nn.init`."""

from __future__ import annotations

import pytest
import torch
from torch import nn

from claims.claimlib import claim, same

NAMES = (
    "constant",
    "normal",
    "uniform",
    "kaiming_normal",
    "kaiming_uniform",
    "xavier_normal",
    "orthogonal",
    "eye",
    "dirac",
    "sparse",
)
MORE = {"constant": (1.0,), "sparse": (0.5,)}


@claim(
    "The same goes for the other functions: `constant`, `normal`, `uniform`, `kaiming_normal`, `kaiming_uniform`, `xavier_normal`, `orthogonal`, `eye`, `dirac` and `sparse`."
)
@pytest.mark.parametrize("name", NAMES)
def test_names(name: str) -> None:
    old, new = (torch.ones((3, 3, 3) if name == "dirac" else (3, 3)) for _ in range(2))
    torch.manual_seed(0)
    with pytest.warns(FutureWarning, match=f"`nn.init.{name}` is now deprecated"):
        getattr(nn.init, name)(old, *MORE.get(name, ()))
    torch.manual_seed(0)
    getattr(nn.init, f"{name}_")(new, *MORE.get(name, ()))
    same(old, new)
