"""Kernels that a program writes with Triton, in Triton's interpreter: right in each dtype, or refused by name."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable

import pytest

pytestmark = [
    pytest.mark.cuda_build,
    pytest.mark.skipif(importlib.util.find_spec("triton") is None, reason="needs triton"),
]
Simulated = Callable[..., str]

START = """
import triton, triton.language as tl
import torch
"""


def test_bfloat16_is_computed_as_numbers(simulated: Simulated) -> None:
    """NumPy has no bfloat16, so the interpreter alone adds and multiplies the bits, and says nothing."""
    program = f"""{START}
@triton.jit
def combine(x, y, out, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    a, b = tl.load(x + i), tl.load(y + i)
    tl.store(out + i, tl.where(a > b, a * b + a - 0.3, a / b))
    tl.store(out + BLOCK, tl.sum(a))
    tl.store(out + BLOCK + 1, tl.max(tl.maximum(a, b)))
    tl.store(out + BLOCK + 2, (i + 257).to(tl.bfloat16).to(tl.float32).sum())

@triton.jit
def product(x, y, out, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    places = i[:, None] * BLOCK + i[None, :]
    tl.store(out + places, tl.dot(tl.load(x + places), tl.load(y + places)))

x, y = torch.randn(2, 64, device="cuda").bfloat16()
out = torch.zeros(67, device="cuda", dtype=torch.bfloat16)
combine[(1,)](x, y, out, BLOCK=64)
print(torch.equal(out[:64], torch.where(x > y, x * y + x - 0.3, x / y)))
print(torch.equal(out[64], x.sum()), torch.equal(out[65], torch.maximum(x, y).max()))
print(torch.equal(out[66], (torch.arange(64, device="cuda") + 257).bfloat16().float().sum().bfloat16()))
for dtype in torch.bfloat16, torch.float8_e4m3fn:
    x, y = torch.randn(2, 16, 16, device="cuda").to(dtype)
    out = torch.zeros(16, 16, device="cuda")
    product[(1,)](x, y, out, BLOCK=16)
    print(torch.allclose(out, x.float() @ y.float(), atol=1e-5))
"""
    assert simulated(program).split() == ["True"] * 6


def test_float8_is_read_and_its_arithmetic_refused(simulated: Simulated) -> None:
    """A GPU converts to float8 by the rules of its generation, which the interpreter does not know."""
    program = f"""{START}
@triton.jit
def double(x, out, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(out + i, tl.load(x + i).to(tl.float32) * 2)

@triton.jit
def convert(x, out, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(out + i, tl.load(x + i).to(tl.float8e4nv))

x = torch.randn(64, device="cuda").to(torch.float8_e4m3fn)
out = torch.empty(64, device="cuda")
double[(1,)](x, out, BLOCK=64)
print(torch.equal(out, x.float() * 2))
try:
    convert[(1,)](out, torch.empty_like(x), BLOCK=64)
except Exception as error:
    print("a conversion of fp32 to fp8e4nv: Triton's interpreter" in str(error))
"""
    assert simulated(program).split() == ["True", "True"]


def test_pytorchs_own_kernels_of_tritons_are_computed(simulated: Simulated) -> None:
    """With Triton installed, PyTorch gives some products to it. In its interpreter they are slow."""
    program = f"""{START}
import sys
x, y = torch.randn(2, 5, 1, device="cuda:1"), torch.randn(2, 1, 7, device="cuda:1")
print(torch.allclose(torch.bmm(x.bfloat16(), y.bfloat16()).float(), x * y, rtol=0.02))
print(any(str(name).startswith("_native::bmm") for name in torch._C._dispatch_get_all_op_names()))
"""
    assert simulated(program, "--gpus", "2").split() == ["True", "False"]


def test_a_kernel_in_a_graph_is_an_error(simulated: Simulated) -> None:
    """The interpreter runs it once, and no replay would."""
    program = f"""{START}
@triton.jit
def double(x, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(x + i, tl.load(x + i) * 2)
x = torch.ones(8, device="cuda")
try:
    with torch.cuda.graph(torch.cuda.CUDAGraph()):
        double[(1,)](x, BLOCK=8)
except RuntimeError as error:
    print("captur" in str(error))
"""
    assert simulated(program) == "True\n"
