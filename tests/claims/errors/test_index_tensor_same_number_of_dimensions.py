"""What `gather` reads."""

from __future__ import annotations

import torch

from claims.claimlib import claim, raises, same


@claim(
    "To take whole rows of `x` with shape `(batch, length, features)`, repeat the index, `x.gather(1, index.unsqueeze(-1).expand(-1, -1, x.size(-1)))`: without `expand` you get the first feature alone, and no error."
)
def test_whole_rows() -> None:
    x, index = torch.rand(2, 4, 3), torch.tensor([[0, 2], [3, 3]])
    rows = x.gather(1, index.unsqueeze(-1).expand(-1, -1, x.size(-1)))
    same(rows, torch.stack([x[0, [0, 2]], x[1, [3, 3]]]))
    same(x.gather(1, index.unsqueeze(-1)), rows[..., :1])


@claim("The index has another dtype, such as actions that were stored as floats or as `uint8`.")
def test_dtype() -> None:
    for dtype in (torch.float32, torch.uint8):
        raises("Expected dtype int32/int64 for index", torch.ones(3).gather, 0, torch.tensor([0], dtype=dtype))
