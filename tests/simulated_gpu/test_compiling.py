"""torch.compile on simulated GPUs: right values, PyTorch's own graphs and breaks, and what is refused by name."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable

import pytest

pytestmark = pytest.mark.cuda_build
Simulated = Callable[..., str]

START = """
import simulated_gpu, torch, warnings
from torch import nn
warnings.simplefilter("ignore")
torch.set_num_threads(1)
"""


def test_networks_have_the_values_and_gradients_of_eager_code(simulated: Simulated) -> None:
    """Forward and backward, on the second GPU: linear, convolving, attending and recurrent layers."""
    program = f"""{START}
def results(network, x):
    torch.manual_seed(0)
    made = network(x)
    made = made[0] if isinstance(made, tuple) else made
    return [made.detach(), *torch.autograd.grad(made.square().mean(), list(network.parameters()))]

class Recurrent(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer, self.head = nn.LSTM(4, 5, batch_first=True), nn.Linear(5, 2)
    def forward(self, x):
        return self.head(self.layer(x)[0]).relu()

networks = [
    (nn.Sequential(nn.Linear(8, 16), nn.GELU(), nn.LayerNorm(16), nn.Linear(16, 4)), (5, 8)),
    (nn.Sequential(nn.Conv2d(3, 4, 3), nn.BatchNorm2d(4), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten()), (2, 3, 8, 8)),
    (nn.TransformerEncoderLayer(16, 2, 32, dropout=0.0, batch_first=True), (2, 6, 16)),
    (Recurrent(), (2, 3, 4)),
]
with simulated_gpu.unsure() as names:
    for network, shape in networks:
        network, x = network.to("cuda:1"), torch.randn(shape, device="cuda:1")
        pairs = zip(results(network, x), results(torch.compile(network), x))
        print(all(torch.allclose(one, other, atol=1e-5) for one, other in pairs))
        torch._dynamo.reset()
print("torch.compile, by Inductor's C++ kernels instead of Triton's" in names)
"""
    assert simulated(program, "--gpus", "2") == "True\n" * 5


def test_graphs_breaks_and_guards_are_pytorchs_own(simulated: Simulated) -> None:
    """Dynamo runs unchanged: only what it hands to Inductor is compiled otherwise."""
    program = f"""{START}
from torch._dynamo.utils import counters
def count():
    return counters["stats"]["unique_graphs"]

f = torch.compile(lambda x: (x * 2).relu().sum(-1))
print([f(torch.ones(n, 3, device="cuda")).sum().item() for n in (4, 5, 9)], count())

def breaks(x):
    y = x.sin() + 1
    print("side effect")
    return y.cos()
x = torch.linspace(0, 1, 7, device="cuda")
print(torch.allclose(torch.compile(breaks)(x), (x.sin() + 1).cos()), count())
torch._dynamo.reset()
try:
    torch.compile(breaks, fullgraph=True)(x)
except torch._dynamo.exc.Unsupported as error:
    print("print" in str(error))
"""
    lines = simulated(program).splitlines()
    assert lines == ["[24.0, 30.0, 54.0] 2", "side effect", "True 4", "True"]


def test_compiled_kernels_are_launched_like_any_other(simulated: Simulated) -> None:
    """They wait behind a pause, a graph replays them, a report counts them, and a failed assertion is one."""
    program = f"""{START}
f = torch.compile(lambda x: (x.sin() + 1).relu())
x = torch.ones(4, device="cuda")
f(x)
with simulated_gpu.report() as found:
    f(x)
print(found.number_of_kernels)
torch.cuda._sleep(10**9)
x.fill_(0.0)
y = f(x)
print(torch.cuda.current_stream().query(), y.tolist())
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = f(x)
x.fill_(-3.14159265 / 2)
graph.replay()
print([round(value, 5) for value in y.tolist()])
pick = torch.compile(lambda x, i: x[i] * 2)
picked = pick(x, torch.tensor([1, 7], device="cuda"))
try:
    print(picked.tolist())
except RuntimeError as error:
    print(str(error).splitlines()[0])
"""
    assert simulated(program).splitlines() == [
        "1",
        "False [1.0, 1.0, 1.0, 1.0]",
        "[0.0, 0.0, 0.0, 0.0]",
        "CUDA error: device-side assert triggered",
    ]


def test_modes_that_tune_and_capture_are_right_too(simulated: Simulated) -> None:
    """There is nothing to tune. The graphs are real ones of the runtime."""
    program = f"""{START}
network = nn.Sequential(nn.Linear(4, 4), nn.GELU(), nn.Linear(4, 2)).cuda()
x = torch.randn(3, 4, device="cuda")
for options in {{"mode": "reduce-overhead"}}, {{"mode": "max-autotune"}}, {{"backend": "cudagraphs"}}:
    compiled = torch.compile(network, **options)
    for _ in range(4):
        torch.compiler.cudagraph_mark_step_begin()
        made = compiled(x)
        network.zero_grad()
        made.sum().backward()
        made, gradient = made.clone(), network[0].weight.grad.clone()
    network.zero_grad()
    network(x).sum().backward()
    print(torch.allclose(made, network(x), atol=1e-6), torch.allclose(gradient, network[0].weight.grad, atol=1e-6))
    torch._dynamo.reset()
"""
    assert simulated(program) == "True True\n" * 3


def test_random_numbers_of_compiled_code_are_noted_as_unsure(simulated: Simulated) -> None:
    """Triton draws others, and so does eager code."""
    program = f"""{START}
f = torch.compile(lambda x: nn.functional.dropout(x, 0.5))
x = torch.ones(1000, device="cuda")
f(x)
with simulated_gpu.unsure() as names:
    y = f(x)
print(sorted(set(y.tolist())), 0.8 < y.mean().item() < 1.2, "random numbers of torch.compile" in names)
"""
    assert simulated(program) == "[0.0, 2.0] True True\n"


def test_what_needs_tritons_templates_is_refused_by_name(simulated: Simulated) -> None:
    """Not with an error of a compiler that is not there."""
    program = f"""{START}
from torch.nn.attention.flex_attention import flex_attention
x = torch.randn(1, 2, 128, 16, device="cuda")
attempts = [
    lambda: torch.compile(flex_attention)(x, x, x),
    lambda: torch.compile(lambda x: x.sin() + 1, options={{"cpp_wrapper": True}})(x),
]
for attempt in attempts:
    try:
        attempt()
    except Exception as error:
        print(next(line for line in str(error).splitlines() if "NotSimulated" in line).partition("NotSimulated: ")[2])
print(flex_attention(x, x, x).shape)
"""
    flex, wrapper, shape = simulated(program).splitlines()
    assert flex.startswith("torch.compile of flex_attention: its kernel is a template of Triton's")
    assert wrapper.startswith("torch.compile with cpp_wrapper, and AOTInductor: the simulated GPU does not do it.")
    assert shape == "torch.Size([1, 2, 128, 16])"


@pytest.mark.skipif(importlib.util.find_spec("triton") is None, reason="needs triton")
def test_a_kernel_of_tritons_runs_in_its_interpreter(simulated: Simulated) -> None:
    """Alone, and within what is compiled, where Dynamo breaks its graph."""
    program = f"""{START}
import triton, triton.language as tl

@triton.jit
def add(x, y, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + i, tl.load(x + i, mask=i < n) + tl.load(y + i, mask=i < n), mask=i < n)

def total(x):
    out = torch.empty_like(x)
    add[(2,)](x, x, out, 100, BLOCK=64)
    return out + 1
x = torch.arange(100.0, device="cuda")
print(total(x)[-1].item(), torch.compile(total)(x)[-1].item())
"""
    assert simulated(program) == "199.0 199.0\n"
