"""Pinned memory, on a real GPU or a simulated one."""

from __future__ import annotations

import math

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from claims.claimlib import claim, on_cuda, refuses

pytestmark = on_cuda


@claim("`x.pin_memory()` returns a pinned copy; `torch.zeros(..., pin_memory=True)` creates a pinned tensor.")
@given(st.integers(1, 5000))
def test_pin(n: int) -> None:
    x = torch.arange(n)
    pinned = x.pin_memory()
    assert (x.is_pinned(), pinned.is_pinned(), pinned.device.type) == (False, True, "cpu")
    assert torch.equal(pinned, x)
    assert pinned.pin_memory() is pinned
    assert torch.zeros(n, pin_memory=True).is_pinned()


@claim("A tensor on the GPU cannot be pinned either.")
def test_on_the_gpu() -> None:
    assert refuses(torch.ones(1, device="cuda").pin_memory)


@claim(
    "pinned CPU memory | CUDA | Yes, on the GPU: later work on the same stream waits. The source may not be overwritten yet."
)
@pytest.mark.parametrize("wait", [False, True])
def test_to_the_gpu(wait: bool) -> None:
    source = torch.ones(1000).pin_memory()
    torch.cuda.synchronize()
    torch.cuda._sleep(100_000_000)
    there = source.to("cuda", non_blocking=True)
    if wait:
        torch.cuda.synchronize()
    source.fill_(7.0)
    assert there.sum().item() == (1000 if wait else 7000)


@claim(
    "CUDA | CPU, without `non_blocking` | Yes: the call itself waits.",
    "CUDA | CPU | No. Wait first: `event.synchronize()` or `torch.cuda.synchronize()`.",
)
@pytest.mark.parametrize("non_blocking", [False, True])
def test_back(non_blocking: bool) -> None:
    x = torch.zeros(1000, device="cuda")
    torch.cuda.synchronize()
    torch.cuda._sleep(100_000_000)
    x.fill_(1.0)
    host = x.to("cpu", non_blocking=non_blocking)
    done = torch.cuda.current_stream().query()
    assert done == (not non_blocking)
    torch.cuda.synchronize()
    assert host.sum().item() == 1000
    assert host.is_pinned() == non_blocking


@claim(
    "A pinned tensor takes up to twice its size: PyTorch rounds the block up to a power of two by default, so 200 MB take 268 MB."
)
@on_cuda
@pytest.mark.parametrize("size", [1000, 5000, 100_000])
def test_rounding(size: int) -> None:
    torch.cuda.synchronize()
    kept = torch.empty(1, pin_memory=True)  # this call takes back what earlier tests pinned
    before = torch.cuda.host_memory_stats()["active_bytes.current"]
    pinned = torch.empty(size, dtype=torch.uint8, pin_memory=True)
    taken = torch.cuda.host_memory_stats()["active_bytes.current"] - before
    assert kept.is_pinned()
    assert pinned.is_pinned()
    assert taken == 2 ** math.ceil(math.log2(size))
    assert 2 ** math.ceil(math.log2(200e6)) == 268_435_456
