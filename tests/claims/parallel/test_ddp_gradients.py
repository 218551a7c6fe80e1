"""The gradients of DDP: the arithmetic of averages, in one process."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
import torch
import torch.distributed as dist
import torch.nn.functional as F
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor, nn
from torch.distributed.algorithms.ddp_comm_hooks.default_hooks import allreduce_hook
from torch.nn.parallel import DistributedDataParallel

from claims.claimlib import claim, close

SHARES = st.lists(st.integers(1, 6), min_size=2, max_size=4)


@pytest.fixture
def group() -> Iterator[None]:
    """A group of one process."""
    dist.init_process_group("gloo", store=dist.HashStore(), rank=0, world_size=1)
    yield
    dist.destroy_process_group()


def gradient(loss: Tensor, model: nn.Module) -> Tensor:
    """The gradient of the weight."""
    return torch.autograd.grad(loss, model.weight)[0]


@claim(
    "For this model and loss, with shares of equal size, the average is the gradient of the whole batch.",
    "If shares differ in size, each sample of the smaller share weighs more.",
)
@given(SHARES)
def test_average(sizes: list[int]) -> None:
    model = nn.Linear(2, 1).double()
    x, y = torch.randn(sum(sizes), 2).double(), torch.randn(sum(sizes), 1).double()
    parts = zip(x.split(sizes), y.split(sizes), strict=True)
    average = torch.stack([gradient(F.mse_loss(model(a), b), model) for a, b in parts]).mean(dim=0)
    whole = gradient(F.mse_loss(model(x), y), model)
    assert torch.allclose(average, whole) == (len(set(sizes)) == 1)


@claim('Gradients of a loss with `reduction="sum"` are averaged too, so they are divided by the number of processes.')
@given(SHARES)
def test_sum(sizes: list[int]) -> None:
    model = nn.Linear(2, 1).double()
    x = torch.randn(sum(sizes), 2).double()
    average = torch.stack([gradient(model(part).square().sum(), model) for part in x.split(sizes)]).mean(dim=0)
    close(average, gradient(model(x).square().sum(), model) / len(sizes))


@claim(
    'Then sum with `reduction="sum"`, divide by the total of these weights over all processes (`all_reduce`), and multiply by the number of processes.'
)
@given(SHARES)
def test_ignore_index(sizes: list[int]) -> None:
    model, weight = nn.Linear(2, 3).double(), torch.tensor([1.0, 2.0, 5.0]).double()
    x, y = torch.randn(sum(sizes), 2).double(), torch.randint(3, (sum(sizes),))
    y[1::3] = -100
    total = weight[y[y != -100]].sum()
    parts = zip(x.split(sizes), y.split(sizes), strict=True)
    losses = [F.cross_entropy(model(a), b, weight=weight, reduction="sum") / total * len(sizes) for a, b in parts]
    average = torch.stack([gradient(loss, model) for loss in losses]).mean(dim=0)
    close(average, gradient(F.cross_entropy(model(x), y, weight=weight), model))


@claim(
    "Each `backward()` sends all gradients.",
    "Inside `no_sync()`, the gradients stay on their process.",
    "The forward pass must be inside `no_sync()` too. Otherwise the gradients are sent anyway:",
)
@pytest.mark.parametrize(
    ("forward", "backward", "sent"), [(False, False, True), (True, True, False), (False, True, True)]
)
def test_no_sync(group: None, forward: bool, backward: bool, sent: bool) -> None:
    from contextlib import nullcontext

    from torch.distributed.algorithms.ddp_comm_hooks.default_hooks import allreduce_hook

    seen: list[int] = []
    parallel = DistributedDataParallel(nn.Linear(2, 2))
    parallel.register_comm_hook(
        seen, lambda state, bucket: state.append(bucket.buffer().numel()) or allreduce_hook(None, bucket)
    )
    with parallel.no_sync() if forward else nullcontext():
        loss = parallel(torch.ones(1, 2)).sum()
    with parallel.no_sync() if backward else nullcontext():
        loss.backward()
    assert sum(seen) == (6 if sent else 0)
    del parallel


@claim("The model below never uses its second layer, and trains:")
@pytest.mark.parametrize("options", [{"static_graph": True}, {"find_unused_parameters": True}], ids=str)
def test_unused(group: None, options: dict[str, bool]) -> None:
    class Half(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.used, self.unused = nn.Linear(2, 2), nn.Linear(2, 2)

        def forward(self, x: Tensor) -> Tensor:
            return self.used(x)

    parallel = DistributedDataParallel(Half(), **options)
    for _ in range(3):
        parallel(torch.ones(1, 2)).sum().backward()
    assert parallel.module.used.weight.grad is not None
    del parallel


@claim(
    "The hook `fp16_compress_hook` halves the traffic: it sends the gradients in float16, where those of 65520 and more become `inf`, and turns them back."
)
@pytest.mark.parametrize(
    ("gradient", "finite"), [(65504.0, True), (65519.9, True), (65520.0, False), (-65520.0, False)]
)
def test_fp16_hook(group: None, monkeypatch: pytest.MonkeyPatch, gradient: float, finite: bool) -> None:
    from torch.distributed.algorithms.ddp_comm_hooks.default_hooks import fp16_compress_hook

    sent, real = [], dist.all_reduce
    monkeypatch.setattr(
        dist, "all_reduce", lambda x, *more, **options: sent.append(x.nbytes) or real(x, *more, **options)
    )
    parallel = DistributedDataParallel(nn.Linear(1, 1, bias=False))
    parallel.register_comm_hook(None, fp16_compress_hook)
    (parallel(torch.ones(1, 1)) * gradient).sum().backward()
    assert sent == [parallel.module.weight.nbytes // 2]
    assert parallel.module.weight.grad.dtype == torch.float32
    assert bool(parallel.module.weight.grad.isfinite().all()) == finite
    del parallel


@claim("Parameters and gradients stay in float32, and so does what DDP sends.")
def test_autocast(group: None) -> None:
    from torch.distributed.algorithms.ddp_comm_hooks.default_hooks import allreduce_hook

    sent: list[torch.dtype] = []
    parallel = DistributedDataParallel(nn.Linear(2, 2))
    parallel.register_comm_hook(
        sent, lambda state, bucket: state.append(bucket.buffer().dtype) or allreduce_hook(None, bucket)
    )
    with torch.autocast("cpu", dtype=torch.bfloat16):
        loss = F.mse_loss(parallel(torch.ones(1, 2)), torch.ones(1, 2))
    loss.backward()
    assert {*sent, parallel.module.weight.dtype, parallel.module.weight.grad.dtype} == {torch.float32}
    del parallel


@claim(
    "The traffic grows with the parameters and not with the batch: larger batches mean less traffic for each sample."
)
@pytest.mark.parametrize("width", [2, 8])
def test_traffic(group: None, width: int) -> None:
    def sent(rows: int) -> int:
        found: list[int] = []

        def note(state, bucket):  # DDP compares annotations, which are texts here
            found.append(bucket.buffer().nbytes)
            return allreduce_hook(None, bucket)

        model = DistributedDataParallel(nn.Linear(width, width))
        model.register_comm_hook(None, note)
        model(torch.ones(rows, width)).sum().backward()
        return sum(found)

    assert sent(1) == sent(64) == 4 * (width * width + width)
