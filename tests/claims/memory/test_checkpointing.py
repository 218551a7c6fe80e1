"""Activation checkpointing: the same numbers, fewer kept."""

from __future__ import annotations

from functools import partial
from typing import Any

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor, nn
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils.checkpoint import checkpoint, checkpoint_sequential, create_selective_checkpoint_contexts

from claims.claimlib import claim, close, same


def kept(call: object) -> int:
    """How many tensors autograd keeps for a call, without those of no elements."""
    tensors: list[Tensor] = []
    with torch.autograd.graph.saved_tensors_hooks(lambda x: tensors.append(x) or x, lambda x: x):
        call()
    return sum(x.numel() > 0 for x in tensors)


@claim(
    "A checkpoint keeps the input of a part of the model, drops the tensors inside, and computes them again in `backward()`.",
    "`preserve_rng_state=True` makes dropout drop the same elements both times.",
)
@given(st.integers(1, 3), st.floats(0, 0.9))
def test_same_gradients(layers: int, drop: float) -> None:
    part = nn.Sequential(*[nn.Sequential(nn.Linear(4, 4), nn.Tanh(), nn.Dropout(drop)) for _ in range(layers)]).double()
    x = torch.randn(3, 4).double().requires_grad_()
    found = []
    for call in (part, lambda x: checkpoint(part, x, use_reentrant=False)):
        torch.manual_seed(1)
        found.append(torch.autograd.grad(call(x).sum(), [x, *part.parameters()]))
    close(found[0], found[1])


@claim("The price is a second forward pass of each checkpointed part, up to the last tensor that `backward()` needs.")
def test_second_pass() -> None:
    calls: list[str] = []

    class Counted(nn.Module):
        def __init__(self, name: str, layer: nn.Module) -> None:
            super().__init__()
            self.name, self.layer = name, layer

        def forward(self, x: Tensor) -> Tensor:
            calls.append(self.name)
            return self.layer(x)

    part = nn.Sequential(
        Counted("linear", nn.Linear(2, 2)), Counted("tanh", nn.Tanh()), Counted("identity", nn.Identity())
    )
    checkpoint(part, torch.rand(1, 2), use_reentrant=False).sum().backward()
    assert calls == ["linear", "tanh", "identity", "linear", "tanh"]


@claim(
    "One segment saves nothing, because `checkpoint_sequential` does not checkpoint the last segment: the backward pass begins there, and needs its activations at once."
)
def test_one_segment() -> None:
    model, x = (
        nn.Sequential(*[nn.Sequential(nn.Linear(4, 4), nn.Tanh()) for _ in range(4)]),
        torch.rand(2, 4, requires_grad=True),
    )
    whole = kept(lambda: model(x))
    assert kept(lambda: checkpoint_sequential(model, 1, x, use_reentrant=False)) == whole
    assert kept(lambda: checkpoint_sequential(model, 4, x, use_reentrant=False)) < whole


@claim("The second forward pass updates the running statistics of a `BatchNorm` again (pytorch#96136):")
def test_batch_norm() -> None:
    norm = nn.BatchNorm1d(2)
    checkpoint(norm, torch.rand(4, 2, requires_grad=True), use_reentrant=False).square().sum().backward()
    assert norm.num_batches_tracked == 2


@claim("`save_on_cpu` moves saved tensors to the CPU, and back when the backward pass needs them.")
def test_save_on_cpu(device: torch.device) -> None:
    layer = nn.Sequential(nn.Linear(4, 4), nn.Tanh()).to(device)
    x = torch.rand(2, 4, device=device)
    plain = torch.autograd.grad(layer(x).sum(), list(layer.parameters()))
    with torch.autograd.graph.save_on_cpu():
        loss = layer(x).sum()
    for a, b in zip(torch.autograd.grad(loss, list(layer.parameters())), plain, strict=True):
        same(a, b)


@claim("least memory, at the price of a second forward pass | `checkpoint` around each block")
@pytest.mark.parametrize("blocks", [2, 5])
def test_around_each_block(blocks: int) -> None:
    model = nn.ModuleList([nn.Sequential(nn.Linear(4, 16), nn.Tanh(), nn.Linear(16, 4)) for _ in range(blocks)])

    def run(x: Tensor, wrapped: bool) -> Tensor:
        for block in model:
            x = checkpoint(block, x, use_reentrant=False) if wrapped else block(x)
        return x

    x = torch.rand(2, 4, requires_grad=True)
    assert kept(lambda: run(x, True)) == blocks < kept(lambda: run(x, False))  # their inputs


@claim(
    "A layer without a bias calls `aten.mm`, attention and convolution call others; a list that names none of them keeps nothing."
)
@pytest.mark.parametrize(("bias", "name", "again"), [(True, "addmm", 0), (False, "addmm", 1), (False, "mm", 0)])
def test_list_of_operations(bias: bool, name: str, again: int) -> None:
    layer, kept = nn.Linear(4, 4, bias=bias), getattr(torch.ops.aten, name).default
    contexts = partial(create_selective_checkpoint_contexts, [kept])
    y = checkpoint(lambda x: layer(x).exp(), torch.ones(2, 4), use_reentrant=False, context_fn=contexts)
    with Counter() as counter:
        y.sum().backward()
    assert counter.products == 1 + again  # the gradient of the weight is one


class Counter(TorchDispatchMode):
    """Counts matrix products."""

    products = 0

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        self.products += func in (torch.ops.aten.mm.default, torch.ops.aten.addmm.default)
        return func(*args, **(kwargs or {}))
