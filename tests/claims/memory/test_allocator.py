"""PyTorch's caching allocator on CUDA."""

from __future__ import annotations

import pytest
import torch
from hypothesis import example, given
from hypothesis import strategies as st

from claims.claimlib import claim, on_cuda

MIB = 2**20


def rounded(size: int) -> int:
    """Bytes that one tensor occupies."""
    before = torch.cuda.memory_allocated()
    x = torch.empty(size, dtype=torch.uint8, device="cuda")
    occupied = torch.cuda.memory_allocated() - before
    del x
    return occupied


@claim(
    "allocated | `torch.cuda.memory_allocated()` | blocks that live tensors occupy now",
    "A new tensor that is not empty gets a block (a view shares that of its base), and the allocator cuts the block from a segment that it has reserved.",
)
@on_cuda
@given(st.integers(1, 5_000_000))
@example(1)
@example(512)
@example(513)
def test_rounding(size: int) -> None:
    assert rounded(size) == -(-size // 512) * 512
    before = torch.cuda.memory_allocated()
    x = torch.empty(size, dtype=torch.uint8, device="cuda")
    view = x[:1]
    assert torch.cuda.memory_allocated() - before == rounded(size)
    del x
    assert torch.cuda.memory_allocated() > before
    del view
    assert torch.cuda.memory_allocated() == before


@claim('`torch.cuda.memory_stats()["requested_bytes.all.current"]` has the sum before the rounding.')
@on_cuda
def test_requested() -> None:
    before = torch.cuda.memory_stats()["requested_bytes.all.current"]
    x = torch.empty(1000, dtype=torch.uint8, device="cuda")
    assert torch.cuda.memory_stats()["requested_bytes.all.current"] - before == x.nbytes


@claim(
    "reserved | `torch.cuda.memory_reserved()` | all that PyTorch's allocator has taken from the driver: allocated, and free but kept",
    "`torch.cuda.empty_cache()` returns unused segments to the driver.",
)
@on_cuda
def test_cache() -> None:
    torch.cuda.empty_cache()
    before = torch.cuda.memory_reserved()
    x = torch.empty(64 * MIB, dtype=torch.uint8, device="cuda")
    del x
    assert torch.cuda.memory_reserved() - before == 64 * MIB
    torch.cuda.empty_cache()
    assert torch.cuda.memory_reserved() == before


@claim(
    "Each CUDA stream has a pool of its own: a block that was allocated on one stream does not serve another, wherever it is freed."
)
@on_cuda
def test_streams() -> None:
    torch.cuda.empty_cache()
    before = torch.cuda.memory_reserved()
    with torch.cuda.stream(torch.cuda.Stream()):
        x = torch.empty(64 * MIB, dtype=torch.uint8, device="cuda")
    del x
    y = torch.empty(64 * MIB, dtype=torch.uint8, device="cuda")
    assert torch.cuda.memory_reserved() - before == 128 * MIB
    del y
    torch.cuda.empty_cache()


@claim(
    "peak | `torch.cuda.max_memory_allocated()` | the most that was allocated since the start, or since `reset_peak_memory_stats()`",
    "`reset_peak_memory_stats()` starts a new measurement from what is allocated now.",
)
@on_cuda
@pytest.mark.parametrize("size", [1, 8])
def test_peak(size: int) -> None:
    x = torch.ones(size * MIB, device="cuda")
    torch.cuda.reset_peak_memory_stats()
    start = torch.cuda.memory_allocated()
    y = (x + 1) * 2
    assert torch.cuda.max_memory_allocated() - start == 2 * y.nbytes
    del y
    torch.cuda.reset_peak_memory_stats()
    assert torch.cuda.max_memory_allocated() == torch.cuda.memory_allocated()


@claim(
    "Without an accelerator they raise in a build for the CPU; in a build with CUDA the first three return 0.",
    "A zero in the first lines says nothing about the CPU: it counts bytes on a GPU that is not there.",
)
@pytest.mark.skipif(torch.accelerator.is_available(), reason="needs a machine without an accelerator")
def test_without_a_gpu() -> None:
    torch.ones(1000)
    assert torch.cuda.memory_allocated() == torch.cuda.max_memory_allocated() == torch.cuda.memory_reserved() == 0
    if torch.version.cuda is None:
        with pytest.raises(RuntimeError):
            torch.accelerator.memory_allocated()
    else:
        assert torch.accelerator.memory_allocated() == 0
