"""Graphs that are freed."""

from __future__ import annotations

import torch

from claims.claimlib import claim, raises

TEXT = "Trying to backward through the graph a second time"


@claim(
    "`torch.autograd.grad(loss, x)` frees the graph as well: with a `loss.backward()` after it, pass `retain_graph=True` to the first call."
)
def test_grad() -> None:
    for retain in (True, False):
        x = torch.ones(2, requires_grad=True)
        loss = x.exp().sum()
        torch.autograd.grad(loss, x, retain_graph=retain)
        if retain:
            loss.backward()
        else:
            raises(TEXT, loss.backward)


@claim("If two losses share a forward pass, add them, and call `backward()` once.")
def test_shared() -> None:
    x = torch.ones(2, requires_grad=True)
    y = x.exp()
    first, second = y.sum(), y.square().sum()
    (first + second).backward()
    assert x.grad is not None
    y = x.exp()
    y.sum().backward()
    raises(TEXT, y.square().sum().backward)
