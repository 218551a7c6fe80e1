"""Gradients at 0."""

from __future__ import annotations

import torch

from claims.claimlib import claim


@claim("For a norm that can be 0, `x.norm()` is safe, since its gradient there is 0.")
def test_norm() -> None:
    x = torch.zeros(2, requires_grad=True)
    assert torch.autograd.grad(x.norm(), x)[0].tolist() == [0, 0]
    assert torch.autograd.grad(x.square().sum().sqrt(), x)[0].isnan().all()


@claim(
    "In a formula of your own, add a small number below the root: `(x.square().sum() + 1e-12).sqrt()`; in `float16`, where 1e-12 is 0, write `x.float()` there."
)
def test_small_number() -> None:
    x = torch.zeros(2, requires_grad=True, dtype=torch.float16)
    assert torch.autograd.grad((x.float().square().sum() + 1e-12).sqrt(), x)[0].tolist() == [0, 0]
    assert torch.autograd.grad((x.square().sum() + 1e-12).sqrt(), x)[0].isnan().all()
