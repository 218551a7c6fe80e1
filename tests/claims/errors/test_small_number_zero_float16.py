"""Guards that `float16` rounds to zero."""

from __future__ import annotations

import torch
from torch import nn
from torch.nn.functional import normalize
from torch.optim import Adam

from claims.claimlib import claim


@claim("`F.normalize` on a `float16` tensor has the same trouble: its default `eps` is 1e-12.")
def test_normalize() -> None:
    assert normalize(torch.zeros(2, dtype=torch.float16), dim=0).isnan().all()
    assert normalize(torch.zeros(2, dtype=torch.bfloat16), dim=0).tolist() == [0, 0]


@claim("So has Adam on `float16` parameters: its `eps` of 1e-8 is zero, and a gradient of 0 makes a parameter `nan`.")
def test_adam() -> None:
    for dtype, nans in ((torch.float16, [True, False]), (torch.float32, [False, False])):
        parameter = nn.Parameter(torch.ones(2, dtype=dtype))
        parameter.grad = torch.tensor([0, 1], dtype=dtype)
        Adam([parameter], lr=1e-3).step()
        assert parameter.isnan().tolist() == nans
