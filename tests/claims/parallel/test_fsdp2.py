"""FSDP2 in a group of one process."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator

import pytest
import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import MixedPrecisionPolicy, fully_shard
from torch.distributed.tensor import DTensor

from claims.claimlib import claim, close, refuses


@pytest.fixture
def mesh() -> Iterator[dist.device_mesh.DeviceMesh]:
    """A mesh of one process."""
    dist.init_process_group("gloo", store=dist.HashStore(), rank=0, world_size=1)
    yield init_device_mesh("cpu", (1,))
    dist.destroy_process_group()


@claim(
    "`fully_shard` changes the model in place: there is no wrapper, and the training loop stays as it was.",
    "The keys are those of the plain model, without a prefix, and the parameters are `DTensor`s.",
)
def test_in_place(mesh: dist.device_mesh.DeviceMesh) -> None:
    model = nn.Sequential(nn.Linear(3, 4), nn.ReLU(), nn.Linear(4, 2)).double()
    keys, x = list(model.state_dict()), torch.randn(5, 3).double()
    plain = torch.autograd.grad(model(x).square().sum(), list(model.parameters()))
    for module in (model[0], model[2], model):
        assert fully_shard(module, mesh=mesh) is module
    assert list(model.state_dict()) == keys
    assert all(isinstance(value, DTensor) for value in model.state_dict().values())
    model(x).square().sum().backward()
    close([p.grad.full_tensor() for p in model.parameters()], list(plain))


@claim(
    "Inside its layer's forward pass a weight is a plain parameter, outside it is a `DTensor`:",
    "Parameters of the outermost module stay plain after the forward pass, because the backward pass begins with them.",
)
def test_inside_and_outside(mesh: dist.device_mesh.DeviceMesh) -> None:
    seen: list[bool] = []

    class Layer(nn.Linear):
        def forward(self, x: torch.Tensor) -> torch.Tensor:
            seen.append(isinstance(self.weight, DTensor))
            return super().forward(x)

    model = nn.Sequential(Layer(2, 2), nn.Linear(2, 2))
    fully_shard(model[0], mesh=mesh)
    fully_shard(model, mesh=mesh)
    model(torch.ones(1, 2)).sum()
    assert seen == [False]
    assert isinstance(model[0].weight, DTensor)
    assert not isinstance(model[1].weight, DTensor)
    model.reshard()
    assert isinstance(model[1].weight, DTensor)


@claim(
    "The parts stay in `float32`, and the optimizer updates them there. The gathered weight is in `bfloat16`, with half the bytes to send and to hold."
)
def test_mixed_precision(mesh: dist.device_mesh.DeviceMesh) -> None:
    layer = nn.Linear(8, 3)
    fully_shard(
        layer, mesh=mesh, mp_policy=MixedPrecisionPolicy(param_dtype=torch.bfloat16, reduce_dtype=torch.float32)
    )
    assert layer(torch.ones(4, 8)).dtype == torch.bfloat16
    layer.reshard()
    assert layer.weight.dtype == torch.float32
    layer.unshard()
    assert layer.weight.dtype == torch.bfloat16


@claim(
    "Without the `True` at the end no parameter ever has a gradient: the optimizer skips them all, and no error is raised."
)
@pytest.mark.parametrize("last", [False, True])
def test_accumulation(mesh: dist.device_mesh.DeviceMesh, last: bool) -> None:
    model = nn.Linear(2, 2)
    fully_shard(model, mesh=mesh)
    for step in range(2):
        model.set_requires_gradient_sync(last and step == 1)
        model(torch.ones(1, 2)).sum().backward()
    model.set_requires_gradient_sync(True)
    assert all((p.grad is not None) == last for p in model.parameters())


@claim(
    "The rows are divided as `torch.chunk` does.",
    "Four processes get three parts, and the fourth process holds nothing of this parameter.",
)
@pytest.mark.parametrize("world", [1, 2, 3, 4, 5])
def test_rows(world: int) -> None:
    from torch.testing._internal.distributed.fake_pg import FakeStore

    for rank in range(world):
        dist.init_process_group("fake", store=FakeStore(), rank=rank, world_size=world)
        layer = nn.Linear(16, 3)
        fully_shard(layer, mesh=init_device_mesh("cpu", (world,)))
        parts = torch.zeros(3, 16).chunk(world)
        assert len(layer.weight.to_local()) == (len(parts[rank]) if rank < len(parts) else 0)
        dist.destroy_process_group()


@claim("`model.load_state_dict` refuses plain tensors.")
def test_plain_tensors(mesh: dist.device_mesh.DeviceMesh) -> None:
    model = nn.Linear(2, 2)
    state = {name: value.clone() for name, value in model.state_dict().items()}
    fully_shard(model, mesh=mesh)
    assert refuses(model.load_state_dict, state)


@claim(
    "Each parameter is now a `DTensor`, a tensor that is spread over the processes; here it is split in dimension 0.",
    "`full_tensor()` gathers the whole; it is a collective call, so all processes must make it.",
)
@pytest.mark.parametrize("make", [lambda: nn.Linear(3, 5), lambda: nn.LSTM(2, 3), lambda: nn.Conv2d(1, 2, 3)])
def test_split_in_dimension_0(mesh: dist.device_mesh.DeviceMesh, make: Callable[[], nn.Module]) -> None:
    module = make()
    before = [p.detach().clone() for p in module.parameters()]
    fully_shard(module, mesh=mesh)
    for parameter, plain in zip(module.parameters(), before, strict=True):
        assert isinstance(parameter, DTensor)
        assert [place.dim for place in parameter.placements] == [0]
        close(parameter.full_tensor().detach(), plain)


@claim(
    "`reshard_after_forward` | `None`: `False` for the outermost module, else `True` | `False` keeps the whole between forward and backward pass: more memory, one all-gather fewer",
    "`mesh` | all processes, on the accelerator of the build | the processes and the kind of device",
    "An evaluation has none, so they stay plain, and code that walks over `model.parameters()` afterwards meets both kinds.",
    "`reshard()` puts them back.",
)
@pytest.mark.parametrize("reshard", [None, True])
def test_reshard(mesh: dist.device_mesh.DeviceMesh, reshard: bool | None) -> None:
    given = inspect.signature(fully_shard).parameters
    assert given["reshard_after_forward"].default is given["mesh"].default is None
    model = nn.Sequential(nn.Linear(2, 2), nn.Linear(2, 2))
    model.extra = nn.Parameter(torch.ones(1))
    fully_shard(model[0], mesh=mesh)
    fully_shard(model, mesh=mesh, reshard_after_forward=reshard)
    with torch.no_grad():
        model(torch.ones(1, 2))
    assert isinstance(model[0].weight, DTensor)
    assert isinstance(model[1].weight, DTensor) == bool(reshard)
    model.reshard()
    assert all(isinstance(p, DTensor) for p in model.parameters())
