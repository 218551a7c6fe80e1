"""Big models: counted on the meta device, and the cache of generation."""

from __future__ import annotations

import torch
import torch.nn.functional as F
from hypothesis import given
from hypothesis import strategies as st

from claims.claimlib import claim, close, shapes


@claim("The query of the last token alone, with all keys and values, gives the last row of full attention.")
@given(st.integers(1, 3), st.integers(1, 9))
def test_cache(heads: int, tokens: int) -> None:
    q, k, v = torch.randn(3, 1, heads, tokens, 8).double().unbind()
    full = F.scaled_dot_product_attention(q, k, v, is_causal=True)
    close(F.scaled_dot_product_attention(q[..., -1:, :], k, v), full[..., -1:, :])


@claim("Their `nbytes` and storages report the size that they would have, so the counting works there.")
@given(shapes(1, 3))
def test_meta(shape: tuple[int, ...]) -> None:
    x = torch.empty(shape, device="meta")
    assert x.nbytes == x.untyped_storage().nbytes() == torch.empty(shape).nbytes
