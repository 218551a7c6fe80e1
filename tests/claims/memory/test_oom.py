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


@claim(
    "Eight times the batch keeps eight times the bytes.",
    "Parameters, gradients and optimizer state do not depend on the batch.",
)
@pytest.mark.parametrize("rows", [1, 8, 64])
def test_batch(rows: int) -> None:
    model = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 2))
    optimizer, weights = torch.optim.Adam(model.parameters()), {p.data_ptr() for p in model.parameters()}
    kept, fixed = [], []
    for n in (rows, 8 * rows):
        saved: dict[int, int] = {}
        with torch.autograd.graph.saved_tensors_hooks(
            lambda x, saved=saved: (saved.setdefault(x.data_ptr(), x.nbytes), x)[1], lambda x: x
        ):
            loss = model(torch.ones(n, 4)).sum()
            kept.append(sum(size for place, size in saved.items() if place not in weights))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        state = [value for values in optimizer.state.values() for value in values.values()]
        fixed.append(sum(x.nbytes for x in (*model.parameters(), *(p.grad for p in model.parameters()), *state)))
    assert kept[1] == 8 * kept[0] > 0
    assert fixed[0] == fixed[1]


@claim("a list of outputs or hidden states | `.detach().cpu()`")
def test_outputs_without_graph(device: torch.device) -> None:
    x = torch.ones(3, device=device, requires_grad=True)
    kept, alive = [], x.exp().detach().cpu()
    kept.append(alive)
    assert not kept[0].requires_grad
    assert kept[0].device.type == "cpu"
    big = torch.ones(1000, device=device, requires_grad=True)
    node = big.mul(2)
    saved = weakref.ref(node)
    kept.append(node.detach().cpu().clone())
    del node
    assert saved() is None
