"""Find the tensor on the wrong device: what has a device, and what a fix follows."""

from __future__ import annotations

import io

import numpy as np
import pytest
import torch
from torch import nn

from claims.claimlib import DTYPES, claim, on_cuda, on_two_gpus, raises, refuses


@claim("A `torch.Tensor` has a `.device`; a model, a dictionary and a dataclass have none.")
def test_who_has_a_device() -> None:
    assert torch.ones(1).device.type == "cpu"
    for other in (nn.Linear(1, 1), {}, nn.Sequential()):
        assert not hasattr(other, "device")


@claim(
    "`torch.zeros(x.shape)`, `torch.randn(x.shape)` | `torch.zeros_like(x)`, `torch.randn_like(x)`",
    "`torch.zeros(n)`, `torch.arange(n)`, `torch.tensor(data)` | the same with `device=x.device`",
    "`torch.zeros(n, dtype=x.dtype)` | `x.new_zeros(n)`",
)
def test_instead() -> None:
    x = torch.ones(2, 3, dtype=torch.float16, device="meta")
    made = [
        torch.zeros_like(x),
        torch.randn_like(x),
        torch.zeros(2, device=x.device),
        torch.arange(2, device=x.device),
        torch.tensor([1], device=x.device),
        x.new_zeros(2),
    ]
    assert {y.device.type for y in made} == {"meta"}
    assert x.new_zeros(2).dtype == torch.zeros_like(x).dtype == torch.float16


@claim("the `lengths` of `pack_padded_sequence` | `RuntimeError` | `lengths.cpu()`")
def test_lengths(device: torch.device) -> None:
    x, lengths = torch.ones(2, 3, 1, device=device), torch.tensor([3, 2], device=device)
    assert refuses(nn.utils.rnn.pack_padded_sequence, x, lengths, batch_first=True) == (device.type != "cpu")
    assert nn.utils.rnn.pack_padded_sequence(x, lengths.cpu(), batch_first=True).data.device.type == device.type


@claim("The first three follow the input, and the `_like` and `new_` functions take over its dtype too:")
@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_dtype_of_like(dtype: torch.dtype, device: torch.device) -> None:
    x = torch.ones(2, dtype=dtype, device=device)
    for y in (
        torch.zeros_like(x),
        torch.empty_like(x),
        x.new_zeros(2),
        x.new_ones(1),
        x.new_full((1,), 1),
        x.new_tensor([1]),
    ):
        assert (y.dtype, y.device) == (x.dtype, x.device)
    assert torch.arange(2, device=x.device).device == x.device


@claim(
    'Values that pass through NumPy, a Python list or a number come back as CPU tensors, and so do those that you load with `map_location="cpu"`.',
    "The last two lines both collect results in one tensor: `torch.stack` keeps them on their device, `torch.tensor` makes a CPU tensor.",
)
def test_back_on_the_cpu(device: torch.device) -> None:
    x, file = torch.arange(3.0, device=device), io.BytesIO()
    torch.save(x, file)
    file.seek(0)
    back = [torch.from_numpy(x.cpu().numpy()), torch.tensor(x.tolist()), torch.tensor(x.sum().item())]
    back += [torch.load(file, map_location="cpu"), torch.tensor([x[0], x[1]])]
    assert {y.device.type for y in back} == {"cpu"}
    assert torch.stack([x[0], x[1]]).device == x.device


@claim("`x.pin_memory()` | `RuntimeError` | pin before the move")
@on_cuda
def test_pinning() -> None:
    assert refuses(torch.ones(2, device="cuda").pin_memory)
    assert torch.ones(2).pin_memory().to("cuda").tolist() == [1, 1]


@claim(
    '`x.cuda()` and `device="cuda"` mean the current GPU, so mixing them with an explicit `"cuda:1"` leads to this error.'
)
@on_two_gpus
def test_two_gpus() -> None:
    second = torch.ones(2, device="cuda:1")
    for first in (torch.ones(2).cuda(), torch.ones(2, device="cuda")):
        raises("found at least two devices, cuda:", torch.add, first, second)
    with torch.cuda.device(1):
        assert not refuses(torch.add, torch.ones(2).cuda(), second)


@claim("Strings work on no device: PyTorch has no tensors of them.")
def test_strings(device: torch.device) -> None:
    for data in ("a", ["a"], ["a", "b"], np.array(["a"])):
        assert refuses(torch.tensor, data, device=device)
        assert refuses(torch.as_tensor, data, device=device)
