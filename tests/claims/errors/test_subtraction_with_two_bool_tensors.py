"""Truth values and `-`."""

from __future__ import annotations

import torch

from claims.claimlib import claim, raises


@claim(
    "With one bool tensor, as in `1 - mask`, the message says `with a bool tensor is not supported`: write `~mask`, or `1 - mask.int()`."
)
def test_one() -> None:
    mask = torch.tensor([True, False])
    raises("with a bool tensor is not supported", lambda: 1 - mask)
    assert (~mask).int().tolist() == (1 - mask.int()).tolist() == [0, 1]
