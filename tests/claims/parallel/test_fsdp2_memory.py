"""FSDP2's memory: what one process of many holds, with a backend that sends nothing."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import CPUOffloadPolicy, MixedPrecisionPolicy, fully_shard
from torch.testing._internal.distributed.fake_pg import FakeStore

from claims.claimlib import claim


@contextmanager
def group(processes: int) -> Iterator[None]:
    """Plays rank 0 of so many processes."""
    dist.init_process_group("fake", store=FakeStore(), rank=0, world_size=processes)
    yield
    dist.destroy_process_group()


@claim(
    "Parameters, gradients and Adam's two averages take four times the 16 MiB of weights, divided by the number of processes."
)
@pytest.mark.parametrize("processes", [1, 2, 4])
@pytest.mark.parametrize("kind", [torch.optim.Adam, torch.optim.AdamW])
def test_parts(processes: int, kind: type[torch.optim.Optimizer]) -> None:
    with group(processes):
        layer = nn.Linear(8, 16, bias=False)
        fully_shard(layer, mesh=init_device_mesh("cpu", (processes,)))
        optimizer = kind(layer.parameters())
        layer(torch.ones(1, 8)).sum().backward()
        optimizer.step()
        held = [layer.weight, layer.weight.grad, *(v for s in optimizer.state.values() for v in s.values() if v.dim())]
        assert sum(tensor.to_local().nbytes for tensor in held) == 4 * 8 * 16 * 4 / processes


@claim("With `MixedPrecisionPolicy` the parts stay in `float32`, and what is gathered has 16 bits:")
@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16], ids=str)
def test_gathered(dtype: torch.dtype) -> None:
    with group(1):
        layer = nn.Linear(4, 4)
        fully_shard(layer, mesh=init_device_mesh("cpu", (1,)), mp_policy=MixedPrecisionPolicy(param_dtype=dtype))
        assert layer.weight.dtype == layer.weight.to_local().dtype == torch.float32
        layer.unshard()
        assert {layer.weight.dtype, layer.bias.dtype} == {dtype}
        layer.reshard()
        assert layer.weight.dtype == torch.float32


@claim(
    "With a mesh of two dimensions, `fully_shard` splits over the second and keeps copies over the first.",
    "Rank 0 of two machines with four processes each holds a quarter, not an eighth:",
)
@pytest.mark.parametrize(("copies", "parts"), [(2, 4), (4, 2), (1, 8)])
def test_two_dimensions(copies: int, parts: int) -> None:
    with group(8):
        layer = nn.Linear(4, 16, bias=False)
        fully_shard(layer, mesh=init_device_mesh("cpu", (copies, parts), mesh_dim_names=("replicate", "shard")))
        assert tuple(layer.weight.to_local().shape) == (16 // parts, 4)
        assert [type(place).__name__ for place in layer.weight.placements] == ["Replicate", "Shard"]


@claim(
    "With `pin_memory=True`, the default, the parts are in pinned memory, for faster copies; `False` needs less of it."
)
def test_default_of_offload() -> None:
    assert inspect.signature(CPUOffloadPolicy).parameters["pin_memory"].default is True
    assert CPUOffloadPolicy().pin_memory
