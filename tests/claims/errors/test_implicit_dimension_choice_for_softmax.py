"""A softmax without `dim`."""

from __future__ import annotations

import pytest
import torch
from torch import nn
from torch.nn import functional as F

from claims.claimlib import claim


@claim(
    "`nn.Softmax()`, `nn.LogSoftmax()`, `F.log_softmax` and `F.softmin` without `dim` warn as well, so write `nn.Softmax(dim=-1)`."
)
@pytest.mark.parametrize("call", [nn.Softmax(), nn.LogSoftmax(), F.log_softmax, F.softmin])
def test_warns(call: object) -> None:
    with pytest.warns(UserWarning, match="Implicit dimension choice"):
        call(torch.rand(2, 3))  # type: ignore[operator]


@claim("`torch.softmax` has no default, and raises `TypeError`.")
def test_no_default() -> None:
    with pytest.raises(TypeError):
        torch.softmax(torch.rand(2, 3))  # type: ignore[call-overload]
