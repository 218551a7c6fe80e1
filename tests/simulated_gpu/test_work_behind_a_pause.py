"""What a stream is given behind torch.cuda._sleep is done when something waits for it, in the stream's order."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

pytestmark = pytest.mark.cuda_build
Simulated = Callable[..., str]

HEAD = """
import torch
PAUSE = 10**9
torch.cuda.init()
x, side, mark = torch.zeros(4, device="cuda"), torch.cuda.Stream(), torch.cuda.Event()
pinned = torch.ones(4).pin_memory()
"""


@pytest.mark.parametrize(
    "wait",
    [
        "torch.cuda.synchronize()",
        "mark.synchronize()",
        "torch.cuda.current_stream().synchronize()",
        "x.sum().item()",
        "x.cpu()",
        "torch.ones(4).to('cuda')",
        "x.nonzero()",
        "side.wait_event(mark), side.synchronize()",
    ],
)
def test_an_event_is_passed_when_something_has_waited(simulated: Simulated, wait: str) -> None:
    """A program that asks before sees that the GPU is still at work."""
    program = f"""
torch.cuda._sleep(PAUSE)
mark.record()
print(mark.query(), torch.cuda.current_stream().query())
{wait}
print(mark.query())
"""
    assert simulated(HEAD + program) == "False False\nTrue\n"


def test_streams_are_busy_each_for_itself(simulated: Simulated) -> None:
    """To wait for one stream is no wait for another; a wait between streams is one for what came before it."""
    program = """
later = torch.cuda.Event()
torch.cuda._sleep(PAUSE)
mark.record()
with torch.cuda.stream(side):
    y = torch.ones(3, device="cuda")
    later.record()
side.synchronize()
print(mark.query(), later.query(), side.query())
side.wait_event(mark)
with torch.cuda.stream(side):
    later.record()
torch.cuda._sleep(PAUSE)
print(later.query())
later.synchronize()
print(mark.query(), torch.cuda.current_stream().query())
"""
    assert simulated(HEAD + program) == "False True True\nFalse\nTrue False\n"


def test_a_copy_reads_its_pinned_source_when_its_turn_comes(simulated: Simulated) -> None:
    """Who overwrites the source too early sends the new values; pageable memory is read when the call returns."""
    program = """
pageable, y = torch.ones(4), torch.zeros(4, device="cuda")
torch.cuda._sleep(PAUSE)
x.copy_(pinned, non_blocking=True)
y.copy_(pageable, non_blocking=True)
pinned.fill_(7.0), pageable.fill_(7.0)
print(x.tolist(), y.tolist())
"""
    assert simulated(HEAD + program) == "[7.0, 7.0, 7.0, 7.0] [1.0, 1.0, 1.0, 1.0]\n"


def test_a_copy_to_pinned_memory_comes_later(simulated: Simulated) -> None:
    """Who reads it without a wait finds what was there before. A blocking copy is there at once."""
    program = """
x.fill_(2.0)
torch.cuda._sleep(PAUSE)
pinned.copy_(x, non_blocking=True)
print(pinned.tolist())
torch.cuda.synchronize()
print(pinned.tolist())
torch.cuda._sleep(PAUSE)
x.add_(1.0)
print(pinned.copy_(x).tolist())
"""
    assert simulated(HEAD + program) == "[1.0, 1.0, 1.0, 1.0]\n[2.0, 2.0, 2.0, 2.0]\n[3.0, 3.0, 3.0, 3.0]\n"


def test_a_second_stream_has_to_wait_for_the_first(simulated: Simulated) -> None:
    """Without wait_stream it reads too early, as on a real GPU."""
    program = """
for ordered in (False, True):
    x.zero_()
    torch.cuda.synchronize()
    torch.cuda._sleep(PAUSE)
    x.fill_(1.0)
    if ordered:
        side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        total = x.sum()
    torch.cuda.synchronize()
    print(total.item())
"""
    assert simulated(HEAD + program) == "0.0\n4.0\n"


def test_what_is_put_off_gives_the_values_of_the_call(simulated: Simulated) -> None:
    """Memory that is freed and taken again, arguments that change, a training step: order is all that counts."""
    program = """
from torch import nn
def work(number):
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(4, 8), nn.GELU(), nn.LayerNorm(8), nn.Linear(8, 1)).to("cuda")
    optimizer = torch.optim.Adam(net.parameters(), lr=0.1)
    data = torch.arange(8.0, device="cuda").view(2, 4)
    torch.cuda.synchronize()
    if number:
        torch.cuda._sleep(PAUSE)
    for _ in range(2):
        scale = torch.tensor(0.5)
        loss = (net(data * scale) * 2 + 1).square().sum()
        scale.fill_(9.0)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        del loss
    picked = torch.cat([data, data * 2])[torch.tensor([3, 0], device="cuda")]
    held = torch.cuda.memory_allocated()
    return held, [p.tolist() for p in net.parameters()] + picked.tolist()
print(work(0) == work(1))
"""
    assert simulated(HEAD + program, SIMULATED_GPU_UNSURE="notes.txt") == "True\n"


def test_a_failed_assertion_is_reported_at_the_wait(simulated: Simulated) -> None:
    """The traceback of a real GPU ends there, too, unless CUDA_LAUNCH_BLOCKING=1."""
    program = """
torch.cuda._sleep(PAUSE)
try:
    x[bad]
    print("went on")
    torch.cuda.synchronize()
except RuntimeError as error:
    print(str(error).splitlines()[0])
"""
    head = HEAD + "bad = torch.tensor([5], device='cuda')\ntorch.cuda.synchronize()\n"
    said = "CUDA error: device-side assert triggered\n"
    assert simulated(head + program, CUDA_LAUNCH_BLOCKING="0") == f"went on\n{said}"
    assert simulated(head + program, CUDA_LAUNCH_BLOCKING="1") == said


def test_a_program_that_polls_sees_the_end(simulated: Simulated) -> None:
    """A loop over query() would never end, if only waits ended a pause."""
    program = """
torch.cuda._sleep(10**7)
x.fill_(1.0)
mark.record()
asked = 0
while not mark.query():
    asked += 1
print(asked > 0, pinned.copy_(x, non_blocking=True).tolist())
"""
    assert simulated(HEAD + program) == "True [1.0, 1.0, 1.0, 1.0]\n"


@pytest.mark.parametrize(
    ("work", "noted"),
    [
        ("x.fill_(1.0)", ""),
        ("torch.nn.functional.conv1d(x.view(1, 1, 4).double(), x.view(1, 1, 4).double())", "aten::cudnn_convolution"),
        ("torch.rand(3, device='cuda')", "aten::uniform_"),
        ("torch.ones(4).to('cuda', non_blocking=True)", "a question after an asynchronous copy from pageable memory"),
    ],
)
def test_it_says_what_it_cannot_put_off(simulated: Simulated, tmp_path: Path, work: str, noted: str) -> None:
    """The values are right, but a real GPU would still be at work: nobody shall take the answer for its."""
    program = f"""
torch.cuda._sleep(PAUSE)
{work}
mark.record()
mark.query()
"""
    simulated(HEAD + program, SIMULATED_GPU_UNSURE="notes.txt")
    notes = (tmp_path / "notes.txt").read_text() if (tmp_path / "notes.txt").exists() else ""
    assert bool(notes) == bool(noted)
    assert noted in notes


def test_each_gpu_has_its_own_default_stream(simulated: Simulated) -> None:
    """Its handle is 0 on each, so work of one GPU was put behind the pause of another, and nobody waited for it."""
    program = """
import torch
x, y = torch.zeros(2, device="cuda:0"), torch.zeros(2, device="cuda:1")
torch.cuda._sleep(10**9)
print((y + 1).tolist())
later = x + 1
with torch.cuda.device(1):
    torch.cuda._sleep(10**9)
y.fill_(3.0)
print((y * 2).tolist(), later.tolist())
for dtype in torch.float32, torch.float64:
    with torch.cuda.device(1):
        torch.cuda._sleep(10**9)
    y.fill_(7.0)
    print(torch.empty(2, device="cuda:0", dtype=dtype).copy_(y).tolist())
"""
    assert simulated(program, "--gpus", "2").splitlines() == [
        "[1.0, 1.0]",
        "[6.0, 6.0] [1.0, 1.0]",
        "[7.0, 7.0]",
        "[7.0, 7.0]",
    ]


def test_an_answer_for_the_host_is_waited_for(simulated: Simulated) -> None:
    """torch.equal was False behind a pause."""
    program = """
import torch
x = torch.zeros(3, device="cuda")
torch.cuda._sleep(10**9)
x.fill_(2.0)
print(torch.equal(x, torch.full((3,), 2.0, device="cuda")))
"""
    assert simulated(program) == "True\n"
