"""DDP in a group of one, and the arithmetic of several in one process."""

from __future__ import annotations

import inspect
import math
from collections.abc import Iterator
from itertools import chain

import pytest
import torch
import torch.distributed as dist
from hypothesis import given
from hypothesis import strategies as st
from torch import nn
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

from claims.claimlib import claim, close, raises, refuses, same

pytestmark = pytest.mark.skipif(not dist.is_available() or not dist.is_gloo_available(), reason="needs gloo")


@pytest.fixture
def group() -> Iterator[None]:
    """A group of one process."""
    dist.init_process_group("gloo", store=dist.HashStore(), rank=0, world_size=1)
    yield
    dist.destroy_process_group()


@claim("Forward pass, loss, `backward()` and `step()` stay as they are.")
def test_same_gradients(group: None) -> None:
    model, x = nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 1)), torch.randn(5, 3)
    plain = torch.autograd.grad(model(x).square().mean(), list(model.parameters()))
    parallel = DistributedDataParallel(model)
    parallel(x).square().mean().backward()
    close([parameter.grad for parameter in model.parameters()], list(plain))
    del parallel


@claim("The keys of the wrapper begin with `module.`: loading them into a plain model fails.")
def test_keys(group: None) -> None:
    parallel = DistributedDataParallel(nn.Linear(1, 1))
    assert all(key.startswith("module.") for key in parallel.state_dict())
    assert refuses(nn.Linear(1, 1).load_state_dict, parallel.state_dict())
    assert not refuses(nn.Linear(1, 1).load_state_dict, parallel.module.state_dict())
    del parallel


@claim("`num_replicas` and `rank` come from the group if you do not pass them.")
def test_sampler_asks_the_group(group: None) -> None:
    sampler = DistributedSampler(range(5))
    assert (sampler.num_replicas, sampler.rank) == (1, 0)


@claim(
    "The sampler deals out the samples by rank.",
    "All shares have the same length, so no process waits for a batch that another does not have.",
)
@given(st.integers(1, 30), st.integers(1, 5), st.booleans())
def test_shares(n: int, world: int, drop: bool) -> None:
    shares = [list(DistributedSampler(range(n), world, rank, shuffle=False, drop_last=drop)) for rank in range(world)]
    assert {len(share) for share in shares} == {n // world if drop else -(-n // world)}
    if drop and n >= world:
        assert sorted(chain(*shares)) == list(range(n // world * world))
    if not drop:
        assert set(chain(*shares)) == set(range(n))
    assert all(share[:1] == [rank] for rank, share in enumerate(shares) if rank < n and share)


@claim("Ten samples do not divide by four: samples 0 and 1 appear twice; with `drop_last=True`, 8 and 9 are missing.")
def test_ten_by_four() -> None:
    dealt = [index for rank in range(4) for index in DistributedSampler(range(10), 4, rank, shuffle=False)]
    assert [index for index in range(10) if dealt.count(index) == 2] == [0, 1]
    dropped = [
        index for rank in range(4) for index in DistributedSampler(range(10), 4, rank, shuffle=False, drop_last=True)
    ]
    assert sorted(dropped) == list(range(8))


@claim(
    "The conversion changes no number: a checkpoint with `SyncBatchNorm` loads into a model with `BatchNorm`, and the other way round.",
    "In `eval()` it uses the running statistics, like `BatchNorm`, and sends nothing.",
)
@given(st.integers(1, 5))
def test_sync_batch_norm(size: int) -> None:
    norm = nn.BatchNorm1d(size)
    norm(torch.randn(4, size))
    synced = nn.SyncBatchNorm.convert_sync_batchnorm(norm)
    nn.BatchNorm1d(size).load_state_dict(synced.state_dict())
    synced.load_state_dict(nn.BatchNorm1d(size).state_dict())
    synced.load_state_dict(norm.state_dict())
    x = torch.randn(3, size)
    same(synced.eval()(x), norm.eval()(x))


@claim("`gradient_as_bucket_view` | `False` | saves memory: `.grad` is a view of the memory that is sent")
@pytest.mark.parametrize("view", [False, True])
def test_bucket_view(group: None, view: bool) -> None:
    parallel = DistributedDataParallel(nn.Linear(2, 2), gradient_as_bucket_view=view)
    parallel(torch.ones(1, 2)).sum().backward()
    grads = [parameter.grad for parameter in parallel.parameters()]
    assert (grads[0].untyped_storage()._cdata == grads[1].untyped_storage()._cdata) == view
    del parallel


@claim(
    "`find_unused_parameters` | `False` | for models that do not use all parameters in each pass",
    "`static_graph` | `False` | promises that the same parameters are used in each pass",
    "`bucket_cap_mb` | `None`: 25 MiB | how many gradients are sent together",
    "`device_ids` | `None` | `[device]` on a GPU; `None` on the CPU",
    "`gradient_as_bucket_view` | `False` | saves memory: `.grad` is a view of the memory that is sent",
)
def test_arguments(group: None) -> None:
    given = inspect.signature(DistributedDataParallel).parameters
    names = ("find_unused_parameters", "static_graph", "gradient_as_bucket_view", "bucket_cap_mb", "device_ids")
    assert [given[name].default for name in names] == [False, False, False, None, None]
    assert DistributedDataParallel(nn.Linear(1, 1)).bucket_bytes_cap == 25 * 2**20
    for view in (False, True):
        model = DistributedDataParallel(nn.Linear(2, 3), gradient_as_bucket_view=view)
        model(torch.ones(1, 2)).sum().backward()
        assert (model.module.weight.grad.untyped_storage().nbytes() > model.module.weight.grad.nbytes) == view


@claim(
    "`batch_size` belongs to one process; one update uses `batch_size` times `WORLD_SIZE` samples.",
    "More processes mean fewer updates with more samples each.",
    "All shares have the same length, so no process waits for a batch that another does not have.",
)
@given(st.integers(1, 50), st.integers(1, 4), st.integers(1, 8))
def test_updates(samples: int, processes: int, size: int) -> None:
    data = TensorDataset(torch.zeros(samples))
    loaders = [
        DataLoader(data, batch_size=size, sampler=DistributedSampler(data, num_replicas=processes, rank=rank))
        for rank in range(processes)
    ]
    assert {len(loader) for loader in loaders} == {math.ceil(math.ceil(samples / processes) / size)}
    first = [len(next(iter(loader))[0]) for loader in loaders]
    assert sum(first) == processes * min(size, math.ceil(samples / processes))
    assert len(loaders[0]) <= len(DataLoader(data, batch_size=size))


@claim("In a group, it trains [on GPUs only](../errors/syncbatchnorm-expected-input-on-gpu.md).")
def test_sync_trains_on_gpus(group: None) -> None:
    layer = nn.SyncBatchNorm(2)
    raises("SyncBatchNorm expected input tensor to be on GPU", layer, torch.rand(3, 2))
    assert layer.eval()(torch.rand(3, 2)).shape == (3, 2)
