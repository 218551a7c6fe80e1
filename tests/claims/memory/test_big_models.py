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


@claim(
    "The cache grows with the number of tokens and of sequences:",
    "`heads` counts the heads of keys and values; fewer than the query heads (grouped-query attention) make the cache smaller.",
)
@given(st.integers(1, 64), st.integers(1, 4), st.sampled_from([1, 2, 4, 8]))
def test_size_of_the_cache(tokens: int, sequences: int, heads: int) -> None:
    q = torch.randn(sequences, 8, 1, 4)
    keys, values = torch.randn(2, sequences, heads, tokens, 4)
    out = torch.nn.functional.scaled_dot_product_attention(q, keys, values, enable_gqa=True)
    assert out.shape == q.shape
    assert keys.nbytes + values.nbytes == 2 * sequences * heads * tokens * 4 * 4
