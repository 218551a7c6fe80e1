"""Training speed: what computes the same."""

from __future__ import annotations

import copy
from collections.abc import Callable

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import nn
from torch.utils.data import DataLoader

from claims.claimlib import claim, close

COMPILES = pytest.mark.filterwarnings("ignore:.*torch.jit")
"""PyTorch's own code, which it imports where there is CUDA, warns of itself."""


@claim("All three compute the same update, up to rounding.")
@pytest.mark.parametrize("name", ["AdamW", "Adam", "SGD", "Adagrad"])
def test_fused(name: str, device: torch.device) -> None:
    start, x = nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 1)).to(device), torch.randn(5, 4, device=device)
    found = []
    for options in ({"foreach": False}, {"foreach": True}, {"fused": True}):
        model = copy.deepcopy(start)
        optimizer = getattr(torch.optim, name)(model.parameters(), lr=0.01, **options)
        for _ in range(3):
            optimizer.zero_grad()
            model(x).square().mean().backward()
            optimizer.step()
        found.append([parameter.detach() for parameter in model.parameters()])
    close(found[1], found[0])
    close(found[2], found[0])


@claim(
    "Convert the model once and each batch of images; the shapes stay the same, and the results agree up to rounding.",
    "`channels_last` stores the channels of a pixel next to each other.",
)
@given(st.integers(1, 3), st.integers(2, 6))
def test_channels_last(n: int, channels: int) -> None:
    model = nn.Sequential(nn.Conv2d(channels, 4, 3), nn.ReLU(), nn.BatchNorm2d(4), nn.Conv2d(4, 2, 3)).double().eval()
    x = torch.randn(n, channels, 8, 8).double()
    expected = model(x)
    last = x.to(memory_format=torch.channels_last)
    assert (last.shape, last.stride(1)) == (x.shape, 1)
    close(model.to(memory_format=torch.channels_last)(last), expected)


@claim(
    "A compiled model shares its parameters with the model, but each name in its `state_dict()` begins with `_orig_mod.`: save that of the model itself."
)
def test_compiled() -> None:
    model = nn.Linear(2, 2)
    compiled = torch.compile(model, backend="eager")
    assert all(a is b for a, b in zip(compiled.parameters(), model.parameters(), strict=True))
    assert list(compiled.state_dict()) == ["_orig_mod.weight", "_orig_mod.bias"]


@COMPILES
@claim(
    "The second batch size makes PyTorch compile for any size, so the third one costs nothing.",
    "A batch of one is special (dynamic shapes).",
)
def test_any_size() -> None:
    graphs: list[int] = []

    def counting(graph: torch.fx.GraphModule, inputs: list[torch.Tensor]) -> Callable[..., object]:
        graphs.append(len(inputs))
        return graph.forward

    torch.compiler.reset()
    double = torch.compile(lambda x: 2 * torch.relu(x), backend=counting)
    counts = []
    for size in (4, 5, 6, 7, 1):
        double(torch.ones(size, 3))
        counts.append(len(graphs))
    torch.compiler.reset()
    assert counts == [1, 2, 2, 2, 3]


@COMPILES
@claim("*Guards* check that at each call, and if no compiled version fits, the function is compiled again.")
@pytest.mark.parametrize("other", [torch.float64, torch.int64])
def test_guards(other: torch.dtype) -> None:
    graphs: list[int] = []

    def counting(graph: torch.fx.GraphModule, inputs: list[torch.Tensor]) -> Callable[..., object]:
        graphs.append(len(inputs))
        return graph.forward

    torch.compiler.reset()
    double = torch.compile(lambda x: 2 * x, backend=counting)
    for dtype in (torch.float32, other, torch.float32, other):
        assert double(torch.ones(4, dtype=dtype)).dtype == dtype
    torch.compiler.reset()
    assert len(graphs) == 2


@claim("Use `drop_last=True` in the training loader, so that all batches have one size.")
@given(st.integers(1, 50), st.integers(1, 9))
def test_one_size(samples: int, size: int) -> None:
    batches = list(DataLoader(list(range(samples)), batch_size=size, drop_last=True))
    assert {len(batch) for batch in batches} <= {size}
