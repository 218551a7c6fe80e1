"""Find the tensor on the wrong device: what has a device, and what a fix follows."""

from __future__ import annotations

import torch
from torch import nn

from claims.claimlib import claim, refuses


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
