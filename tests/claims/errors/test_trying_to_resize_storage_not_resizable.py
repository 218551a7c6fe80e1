"""Memory that is not PyTorch's own."""

from __future__ import annotations

import numpy as np
import torch

from claims.claimlib import claim, raises


@claim(
    "`resize_()` and `out=` raise the message too, if they need more room in a tensor whose memory is not PyTorch's own, as after `from_numpy`, `frombuffer` or `from_dlpack`: make a new tensor."
)
def test_foreign_memory() -> None:
    for x in (
        torch.from_numpy(np.ones(2)),
        torch.from_dlpack(np.ones(2)),
        torch.frombuffer(bytearray(16), dtype=torch.float64),
    ):
        raises("Trying to resize storage that is not resizable", x.resize_, 5)
        assert x.resize_(1).shape == (1,)
