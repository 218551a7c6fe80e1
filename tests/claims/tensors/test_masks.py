"""Masks: what they clear, and which way round they are read."""

from __future__ import annotations

import pytest
import torch
import torch.nn.functional as F
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor, nn

from claims.claimlib import DTYPES, FLOATS, INF, NAN, claim, close, refuses, same, shapes, tensors


@claim(
    "elements set to zero, shape and dtype kept | `x.masked_fill(~keep, 0)`; `torch.where(keep, x, 0)`, which makes `int64` of `bool`",
    "Select with a boolean mask instead.",
)
@given(tensors())
def test_cleared(x: Tensor) -> None:
    keep = torch.rand(x.shape) < 0.5
    filled, chosen = x.masked_fill(~keep, 0), torch.where(keep, x, 0)
    assert (filled[~keep] == 0).all()
    same(filled[keep], x[keep])
    assert filled.dtype == x.dtype
    assert chosen.dtype == (torch.int64 if x.dtype == torch.bool else x.dtype)
    same(chosen.to(x.dtype), filled)


@claim(
    "A product with zeros is zero, as long as the numbers are finite. Zero times `nan` (not a number) or infinity is `nan`, so a product is not a safe way to mask, that is, to clear chosen elements."
)
@pytest.mark.parametrize("dtype", FLOATS, ids=str)
def test_product(dtype: torch.dtype) -> None:
    zero = torch.zeros(3, dtype=dtype)
    assert (torch.tensor([NAN, INF, -INF], dtype=dtype) * zero).isnan().all()
    assert (torch.tensor([1.0, torch.finfo(dtype).max, -5], dtype=dtype) * zero == 0).all()


@claim(
    "That holds for the values, and not for the gradients: a function whose gradient is infinite or `nan` at a masked element still brings `nan` back. Mask the input of the function, too:"
)
@pytest.mark.parametrize("function", [torch.log, torch.sqrt, torch.reciprocal, torch.rsqrt])
def test_gradients(function: object) -> None:
    x = torch.tensor([0.0, 2.0], requires_grad=True)
    keep = x > 0
    assert torch.autograd.grad(torch.where(keep, function(x), 0.0).sum(), x)[0].isnan().any()
    safe = torch.where(keep, x, 1.0)
    assert torch.autograd.grad(torch.where(keep, function(safe), 0.0).sum(), x)[0].isfinite().all()


@claim(
    "each word to see only itself and earlier words | `torch.ones(n, n, dtype=torch.bool).tril()`; with `~` for `nn.MultiheadAttention` and `nn.Transformer`"
)
@given(st.integers(2, 5), st.integers(0, 4))
def test_causal(n: int, word: int) -> None:
    word, causal = min(word, n - 1), torch.ones(n, n, dtype=torch.bool).tril()
    attention, layer = (
        nn.MultiheadAttention(4, 2, batch_first=True),
        nn.TransformerEncoderLayer(4, 2, dropout=0.0, batch_first=True),
    )
    x = torch.randn(1, n, 4)
    changed = x.clone()
    changed[:, word] += 1
    calls = (
        lambda x: F.scaled_dot_product_attention(x, x, x, attn_mask=causal),
        lambda x: attention(x, x, x, attn_mask=~causal)[0],
        lambda x: layer(x, src_mask=~causal),
    )
    for call in calls:
        same_words = (call(x) == call(changed)).all(dim=2)[0].tolist()
        assert same_words[:word] == [True] * word
        assert not any(same_words[word:])


@claim(
    "no attention to padding | `torch.arange(n) < lengths[:, None]`; with `~` for `nn.MultiheadAttention` and `nn.Transformer`",
    "Compare each position with the length, and you have a mask of the real words.",
)
@given(st.lists(st.integers(1, 4), min_size=1, max_size=3))
def test_padding(data: list[int]) -> None:
    lengths = torch.tensor(data)
    real = torch.arange(4) < lengths[:, None]
    assert real.sum(dim=1).tolist() == data
    attention, layer = (
        nn.MultiheadAttention(4, 2, batch_first=True),
        nn.TransformerEncoderLayer(4, 2, dropout=0.0, batch_first=True),
    )
    x = torch.randn(len(data), 4, 4)
    other = torch.where(real[:, :, None], x, x + 1)
    calls = (
        lambda x: F.scaled_dot_product_attention(x, x, x, attn_mask=real[:, None, :]),
        lambda x: attention(x, x, x, key_padding_mask=~real)[0],
        lambda x: layer(x, src_key_padding_mask=~real),
    )
    for call in calls:
        close(call(x)[real], call(other)[real])


@claim("For `scaled_dot_product_attention` the mask has the shape (batch, heads or 1, queries or 1, keys):")
@given(st.integers(1, 3), st.integers(1, 3), st.integers(1, 4), st.integers(1, 4))
def test_mask_shapes(batch: int, heads: int, queries: int, keys: int) -> None:
    q, k = torch.randn(batch, heads, queries, 8), torch.randn(batch, heads, keys, 8)
    for shape in (
        (batch, heads, queries, keys),
        (batch, 1, 1, keys),
        (batch, heads, 1, keys),
        (batch, 1, queries, keys),
    ):
        mask = torch.ones(shape, dtype=torch.bool)
        close(F.scaled_dot_product_attention(q, k, k, attn_mask=mask), F.scaled_dot_product_attention(q, k, k))


@claim(
    "`scaled_dot_product_attention` also takes `is_causal=True` in place of a mask, for as many queries as keys: a single query, as in generation with a cache, would see only the first key."
)
def test_is_causal() -> None:
    q, k = torch.randn(1, 1, 1, 4), torch.randn(1, 1, 5, 4)
    close(F.scaled_dot_product_attention(q, k, k, is_causal=True), k[:, :, :1])


@claim(
    "`fill_diagonal_` writes a number to the diagonal of a matrix, in place; for a copy, `clone()` it first.",
    "For each matrix of a batch, fill a view of the diagonals, or mask with `torch.eye`:",
)
@given(st.integers(1, 3), st.integers(1, 4))
def test_diagonal(batch: int, n: int) -> None:
    x = torch.randn(batch, n, n)
    expected = torch.stack([matrix.clone().fill_diagonal_(0) for matrix in x])
    same(x.masked_fill(torch.eye(n, dtype=torch.bool), 0.0), expected)
    x.diagonal(dim1=-2, dim2=-1).fill_(0)
    same(x, expected)


@claim("With three or more dimensions it wants them all equal, and fills one diagonal through the whole block.")
@given(shapes(3, 3, low=1))
def test_diagonal_of_a_block(shape: tuple[int, ...]) -> None:
    x = torch.ones(shape)
    assert refuses(x.fill_diagonal_, 0) == (len(set(shape)) > 1)
    if len(set(shape)) == 1:
        assert (x == 0).sum() == shape[0]


@claim("`masked_fill` makes a new tensor, so it also works where autograd allows no in-place write.")
@pytest.mark.parametrize("dtype", [dtype for dtype in DTYPES if dtype.is_floating_point], ids=str)
def test_masked_fill_of_a_parameter(dtype: torch.dtype) -> None:
    w = torch.ones(2, 2, dtype=dtype, requires_grad=True)
    assert refuses(w.fill_diagonal_, 0)
    w.masked_fill(torch.eye(2, dtype=torch.bool), 0.0).sum().backward()
    assert w.grad.tolist() == [[0, 1], [1, 0]]


@claim("only the chosen elements, as a vector | `x[mask]`")
@given(tensors(shapes(least=1)), st.integers(0, 7))
def test_chosen(x: Tensor, seed: int) -> None:
    mask = torch.rand(x.shape, generator=torch.Generator().manual_seed(seed)) < 0.5
    assert x[mask].shape == (int(mask.sum()),)
    same(x[mask], x.resolve_conj().flatten()[mask.flatten()])


@claim(
    "`&` joins this mask with a causal one, which hides the padding from real words by itself if all of it is at the end."
)
@given(st.lists(st.integers(1, 4), min_size=1, max_size=3))
def test_causal_hides_padding(lengths: list[int]) -> None:
    real = torch.arange(4) < torch.tensor(lengths)[:, None]
    causal = torch.ones(4, 4, dtype=torch.bool).tril()
    both = causal & real[:, None, :]
    for one, length in zip(both, lengths, strict=True):
        same(one[:length], causal[:length])


@claim(
    "With the first mask, `nn.MultiheadAttention` hides everything from the last word, and lets the others see what comes later.",
    "In training, only with `need_weights=True`, the default, does the last word become `nan`; the `nn.Transformer` layers pass `False`, and nothing shows the mistake.",
)
@pytest.mark.parametrize("words", [2, 3, 5])
def test_mask_the_wrong_way_round(words: int) -> None:
    attention = torch.nn.MultiheadAttention(4, 1, batch_first=True)
    causal, x = torch.ones(words, words, dtype=torch.bool).tril(), torch.rand(1, words, 4)
    shown = attention(x, x, x, attn_mask=causal)[0][0].isnan().any(dim=1)
    assert shown.tolist() == [False] * (words - 1) + [True]
    assert not attention(x, x, x, attn_mask=causal, need_weights=False)[0].isnan().any()
    other = x.clone()
    other[0, -1] += 1
    first, second = (attention(one, one, one, attn_mask=causal, need_weights=False)[0] for one in (x, other))
    assert not first[0, 0].allclose(second[0, 0])


@claim("With the mask, the real word of the second sequence comes out the same for both paddings.")
@given(st.lists(st.integers(1, 4), min_size=1, max_size=3))
def test_padding_does_not_count(lengths: list[int]) -> None:
    real = torch.arange(4) < torch.tensor(lengths)[:, None]
    words = torch.randn(len(lengths), 1, 4, 2)
    other = torch.where(real[:, None, :, None], words, 7.0)
    mask = real[:, None, None, :]
    attend = torch.nn.functional.scaled_dot_product_attention
    first, second = (attend(x, x, x, attn_mask=mask)[:, 0][real] for x in (words, other))
    close(first, second)
