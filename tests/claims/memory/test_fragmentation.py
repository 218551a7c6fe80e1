"""Limits and pools of CUDA's allocator, on a real GPU or a simulated one."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
import torch

from claims.claimlib import claim, on_cuda, refuses

pytestmark = on_cuda
MIB = 2**20


@pytest.fixture(autouse=True)
def clean() -> Iterator[None]:
    """Begins and ends with an empty cache and no limit."""
    torch.cuda.empty_cache()
    yield
    torch.cuda.set_per_process_memory_fraction(1.0)
    torch.cuda.empty_cache()


@claim(
    "The limit is on reserved memory, as a fraction of the whole GPU.",
    "`torch.cuda.set_per_process_memory_fraction(fraction)` makes the allocator raise the error earlier.",
)
@pytest.mark.parametrize(("size", "fits"), [(32, True), (200, False)])
def test_fraction(size: int, fits: bool) -> None:
    limit = torch.cuda.memory_reserved() + 128 * MIB
    torch.cuda.set_per_process_memory_fraction(limit / torch.cuda.mem_get_info()[1])
    assert refuses(torch.empty, size * MIB, dtype=torch.uint8, device="cuda") == (not fits)


@claim(
    "`torch.cuda.MemPool` keeps segments of its own for the tensors that you create in a `with` block; other tensors do not get into them:"
)
def test_pool() -> None:
    before = torch.cuda.memory_reserved()
    pool = torch.cuda.MemPool()
    with torch.cuda.use_mem_pool(pool):
        weights = torch.empty(64 * MIB, dtype=torch.uint8, device="cuda")
    del weights
    other = torch.empty(64 * MIB, dtype=torch.uint8, device="cuda")
    assert torch.cuda.memory_reserved() - before == 128 * MIB
    with torch.cuda.use_mem_pool(pool):
        again = torch.empty(64 * MIB, dtype=torch.uint8, device="cuda")
    assert torch.cuda.memory_reserved() - before == 128 * MIB
    del pool, other, again


@claim('`torch.cuda.memory_stats()["inactive_split_bytes.all.current"]` is the memory in such holes.')
def test_holes() -> None:
    big = torch.empty(64 * MIB, dtype=torch.uint8, device="cuda")
    del big
    before = torch.cuda.memory_stats()["inactive_split_bytes.all.current"]
    small = torch.empty(16 * MIB, dtype=torch.uint8, device="cuda")
    assert torch.cuda.memory_stats()["inactive_split_bytes.all.current"] - before == 48 * MIB
    del small
