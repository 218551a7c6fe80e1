"""Writes to an expanded tensor."""

from __future__ import annotations

import torch

from claims.claimlib import claim, raises


@claim("Autograd expands as well: after `x.sum().backward()` a hook on `x` gets such a gradient.")
def test_gradient() -> None:
    x, seen = torch.ones(3, requires_grad=True), []
    x.register_hook(lambda gradient: seen.append(gradient))
    x.sum().backward()
    raises("more than one element of the written-to tensor", seen[0].add_, 1)


@claim("`fill_`, `zero_` and `expanded[:, 0] = 5` raise nothing, and change all the copies.")
def test_silent() -> None:
    column = torch.ones(3, 1)
    expanded = column.expand(3, 2)
    raises("more than one element of the written-to tensor", expanded.add_, 1)
    assert expanded.fill_(2).unique().tolist() == [2]
    assert expanded.zero_().unique().tolist() == [0]
    expanded[:, 0] = 5
    assert expanded.unique().tolist() == column.unique().tolist() == [5]
