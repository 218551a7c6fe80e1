"""CUDA: which lines wait for the GPU, on a real one or a simulated one."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
import torch
import torch.nn.functional as F
from torch import nn

from claims.claimlib import claim, on_cuda, raises, refuses

pytestmark = [on_cuda, pytest.mark.filterwarnings("ignore:Synchronization debug mode is a prototype")]
WAITS = "called a synchronizing CUDA operation"


@pytest.fixture
def strict() -> Iterator[None]:
    """Turns a line that waits into an error."""
    torch.cuda.set_sync_debug_mode("error")
    yield
    torch.cuda.set_sync_debug_mode("default")


@pytest.fixture
def x() -> torch.Tensor:
    """A tensor on the GPU, made before lines that wait are errors."""
    return torch.arange(6.0, device="cuda")


@claim(
    "A line waits if Python needs a value from the GPU, or a shape that depends on values.",
    "`x[mask]`, `x.nonzero()` | `torch.where(mask, x, 0.0)`, `x.masked_fill`, reductions of these",
)
def test_values_and_shapes(x: torch.Tensor, strict: None) -> None:
    mask = x > 2
    for call in (
        x.sum().item,
        lambda: bool(mask.any()),
        x.nonzero,
        lambda: x[mask],
        lambda: print(x),
        x.cpu,
        lambda: x.unique(),
    ):
        raises(WAITS, call)
    for call in (
        lambda: torch.where(mask, x, 0.0),
        lambda: x.masked_fill(mask, 0),
        lambda: torch.where(mask, x, 0.0).sum(),
        lambda: x @ x,
        lambda: x[1:3],
    ):
        assert not refuses(call)


@claim(
    'A copy from the CPU to the GPU waits too, `torch.tensor([1.0], device="cuda")` for example, unless the memory is pinned and the copy `non_blocking`.',
    '`x.to("cuda")` | pinned memory and `non_blocking=True`',
    '`torch.ones(3).to("cuda")` | `torch.ones(3, device="cuda")`',
)
def test_copies(strict: None) -> None:
    raises(WAITS, torch.tensor, [1.0], device="cuda")
    raises(WAITS, torch.ones(3).to, "cuda")
    raises(WAITS, torch.ones(3).pin_memory().to, "cuda")
    assert not refuses(torch.ones(3).pin_memory().to, "cuda", non_blocking=True)
    assert not refuses(torch.ones, 3, device="cuda")


@claim(
    "`one_hot(labels)` | `one_hot(labels, num_classes)`",
    "`x[[0, 2]]` in every step | an index tensor that is on the GPU already",
)
def test_instead(x: torch.Tensor) -> None:
    labels, index = torch.tensor([0, 2], device="cuda"), torch.tensor([0, 2], device="cuda")
    torch.cuda.set_sync_debug_mode("error")
    try:
        raises(WAITS, F.one_hot, labels)
        raises(WAITS, lambda: x[[0, 2]])
        assert not refuses(lambda: x[index])
        if torch.__version__ >= (2, 11):
            assert not refuses(F.one_hot, labels, 3)
    finally:
        torch.cuda.set_sync_debug_mode("default")


@claim("`x[0] = 1.0` in PyTorch 2.13 and older (mended since) | `x[0:1] = 1.0`")
def test_assignment(x: torch.Tensor, strict: None) -> None:
    assert not refuses(x.__setitem__, slice(0, 1), 1.0)
    if torch.__version__ < (2, 14):
        raises(WAITS, x.__setitem__, 0, 1.0)


@claim("`scaler.step(optimizer)` | `Adam` or `AdamW` with `fused=True`")
@pytest.mark.parametrize("fused", [False, True])
@pytest.mark.parametrize("name", ["Adam", "AdamW"])
def test_scaler(name: str, fused: bool) -> None:
    layer, scaler = nn.Linear(2, 2, device="cuda"), torch.amp.GradScaler("cuda")
    optimizer = getattr(torch.optim, name)(layer.parameters(), fused=fused)
    scaler.scale(layer(torch.ones(1, 2, device="cuda")).sum()).backward()
    scaler.step(optimizer)
    scaler.update()
    torch.cuda.set_sync_debug_mode("error")
    try:
        assert refuses(scaler.step, optimizer) == (not fused)
    finally:
        torch.cuda.set_sync_debug_mode("default")


@claim(
    "`stream.wait_stream(other)` | the stream | all work queued in the other stream so far",
    "`stream.synchronize()` | Python | all work queued in this stream so far",
    "`event.query()`, `stream.query()` | nobody | returns `True` or `False`",
)
def test_ways_to_wait() -> None:
    side, x, y = torch.cuda.Stream(), torch.zeros(1000, device="cuda"), torch.zeros(1000, device="cuda")
    torch.cuda.synchronize()
    torch.cuda._sleep(100_000_000)
    x.fill_(1.0)
    event = torch.cuda.current_stream().record_event()
    assert not event.query()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        y.copy_(x)
    assert not side.query()
    side.synchronize()
    assert event.query()
    assert side.query()
    assert y.sum().item() == 1000


@claim(
    "`torch.cuda.synchronize()`, `torch.accelerator.synchronize()` | Python | all streams of the current GPU",
    "For CUDA, `torch.cuda.synchronize()` does the same.",
)
@pytest.mark.parametrize("wait", [torch.cuda.synchronize, torch.accelerator.synchronize])
def test_synchronize(wait: Callable[[], None]) -> None:
    marks, streams = [torch.cuda.Event() for _ in range(2)], [torch.cuda.current_stream(), torch.cuda.Stream()]
    for mark, stream in zip(marks, streams, strict=True):
        with torch.cuda.stream(stream):
            torch.cuda._sleep(50_000_000)
            mark.record()
    assert not any(mark.query() for mark in marks)
    wait()
    assert all(mark.query() for mark in marks)


@claim("`scaler.get_scale()` reads a value as well, so do not print it in every step.")
def test_get_scale() -> None:
    scaler = torch.amp.GradScaler("cuda")
    scaler.scale(torch.ones((), device="cuda"))
    torch.cuda.set_sync_debug_mode("error")
    try:
        raises(WAITS, scaler.get_scale)
    finally:
        torch.cuda.set_sync_debug_mode("default")
