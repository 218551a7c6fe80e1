"""`expand`, which lines sizes up from the right."""

from __future__ import annotations

import torch
from hypothesis import given
from hypothesis import strategies as st

from claims.claimlib import claim, raises, same


@claim(
    "`expand` raises it too, for a dimension whose size is not 1.",
    "It lines the sizes up from the right, so a vector of 2 does not expand to (2, 3): give it a last dimension of size 1.",
)
@given(st.integers(2, 5), st.integers(2, 5))
def test_expand(n: int, m: int) -> None:
    x = torch.arange(n)
    if n != m:
        raises("must match the existing size", x.expand, n, m)
    same(x[:, None].expand(n, m), torch.stack([x] * m, dim=1))
    same(x.expand(m, n), torch.stack([x] * m))
