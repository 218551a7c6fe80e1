"""The table of docs/devices/without-a-gpu.md: each row is what a small program finds."""

from __future__ import annotations

import importlib.util
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

pytestmark = pytest.mark.cuda_build
Python = Callable[..., "subprocess.CompletedProcess[str]"]
PAGE = Path(__file__).parents[2] / "docs" / "devices" / "without-a-gpu.md"
NEEDS = {"torchvision": "torchvision's operators, such as `nms`", "triton": "a kernel of your own, written with Triton"}

PROGRAMS = {
    "a training step, with autocast and `GradScaler`": """
layer, scaler = torch.nn.Linear(4, 2).cuda(), torch.amp.GradScaler(init_scale=8.0)
optimizer = torch.optim.AdamW(layer.parameters())
before = layer.weight.detach().clone()
with torch.autocast("cuda", torch.float16):
    loss = layer(torch.ones(3, 4, device="cuda")).square().mean()
scaler.scale(loss).backward()
scaler.step(optimizer)
assert not torch.equal(layer.weight, before)
""",
    '`torch.compile`, default options or `mode="reduce-overhead"`': """
x = torch.linspace(0, 1, 5, device="cuda")
for mode in None, "reduce-overhead":
    assert torch.allclose(torch.compile(lambda x: x.sin() + 1, mode=mode)(x), x.sin() + 1)
""",
    "`torch.compile` of `flex_attention`": """
from torch.nn.attention.flex_attention import flex_attention
x = torch.randn(1, 2, 128, 16, device="cuda")
torch.compile(flex_attention)(x, x, x)
""",
    "AOTInductor, and `torch.compile` with `cpp_wrapper`": """
class Sine(torch.nn.Module):
    def forward(self, x):
        return x.sin() + 1
x = torch.ones(3, device="cuda")
try:
    torch.compile(Sine(), options={"cpp_wrapper": True})(x)
except Exception as error:
    assert "NotSimulated" in str(error)
    torch._inductor.aoti_compile_and_package(torch.export.export(Sine(), (x,)))
""",
    "a kernel of your own, written with Triton": """
import triton, triton.language as tl
@triton.jit
def double(x, out, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(out + i, tl.load(x + i) * 2)
x = torch.arange(8.0, device="cuda")
out = torch.empty_like(x)
double[(1,)](x, out, BLOCK=8)
assert torch.equal(out, x * 2)
""",
    "a kernel of your own, written in CUDA C++": """
import ctypes
class Size(ctypes.Structure):
    _fields_ = [(name, ctypes.c_uint) for name in "xyz"]
x = torch.zeros(32, device="cuda")
ctypes.CDLL(None).cudaLaunchKernel(1, Size(1, 1, 1), Size(32, 1, 1), None, ctypes.c_size_t(0), None)  # k<<<1, 32>>>
x.tolist()
""",
    "a CUDA graph, with dropout in it": """
x = torch.ones(1000, device="cuda")
def draw():
    torch.manual_seed(0)
    return torch.nn.functional.dropout(x)
eager, graph = draw(), torch.cuda.CUDAGraph()
again = torch.nn.functional.dropout(x)
with torch.cuda.graph(graph):
    made = torch.nn.functional.dropout(x)
torch.manual_seed(0)
graph.replay()
assert torch.equal(made, eager)
graph.replay()
assert torch.equal(made, again)
""",
    "`nn.TransformerEncoder` in evaluation, with a padding mask": """
layer = torch.nn.TransformerEncoderLayer(8, 2, 16, batch_first=True)
encoder = torch.nn.TransformerEncoder(layer, 2).eval()
x, mask = torch.randn(2, 4, 8), torch.tensor([[False] * 4, [False, False, True, True]])
with torch.no_grad():
    expected = encoder(x, src_key_padding_mask=mask)
    made = encoder.cuda()(x.cuda(), src_key_padding_mask=mask.cuda())
assert torch.allclose(made.cpu(), expected, atol=1e-5)
""",
    "torchvision's operators, such as `nms`": """
from torchvision.ops import nms, roi_align
boxes = torch.tensor([[0.0, 0, 2, 2], [0, 0, 2, 2.1], [5, 5, 6, 6]], device="cuda")
assert nms(boxes, torch.tensor([0.5, 0.9, 0.3], device="cuda"), 0.5).tolist() == [1, 2]
image = torch.arange(64.0).view(1, 1, 8, 8).requires_grad_()
there = image.detach().cuda().requires_grad_()
one, other = roi_align(image, [boxes.cpu()], 2), roi_align(there, [boxes], 2)
assert torch.allclose(one, other.cpu())
one.sum().backward()
other.sum().backward()
assert torch.allclose(image.grad, there.grad.cpu())
try:
    nms(boxes, torch.ones(3), 0.5)
    raise AssertionError("accepted scores on the CPU")
except RuntimeError as error:
    assert "CUDA" in str(error) or "cuda" in str(error), error
""",
    "`torch._assert_async`": """
torch._assert_async(torch.ones(1, device="cuda"), "never said")
torch._assert_async(torch.zeros(1, device="cuda"), "said")
try:
    torch.cuda.synchronize()
    raise AssertionError("not asserted")
except RuntimeError as error:
    assert "device-side assert triggered" in str(error)
""",
    "a CUDA tensor in a queue between processes": """
import torch.multiprocessing as mp
if __name__ == "__main__":
    with mp.get_context("spawn").Pool(1) as pool:
        assert pool.map(torch.sum, [torch.ones(3, device="cuda")])[0].item() == 3
""",
    "attention over jagged tensors": """
x = torch.nested.nested_tensor([torch.ones(2, 1, 4), torch.ones(5, 1, 4)], device="cuda", layout=torch.jagged)
made = torch.nn.functional.scaled_dot_product_attention(*[x.transpose(1, 2)] * 3)
assert all(torch.allclose(part, torch.ones_like(part)) for part in made.unbind())
""",
    "`torch.quantize_per_tensor`": """
made = torch.quantize_per_tensor(torch.ones(3, device="cuda"), 0.1, 2, torch.qint8)
assert made.int_repr().tolist() == [12] * 3
""",
    "semi-structured sparsity, by cuSPARSELt or CUTLASS": """
torch.sparse.to_sparse_semi_structured(torch.tensor([0, 0, 1, 1]).tile((128, 32)).half().cuda())
""",
}
START = """
import torch, warnings
warnings.simplefilter("ignore")
"""


def rows() -> dict[str, str]:
    """Return the table: what the code does, and "computed" or "refused"."""
    table = PAGE.read_text().partition("| Your code | Simulated |\n| --- | --- |\n")[2].partition("\n\n")[0]
    cells = (line.strip("|").split("|") for line in table.splitlines())
    return {code.strip(): said.strip().split(",")[0] for code, said in cells}


def test_every_row_has_a_program() -> None:
    """A row that nothing checks is a claim."""
    assert set(rows()) == set(PROGRAMS)


@pytest.mark.parametrize("code", PROGRAMS)
def test_a_row_says_what_happens(python: Python, tmp_path: Path, code: str) -> None:
    """Computed means right, by an assertion in the program; refused means that an error says NotSimulated."""
    for package, row in NEEDS.items():
        if row == code and importlib.util.find_spec(package) is None:
            pytest.skip(f"needs {package}")
    (tmp_path / "program.py").write_text(START + PROGRAMS[code])
    done = python("-m", "simulated_gpu", "program.py")
    refused = done.returncode != 0 and "NotSimulated" in done.stderr
    said = "computed" if done.returncode == 0 else "refused" if refused else done.stderr
    assert said == rows()[code]
