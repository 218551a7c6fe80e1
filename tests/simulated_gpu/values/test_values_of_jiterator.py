"""Kernels that a program writes in CUDA C++ for `torch.cuda.jiterator`, which the host's compiler compiles."""

from __future__ import annotations

from collections.abc import Callable

import pytest

pytestmark = pytest.mark.cuda_build
Simulated = Callable[..., str]
HEAD = """
import torch
from torch.cuda.jiterator import _create_jit_fn as jit, _create_multi_output_jit_fn as jit_many

def shown(call):
    try:
        made = call()
        print(made.tolist(), str(made.dtype)[6:])
    except Exception as error:
        print(type(error).__name__, error)

linear = jit("template <typename T> T linear(T x, T y, T alpha) { return x + alpha * y; }", alpha=1)
x = torch.arange(3.0, device="cuda")
"""


def test_a_kernel_broadcasts_and_takes_any_strides(simulated: Simulated) -> None:
    """PyTorch chooses the result's shape and strides; the elements must be found in all tensors."""
    program = """
v = torch.arange(24.0, device="cuda").reshape(2, 3, 4).permute(2, 0, 1)
one, other = v.flip(0)[::2], v[:1, :, 1:2]
made = linear(one, other, alpha=0.5)
print(torch.equal(made, one + 0.5 * other), made.shape, linear(v, v).stride() == v.stride(), linear(x[:0], x[:1]).shape)
"""
    assert simulated(HEAD + program) == "True torch.Size([2, 2, 3]) True torch.Size([0])\n"


def test_inputs_are_promoted_as_pytorch_promotes(simulated: Simulated) -> None:
    """Each input is rounded to the dtype of all; float16 is computed in float32, and bytes wrap."""
    program = """
shown(lambda: linear(x.half(), torch.tensor(1e-4, dtype=torch.float64, device="cuda")))
shown(lambda: linear(x.half(), x.bfloat16()))
shown(lambda: jit("template <typename T> T back(T x) { return x + T(2048) - T(2048); }")(x.half()))
shown(lambda: linear(x.to(torch.complex64), x.int()))
shown(lambda: linear(x.to(torch.uint8), torch.tensor(255, device="cuda")))
shown(lambda: linear(x > 0, x > 1, alpha=True))
"""
    assert simulated(HEAD + program).splitlines() == [
        "[0.00010001659393310547, 1.0, 2.0] float16",
        "[0.0, 2.0, 4.0] float32",
        "[0.0, 1.0, 2.0] float16",
        "[0j, (2+0j), (4+0j)] complex64",
        "[255, 0, 1] uint8",
        "[False, True, True] bool",
    ]


def test_several_results_and_functions(simulated: Simulated) -> None:
    """These are the examples of PyTorch's documentation, with CUDA's ::min, and a number in a tensor on the GPU."""
    program = """
two = jit_many("template <typename T> void two(T x, T y, T& a, T& b) { a = x + y; b = x - y; }", num_outputs=2)
for made in two(x.half(), x.half() + 1):
    shown(lambda: made)
code = "template <typename T> T util_fn(T x, T y) { return ::sin(x) + ::cos(y); }"
code += "template <typename T> T my_kernel(T x, T y, T val) { return ::min(val, util_fn(x, y)); }"
kernel = jit(code, val=0.0)
shown(lambda: kernel(x, x))
print(torch.allclose(kernel(x, x, val=torch.tensor(9.0, device="cuda")), x.sin() + x.cos()))
library = torch.library.Library("aten", "IMPL")
library.impl("aten::gelu", jit("template <typename T> T my_gelu(T a) { return a > 0 ? a : 0; }"), "CUDA")
shown(lambda: torch.nn.functional.gelu(x - 1))
"""
    assert simulated(HEAD + program).splitlines() == [
        "[1.0, 3.0, 5.0] float16",
        "[-1.0, -1.0, -1.0] float16",
        "[0.0, 0.0, 0.0] float32",
        "True",
        "[0.0, 0.0, 1.0] float32",
    ]


def test_what_only_a_gpu_has_is_refused_with_the_compilers_words(simulated: Simulated) -> None:
    """The reader sees which name it is, and in which line of the string."""
    program = r"""
shown(lambda: jit("template <typename T> T where(T x) {\n  return x + threadIdx.x; }")(x))
shown(lambda: linear(x.to(torch.float8_e5m2), x.to(torch.float8_e5m2)))
"""
    lines = simulated(HEAD + program, SIMULATED_GPU_UNSURE="notes.txt").splitlines()
    assert lines[0].startswith(
        "NotSimulated torch.cuda.jiterator's where on float32: the simulated GPU cannot compute it"
    )
    assert "(where:2:14: error: 'threadIdx' was not declared in this scope)" in lines[0]
    assert "float8_e5m2" in lines[1]


def test_an_integer_divided_by_zero_is_refused(simulated: Simulated) -> None:
    """It would end the process on a CPU, and is an unknown number on a GPU."""
    program = """
divide = jit("template <typename T> T divide(T x, T y) { return x / y; }")
shown(lambda: divide(x, x))
shown(lambda: divide(x.long(), x.long()))
shown(lambda: divide(x.long() + 7, x.long() + 2))
"""
    lines = simulated(HEAD + program).splitlines()
    assert (lines[0], lines[2]) == ("[nan, 1.0, 1.0] float32", "[3, 2, 2] int64")
    assert lines[1].startswith("NotSimulated torch.cuda.jiterator's divide on int64")


def test_pytorchs_own_checks_come_first(simulated: Simulated) -> None:
    """The messages for wrong devices and shapes are those of a GPU."""
    program = """
shown(lambda: linear(x, x.cpu()))
shown(lambda: linear(x, x.to("cuda:1")))
shown(lambda: linear(x, x[:2]))
print(linear(x.to("cuda:1"), x.to("cuda:1")).device)
"""
    lines = simulated(HEAD + program, "--gpus", "2").splitlines()
    assert "found at least two devices, cuda:0 and cpu!" in lines[0]
    assert "found at least two devices, cuda:0 and cuda:1!" in lines[1]
    assert lines[2].startswith("RuntimeError The size of tensor a (3) must match the size of tensor b (2)")
    assert lines[3] == "cuda:1"


def test_a_graph_computes_a_kernel_at_each_replay(simulated: Simulated) -> None:
    """While it is captured nothing is computed, and an error of a replay is one of its launch."""
    program = """
graph = torch.cuda.CUDAGraph()
divide = jit("template <typename T> T divide(T x, T y) { return x / y; }")
y = torch.ones(2, dtype=torch.int64, device="cuda")
with torch.cuda.graph(graph):
    z = divide(y + 7, y)
for value in 1, 2:
    y.fill_(value)
    graph.replay()
    print(z.tolist())
y.fill_(0)
graph.replay()
shown(lambda: z)
"""
    lines = simulated(HEAD + program).splitlines()
    assert lines[:2] == ["[8, 8]", "[4, 4]"]
    assert "unspecified launch failure" in lines[2]


def test_shapes_only_computes_and_compiles_nothing(simulated: Simulated) -> None:
    """Then a kernel needs to be no C++ for a CPU."""
    program = 'print(jit("template <typename T> T where(T x) { return x + threadIdx.x; }")(x.half()).dtype)'
    assert simulated(HEAD + program, "--shapes-only") == "torch.float16\n"
