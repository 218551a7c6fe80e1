"""CUDA streams and graphs, on a real GPU or a simulated one."""

from __future__ import annotations

import torch

from claims.claimlib import claim, on_cuda, raises

pytestmark = on_cuda


@claim(
    "Work in one stream runs in order; work in two streams may run at the same time. By default everything goes to one stream, the default stream."
)
def test_default_stream() -> None:
    assert torch.cuda.current_stream() == torch.cuda.default_stream()
    side = torch.cuda.Stream()
    with torch.cuda.stream(side):
        assert torch.cuda.current_stream() == side
    assert torch.cuda.current_stream() == torch.cuda.default_stream()


@claim("`torch.Stream` and `torch.Event` do the same without naming CUDA, and a stream is a context manager by itself:")
def test_any_accelerator() -> None:
    side, done = torch.Stream(device="cuda"), torch.Event(device="cuda")
    with side:
        assert torch.accelerator.current_stream() == side
        torch.cuda._sleep(100_000_000)
        total = torch.ones(1000, device="cuda").sum()
        done.record()
    assert not done.query()
    torch.accelerator.current_stream().wait_event(done)
    assert total.item() == 1000
    assert done.query()


@claim(
    "A graph always works on the same memory, with the same shapes; `clone()` an output that you keep, because the next `replay()` overwrites it.",
    "It repeats kernels, not Python: a `print`, an `if` or a counter in the captured lines does not run again.",
)
def test_graph() -> None:
    calls: list[int] = []
    given_input = torch.zeros(4, device="cuda")

    def work() -> torch.Tensor:
        calls.append(1)
        return given_input * 2 + 1

    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        work()
    torch.cuda.current_stream().wait_stream(side)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        output = work()
    before = len(calls)
    for number in (3.0, 5.0):
        given_input.fill_(number)
        graph.replay()
        assert output.tolist() == [2 * number + 1] * 4
    assert len(calls) == before


@claim(
    "`torch.accelerator.Graph` is the same idea for any accelerator, but not yet for this one: for CUDA, PyTorch 2.13 raises `Graph is not supported on device type: cuda`."
)
def test_accelerator_graph() -> None:
    if (2, 13) <= torch.__version__ < (2, 14):
        raises("Graph is not supported on device type: cuda", torch.accelerator.Graph)
