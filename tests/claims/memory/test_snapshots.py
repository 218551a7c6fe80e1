"""Memory snapshots: what a record holds."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
import torch

from claims.claimlib import claim, on_cuda

RECORD = torch.cuda.memory._record_memory_history


@pytest.fixture(autouse=True)
def _ends() -> Iterator[None]:
    """Ends the recording."""
    yield
    if torch.cuda.is_available():
        RECORD(enabled=None)


def stacks() -> dict[int, list[Any]]:
    """For each block in use the frames of its record, by its size."""
    segments = torch.cuda.memory._snapshot()["segments"]
    blocks = [block for segment in segments for block in segment["blocks"] if block["state"] == "active_allocated"]
    return {block["requested_size"]: block.get("frames", []) for block in blocks}


@claim("Begin before you create the model: blocks from before the recording have no stack.")
@on_cuda
def test_before_the_recording() -> None:
    before = torch.ones(12_345, device="cuda")
    RECORD(stacks="python")
    after = torch.ones(23_456, device="cuda")
    found = stacks()
    assert found[before.nbytes] == []
    assert any(frame["filename"] == __file__ for frame in found[after.nbytes])


@claim(
    "`torch.cuda.memory._record_memory_history(max_entries=100_000)` | start recording; the limit keeps the newest events, without it the record grows",
    "`torch.cuda.memory._record_memory_history(enabled=None)` | stop recording, and forget the record: dump it before",
)
@on_cuda
def test_limit() -> None:
    def events() -> list[int]:
        trace = torch.cuda.memory._snapshot()["device_traces"][0]
        return [event["size"] for event in trace if event["action"] == "alloc"]

    RECORD(max_entries=4, stacks="python")
    kept = [torch.ones(n * 1024, device="cuda") for n in range(1, 9)]
    assert events() == [tensor.nbytes for tensor in kept[-4:]]
    RECORD(stacks="python")
    kept += [torch.ones(n * 1024, device="cuda") for n in range(1, 9)]
    assert len(events()) >= 8
    RECORD(enabled=None)
    assert events() == []
    kept.append(torch.ones(99 * 1024, device="cuda"))
    assert kept[-1].nbytes not in events()


@claim('The stacks of C++ make a dump slow (a report: 461 s); `stacks="python"` leaves them out.')
@on_cuda
def test_python_alone() -> None:
    RECORD(stacks="python")
    x = torch.ones(34_567, device="cuda")
    places = [frame["filename"] for frame in stacks()[x.nbytes]]
    assert __file__ in places
    assert all(place.endswith(".py") or place.startswith("<") for place in places)


@claim("For an Intel GPU, `torch.xpu.memory` has functions of the same names (PyTorch 2.13's source).")
@pytest.mark.skipif(torch.__version__ < (2, 13), reason="PyTorch 2.13 brought them")
def test_xpu() -> None:
    for name in ("_record_memory_history", "_dump_snapshot", "_snapshot"):
        assert hasattr(torch.xpu.memory, name)
        assert hasattr(torch.cuda.memory, name)
