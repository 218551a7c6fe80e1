"""Out of memory: what keeps memory alive."""

from __future__ import annotations

import gc
import weakref

import pytest
import torch
from torch import Tensor, nn

from claims.claimlib import claim, on_cuda, one_memory


@claim(
    "`.cpu()` alone does not help: autograd records the copy from a GPU, and on a CPU there is no copy.",
    "a sum or list of losses | `.detach()`, or `.item()` once in a while",
)
def test_what_keeps_a_graph(device: torch.device) -> None:
    layer = nn.Linear(2, 2).to(device)

    def alive(keep: object) -> bool:
        hidden = layer(torch.ones(1, 2, device=device)).tanh()

        def hook(*gradients: object) -> None: ...

        hidden.grad_fn.register_hook(hook)  # the node keeps it
        reference, kept = weakref.ref(hook), keep(hidden.sum())
        del hidden, hook
        assert kept is not None
        return reference() is not None

    assert [alive(keep) for keep in (lambda loss: loss, Tensor.cpu, Tensor.detach, Tensor.item)] == [
        True,
        True,
        False,
        False,
    ]


@claim("a slice of a large tensor | `.clone()`")
def test_slices() -> None:
    x = torch.ones(1000, 10)
    assert one_memory(x[:1], x)
    assert x[:1].clone().untyped_storage().nbytes() == 40


@claim("Two objects that refer to each other stay until Python's garbage collector runs.")
def test_cycles() -> None:
    class Node:
        def __init__(self) -> None:
            self.tensor = torch.ones(3)
            self.other: Node | None = None

    gc.disable()
    try:
        a, b = Node(), Node()
        a.other, b.other = b, a
        reference = weakref.ref(a.tensor)
        del a, b
        assert reference() is not None
        gc.collect()
        assert reference() is None
    finally:
        gc.enable()


@claim("After the error, the GPU works as before:")
@on_cuda
def test_after_the_error() -> None:
    ooms = torch.cuda.memory_stats()["num_ooms"]
    with pytest.raises(torch.OutOfMemoryError):
        torch.empty(2**50, dtype=torch.uint8, device="cuda")
    assert torch.ones(3, device="cuda").sum().item() == 3
    assert torch.cuda.memory_stats()["num_ooms"] == ooms + 1
