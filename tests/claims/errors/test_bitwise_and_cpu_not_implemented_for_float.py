"""Masks and `&`."""

from __future__ import annotations

import torch

from claims.claimlib import claim, raises

X = torch.tensor([0.5, 1.5, 2.5])


@claim("With `|` the name is `bitwise_or_cpu`.")
def test_or() -> None:
    raises("bitwise_or_cpu", lambda: (X > 1) | X)
    raises("bitwise_and_cpu", lambda: (X > 1) & X)


@claim("Parentheses are missing around the comparisons: `&` binds tighter than `>`, so Python computes `1 & x` first.")
def test_parentheses() -> None:
    raises("bitwise_and_cpu", lambda: X > 1 & X < 2)
    assert ((X > 1) & (X < 2)).tolist() == [False, True, False]
