"""What the lesson about autograd says beside its blocks."""

from __future__ import annotations

import torch

from claims.claimlib import claim, raises


@claim("Compute one number, and call `backward()` on it; then `.grad` of the tensor has the answer.")
def test_one_number() -> None:
    w = torch.tensor([1.0, 2.0], requires_grad=True)
    raises("grad can be implicitly created only for scalar outputs", (w**2).backward)
    (w**2).sum().backward()
    assert w.grad is not None
    assert w.grad.tolist() == [2, 4]


@claim(
    "On a GPU you write the same code: create the tensor there, with `device=`, because [a moved copy keeps no `.grad`](../errors/cant-optimize-a-non-leaf-tensor.md)."
)
def test_moved(device: torch.device) -> None:
    w = torch.ones(2, device=device, requires_grad=True)
    w.sum().backward()
    assert w.grad is not None
    assert w.grad.device == w.device
    copy = w.detach().requires_grad_().to(device, copy=True)
    copy.sum().backward()
    assert not copy.is_leaf
    assert not copy.retains_grad
