"""Two devices in one operation: which message comes, and which mixes are no error."""

from __future__ import annotations

import numpy as np
import pytest
import torch
import torch.nn.functional as F
from torch import nn

from claims.claimlib import DTYPES, claim, on_cuda, on_two_gpus, raises, refuses, same


@claim(
    "`found at least two devices, cuda:0 and cpu!` | elementwise operations: `+`, `*`, `>`, `torch.where`, `nn.MSELoss`"
)
@on_cuda
def test_elementwise() -> None:
    here, there = torch.ones(2), torch.ones(2, device="cuda")
    for call in (torch.add, torch.mul, torch.gt, F.mse_loss, lambda a, b: torch.where(a > 0, a, b)):
        for pair in ((here, there), (there, here)):
            raises("found at least two devices", call, *pair)


@claim(
    "`got mat1 is on cpu, different from other tensors on cuda:0`, or another name than `mat1` | matrix products, `nn.Linear`, `nn.Embedding`, normalization, `cross_entropy`, `torch.cat`"
)
@on_cuda
@pytest.mark.skipif(torch.__version__ < (2, 10), reason="2.9 has an older wording")
def test_named_arguments() -> None:
    here, there = torch.ones(2, 2), torch.ones(2, 2, device="cuda")
    calls = {
        "product": lambda: here @ there, "linear": lambda: nn.Linear(2, 2, device="cuda")(here), "embedding": lambda: nn.Embedding(4, 2, device="cuda")(here.long()),
        "layer norm": lambda: nn.LayerNorm(2, device="cuda")(here), "cross entropy": lambda: F.cross_entropy(there, here), "cat": lambda: torch.cat([there, here]),
    }  # fmt: skip
    for name, call in calls.items():
        raises("Expected all tensors to be on the same device", call)
        assert name


@claim(
    "`Input type (torch.FloatTensor) and weight type (torch.cuda.FloatTensor) should be the same` | convolutions (of one small image, often the second wording)",
    "`expected self and mask to be on the same device` | `masked_fill`; `torch.where` in older releases: `Expected condition, x and y to be...`",
)
@on_cuda
def test_other_messages() -> None:
    raises(
        "Input type (torch.FloatTensor) and weight type (torch.cuda.FloatTensor) should be the same",
        nn.Conv2d(3, 8, 3, device="cuda"),
        torch.ones(16, 3, 8, 8),
    )
    raises("to be on the same device", torch.ones(2, device="cuda").masked_fill, torch.ones(2, dtype=torch.bool), 0)
    raises(
        "indices should be either on cpu or on the same device as the indexed tensor",
        lambda: torch.ones(2)[torch.tensor([0], device="cuda")],
    )
    raises("can't convert cuda:0 device type tensor to numpy", np.asarray, torch.ones(2, device="cuda"))


@claim(
    "a 0-dimensional CPU tensor with a GPU tensor, in `+`, `*` and most elementwise operations | it counts as a number",
    "The rule is about 0 dimensions, not about one element, and it holds in one direction only.",
)
def test_zero_dimensions(device: torch.device) -> None:
    x = torch.ones(3, device=device)
    for dtype in DTYPES:
        number = torch.ones((), dtype=dtype)
        for y in (x + number, x * number, number + x, x / number):
            assert y.device == x.device
    if device.type != "cpu":
        assert refuses(torch.add, x, torch.ones(1))
        assert refuses(torch.add, torch.ones(3), torch.ones((), device=device))


@claim(
    "CPU indices, or a CPU mask, in `x[...]` on a GPU | they are copied to the GPU for this call",
    "a 0-dimensional GPU index into a CPU tensor | its value is read, which waits for the GPU",
)
def test_indices(device: torch.device) -> None:
    x = torch.arange(4.0, device=device)
    same(x[torch.tensor([0, 2])].cpu(), torch.tensor([0.0, 2.0]))
    same(x[torch.tensor([True, False, False, True])].cpu(), torch.tensor([0.0, 3.0]))
    assert torch.arange(4)[torch.tensor(2, device=device)] == 2


@claim(
    "`x.copy_(y)`, `x[1:] = y` with a slice (not with a list of indices), `x.to(...)` | copying between devices is what they are for"
)
def test_copying(device: torch.device) -> None:
    x, y = torch.zeros(3, device=device), torch.ones(2)
    x[1:] = y
    assert x.tolist() == [0, 1, 1]
    assert x.copy_(torch.ones(3)).tolist() == [1, 1, 1]
    assert refuses(x.__setitem__, [0, 1], y) == (device.type != "cpu")


@claim("`found at least two devices, cuda:0 and cuda:1!` | two GPUs, `device_map=` | example")
@on_two_gpus
def test_two_gpus() -> None:
    first, second = torch.ones(2, 2, device="cuda:0"), torch.ones(2, 2, device="cuda:1")
    raises("found at least two devices, cuda:0 and cuda:1!", torch.add, first, second)
    assert first.to("cuda:1").add(second).device == second.device
