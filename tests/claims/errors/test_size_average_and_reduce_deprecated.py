"""Old arguments of losses, and the word that replaces them."""

from __future__ import annotations

import pytest
import torch
from torch import nn

from claims.claimlib import claim, same


@claim(
    '`size_average=True`, `reduce=True`, or both | `reduction="mean"`, the default',
    '`size_average=False` | `reduction="sum"`',
    '`reduce=False`, with or without `size_average` | `reduction="none"`',
)
@pytest.mark.filterwarnings("ignore:size_average and reduce args will be deprecated")
@pytest.mark.parametrize("name", ["MSELoss", "L1Loss", "BCEWithLogitsLoss", "SmoothL1Loss"])
@pytest.mark.parametrize(
    ("old", "new"),
    [
        ({"size_average": True}, "mean"), ({"reduce": True}, "mean"), ({"size_average": True, "reduce": True}, "mean"), ({"size_average": False}, "sum"),
        ({"reduce": False}, "none"), ({"reduce": False, "size_average": True}, "none"), ({"reduce": False, "size_average": False}, "none"),
    ],
)  # fmt: skip
def test_old_and_new(name: str, old: dict[str, bool], new: str) -> None:
    x, y, kind = torch.randn(3, 2), torch.rand(3, 2), getattr(nn, name)
    assert kind(**old).reduction == kind(reduction=new).reduction == new
    same(kind(**old)(x, y), kind(reduction=new)(x, y))
