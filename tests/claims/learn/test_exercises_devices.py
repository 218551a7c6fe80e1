"""What the solutions of the exercises about devices say."""

from __future__ import annotations

import torch

from claims.claimlib import claim


@claim(
    "`torch.device` keeps the index in 8 bits: `cuda:200` has the index -56, which the comparison with 0 catches; but `cuda:256` is `cuda:0`."
)
def test_eight_bits() -> None:
    assert torch.device("cuda:200").index == -56
    assert torch.device("cuda:256") == torch.device("cuda:0")
