"""Why a gradient is None."""

from __future__ import annotations

import torch
from torch import nn

from claims.claimlib import claim


@claim(
    "`zero_()` comes before the first `backward()` | set `w.grad = None`, which always works, or call `optimizer.zero_grad()`",
    "`optimizer.zero_grad()` ran, which sets gradients to `None` since 2.0 | read the gradients before it",
)
def test_before_and_after() -> None:
    w = nn.Parameter(torch.ones(2))
    optimizer = torch.optim.SGD([w], lr=0.1)
    assert w.grad is None
    w.grad = None
    optimizer.zero_grad()
    w.sum().backward()
    assert w.grad is not None
    optimizer.zero_grad()
    assert w.grad is None


@claim(
    "`w` was made with `* 0.01`, or with a `.to(...)` that changes device or dtype, after `requires_grad=True` | set `requires_grad_()` last: it is no leaf",
    "the parameter takes no part in the loss: an unused or frozen layer | skip it: `if p.grad is not None`",
)
def test_no_leaf() -> None:
    for make in (lambda x: x * 0.01, lambda x: x.to(torch.float64), lambda x: x.to("meta")):
        w = torch.ones(2, requires_grad=True)
        assert not make(w).is_leaf
        assert make(torch.ones(2)).requires_grad_().is_leaf
    used, unused = nn.Linear(1, 1), nn.Linear(1, 1)
    used(torch.ones(1, 1)).sum().backward()
    assert used.weight.grad is not None
    assert unused.weight.grad is None
