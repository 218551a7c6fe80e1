"""Shapes of attention."""

from __future__ import annotations

import pytest
import torch
from torch import nn

from claims.claimlib import claim, raises

X = torch.rand(3, 5, 8)
MASK = torch.zeros(5, 5, dtype=torch.bool)


@claim(
    "`attn_mask` is (steps, steps), or (batch · heads, steps, steps), and `key_padding_mask` is (batch, steps) in both orders."
)
def test_masks() -> None:
    first, padding = nn.MultiheadAttention(8, 2, batch_first=True), torch.zeros(3, 5, dtype=torch.bool)
    assert first(X, X, X, attn_mask=MASK, key_padding_mask=padding)[0].shape == (3, 5, 8)
    assert first(X, X, X, attn_mask=MASK.expand(6, 5, 5))[0].shape == (3, 5, 8)
    other, steps = nn.MultiheadAttention(8, 2), X.transpose(0, 1)
    assert other(steps, steps, steps, attn_mask=MASK, key_padding_mask=padding)[0].shape == (5, 3, 8)
    raises("should be (3, 3)", other, X, X, X, attn_mask=MASK)


@claim("Without a mask nothing fails, and each step attends to the other samples of the batch.")
def test_mixes() -> None:
    layer, x = nn.MultiheadAttention(8, 2).eval(), X.clone().requires_grad_()
    layer(x, x, x, need_weights=False)[0][0].sum().backward()
    assert (x.grad[1] != 0).any()


@claim("`nn.Transformer` says `the feature number of src and tgt must be equal to d_model`.")
@pytest.mark.filterwarnings("ignore:enable_nested_tensor")
def test_transformer() -> None:
    x = torch.ones(2, 1, 7)
    raises("must be equal to d_model", nn.Transformer(8, 2, 1, 1, 8), x, x)
    raises("was expecting embedding dimension of 8, but got 7", nn.MultiheadAttention(8, 2), x, x, x)
