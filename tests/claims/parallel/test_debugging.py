"""Debugging: what gloo does when a process makes no call. The processes are threads of this one."""

from __future__ import annotations

import json
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from functools import partial
from threading import Lock
from typing import Any

import pytest
import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.constants import default_pg_timeout

from claims.claimlib import claim

SHORT = timedelta(seconds=0.3)
ONE_BY_ONE = Lock()
"""Begins one call at a time: PyTorch 2.11 notes those of all threads in one buffer, and two at once can end the process."""


def together(processes: int, call: Callable[[int, Any], object]) -> list[object]:
    """What each of so many ranks returns or raises. They join one gloo group, and leave it together."""
    store = dist.HashStore()

    def one(rank: int) -> tuple[object, object]:
        group = dist.ProcessGroupGloo(store, rank, processes, SHORT)
        try:
            return group, call(rank, group)
        except RuntimeError as error:
            return group, error

    with ThreadPoolExecutor(processes) as pool:
        return [found for _, found in pool.map(one, range(processes))]


@claim(
    "`all_reduce`, `broadcast` and `barrier` are collective calls: each process of the group has to make them, in the same order.",
    "A process that calls `all_reduce` waits until the others call it too.",
)
@pytest.mark.parametrize("name", ["allreduce", "broadcast", "barrier"])
def test_who_waits(name: str) -> None:
    def call(rank: int, group: Any, absent: int) -> object:
        if rank == absent:
            return "absent"
        with ONE_BY_ONE:
            found = group.barrier() if name == "barrier" else getattr(group, name)([torch.ones(2)])
        return found.wait()

    root_or_not = 0 if name == "broadcast" else 1  # who sends need not wait, who receives does
    alone = together(2, partial(call, absent=root_or_not))
    assert isinstance(alone[1 - root_or_not], RuntimeError)
    assert together(2, partial(call, absent=-1)) == [True, True]


@claim("On a gloo group, `monitored_barrier` names the first missing rank, or all with `wait_all_ranks=True`.")
@pytest.mark.parametrize(("everyone", "named"), [(False, ["1"]), (True, ["1", "2"])])
def test_monitored_barrier(everyone: bool, named: list[str]) -> None:
    def call(rank: int, group: Any) -> object:
        return group.monitored_barrier(timeout=SHORT, wait_all_ranks=everyone) if rank == 0 else "absent"

    error = str(together(3, call)[0])
    assert "failed to pass monitoredBarrier" in error
    assert [rank for rank in ("1", "2") if rank in error.partition("monitoredBarrier")[0]] == named


@claim("That is gloo's default; nccl's is 10 minutes.")
def test_default_timeouts() -> None:
    assert default_pg_timeout == timedelta(minutes=30)
    if dist.is_nccl_available():
        from torch.distributed.constants import default_pg_nccl_timeout

        assert default_pg_nccl_timeout == timedelta(minutes=10)


@claim("The flight recorder keeps the last collective calls of each process in memory.")
@pytest.mark.skipif(torch.__version__ < (2, 11), reason="it is off in 2.9")
def test_flight_recorder() -> None:
    dist.init_process_group("gloo", store=dist.HashStore(), rank=0, world_size=1)
    try:
        dist.all_reduce(torch.ones(3))
        entries = json.loads(torch._C._distributed_c10d._dump_fr_trace_json())["entries"]
    finally:
        dist.destroy_process_group()
    assert any(entry["input_sizes"] == [[3]] for entry in entries)


@claim("Without DDP's help, look for parameters whose `.grad` is `None` after a `backward()` of the plain model.")
def test_unused() -> None:
    model = nn.ModuleDict({"used": nn.Linear(2, 1), "unused": nn.Linear(2, 1)})
    model["used"](torch.ones(1, 2)).sum().backward()
    assert [name for name, p in model.named_parameters() if p.grad is None] == ["unused.weight", "unused.bias"]
