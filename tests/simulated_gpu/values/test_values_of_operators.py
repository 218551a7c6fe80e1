"""Operators whose values need more than the CPU's kernel."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

pytestmark = pytest.mark.cuda_build
Simulated = Callable[..., str]
Python = Callable[..., "subprocess.CompletedProcess[str]"]


def test_sizes_that_depend_on_values(simulated: Simulated) -> None:
    """The host reads how many elements there are, before it allocates them."""
    program = """
import torch
x = torch.tensor([3.0, 1.0, 3.0, 0.0], device="cuda")
print(x.nonzero().flatten().tolist(), x[x > 2].tolist(), torch.unique(x).tolist(), x.masked_select(x < 2).tolist())
print(torch.repeat_interleave(x, torch.tensor([1, 0, 2, 1], device="cuda")).tolist(), torch.bincount(x.long()).tolist())
"""
    assert simulated(program).splitlines() == [
        "[0, 1, 2] [3.0, 3.0] [0.0, 1.0, 3.0] [1.0, 0.0]",
        "[3.0, 3.0, 3.0, 0.0] [1, 1, 0, 2]",
    ]


def test_what_is_large_is_computed_too(simulated: Simulated) -> None:
    """A first prototype returned zeros for products above 3 GFLOP, and old memory above 12 million elements."""
    program = """
import torch
one = torch.ones(1200, 1400, device="cuda")
print((one @ one.T).unique().tolist(), torch.ones(2**24, device="cuda").add(1).unique().tolist())
try:
    one.to(torch.float8_e4m3fn) @ one.T.to(torch.float8_e4m3fn)
except RuntimeError as error:
    print(type(error).__name__, error)
"""
    lines = simulated(program).splitlines()
    assert lines[0] == "[1400.0] [2.0]"
    assert "addmm_cuda" in lines[1]
    assert "Float8_e4m3fn" in lines[1]


def test_an_operator_in_place_applies_once(simulated: Simulated) -> None:
    """PyTorch's own code and the CPU's kernel both run; only one of them may change the memory."""
    program = """
import torch
def change(x):
    row, index = torch.ones(1, 3, device=x.device), torch.tensor([0], device=x.device)
    return x.add_(1).mul_(x).addmm_(x, x, beta=2).cumsum_(0).index_add_(0, index, row)
x, y = change(torch.ones(3, 3, device="cuda")), change(torch.ones(3, 3))
print(torch.equal(x.cpu(), y), torch.add(x, x, out=x).sum().item() == 2 * y.sum().item())
"""
    assert simulated(program) == "True True\n"


def test_sparse_matrices(simulated: Simulated) -> None:
    """Sparse tensors have keys of their own, in two layouts."""
    program = """
import torch
dense = torch.tensor([[0.0, 2.0], [3.0, 0.0]], device="cuda")
for sparse in dense.to_sparse(), dense.to_sparse_csr():
    print((sparse @ dense).tolist(), sparse.to_dense().tolist() == dense.tolist())
print((dense.to_sparse() + dense.to_sparse()).coalesce().values().tolist())
"""
    assert simulated(program).splitlines() == ["[[6.0, 0.0], [0.0, 6.0]] True"] * 2 + ["[4.0, 6.0]"]


def test_a_graph_computes_at_each_replay(simulated: Simulated) -> None:
    """While it is captured it computes nothing, as on a real GPU."""
    program = """
import torch
x, graph = torch.ones(2, device="cuda"), torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = (x * 2 + 1).relu()
for value in 1.0, 5.0:
    x.fill_(value)
    graph.replay()
    print(y.tolist())
"""
    assert simulated(program).splitlines() == ["[3.0, 3.0]", "[11.0, 11.0]"]


def test_half_precision_is_rounded_from_a_wider_one(simulated: Simulated) -> None:
    """CUDA adds up products of float16 in float32, and autocast relies on it."""
    program = """
import torch
x = torch.full((1, 4096), 0.5, dtype=torch.float16, device="cuda")
print((x @ x.T).item(), torch.nn.functional.conv2d(x.view(1, 1, 64, 64), x.view(1, 1, 64, 64)).item())
with torch.autocast("cuda"):
    print(torch.nn.Linear(4, 2).cuda()(torch.ones(1, 4, device="cuda")).dtype)
"""
    assert simulated(program) == "1024.0 1024.0\ntorch.float16\n"


def test_a_softmax_of_float16_is_float32_where_it_is_asked_for(simulated: Simulated) -> None:
    """Autocast asks for it, and attention that is written out with dtype=torch.float32. CUDA has a kernel for it."""
    program = """
import torch
from torch.nn import functional
x = torch.randn(4, 5, dtype=torch.float16)

def both(function, device, autocast):
    leaf = x.detach().clone().to(device).requires_grad_()
    with torch.autocast(device, torch.float16, enabled=autocast):
        y = function(leaf, -1, dtype=None if autocast else torch.float32)
    y.square().sum().backward()
    return y.detach().cpu(), leaf.grad.cpu()

for function in functional.softmax, functional.log_softmax:
    for autocast in False, True:
        y, gradient = both(function, "cuda", autocast)
        torch.testing.assert_close((y, gradient), both(function, "cpu", False))
        print(y.dtype, gradient.dtype)
"""
    assert simulated(program) == "torch.float32 torch.float16\n" * 4


def test_tensors_survive_a_file_and_a_copy(simulated: Simulated) -> None:
    """Checkpoints hold CUDA storages."""
    program = """
import copy, io, pickle, torch
x, file = torch.arange(3.0, device="cuda"), io.BytesIO()
torch.save(x, file)
file.seek(0)
for y in torch.load(file), copy.deepcopy(x), pickle.loads(pickle.dumps(x)), x.to("cuda:1"):
    print(y.device, y.tolist())
"""
    places = ["cuda:0", "cuda:0", "cuda:0", "cuda:1"]
    assert simulated(program, "--gpus", "2").splitlines() == [f"{place} [0.0, 1.0, 2.0]" for place in places]


def test_decompositions_that_the_cpu_has_otherwise(simulated: Simulated) -> None:
    """LU without pivots is CUDA's alone, and least squares has another default there."""
    program = """
import torch
a, b = torch.randn(2, 5, 3, dtype=torch.float64), torch.randn(2, 5, 2, dtype=torch.float64)
_, lower, upper = torch.linalg.lu(a.cuda(), pivot=False)
print(torch.allclose((lower @ upper).cpu(), a), lower.diagonal(dim1=-2, dim2=-1).unique().tolist())
made, expected = torch.linalg.lstsq(a.cuda(), b.cuda()), torch.linalg.lstsq(a, b, driver="gels")
print(torch.allclose(made.solution.cpu(), expected.solution), torch.allclose(made.residuals.cpu(), expected.residuals))
"""
    assert simulated(program) == "True [1.0]\nTrue True\n"


def test_dtypes_that_only_cuda_takes(simulated: Simulated) -> None:
    """CUDA counts integers and takes the absolute value of truth; the CPU refuses both."""
    program = """
import torch
print(torch.histc(torch.tensor([1, 2, 3, 9]).cuda(), 4).tolist(), torch.tensor([True, False]).cuda().abs().tolist())
"""
    assert simulated(program) == "[2, 1, 0, 1] [True, False]\n"


def test_cudnn_convolves_no_integers(simulated: Simulated) -> None:
    """The CPU does, so a test there passes. The words are PyTorch's own where it knows that cuDNN lacks the dtype."""
    program = """
import torch
for dtype in torch.long, torch.int:
    x = torch.ones(1, 1, 4, 4, 4, dtype=dtype)
    print(torch.nn.functional.conv3d(x, x).item())
    try:
        torch.nn.functional.conv3d(x.cuda(), x.cuda())
    except RuntimeError as error:
        print(type(error).__name__, str(error).splitlines()[0])
"""
    assert simulated(program).splitlines() == [
        "64",
        "RuntimeError getCudnnDataTypeFromScalarType() not supported for Long",
        "64",
        "NotSimulated aten::cudnn_convolution on Int: the simulated GPU does not know what cuDNN says of convolutions "
        "of integers. Convert the tensors to float32.",
    ]


def test_the_mode_of_long_rows(simulated: Simulated) -> None:
    """A GPU sorts rows of more than 2,048 elements with a library of templates, of which nothing runs here."""
    program = """
import torch
x = (torch.arange(6000) % 7).clamp(max=5).reshape(2, 3000)
values, places = x.cuda().mode()
print(values.tolist(), x.gather(1, places.cpu()[:, None]).flatten().tolist(), values.device)
"""
    assert simulated(program).splitlines() == ["[5, 5] [5, 5] cuda:0"]


def test_sums_without_nan_of_complex_numbers(simulated: Simulated) -> None:
    """The CPU has none. A complex number is NaN if one of its parts is."""
    program = """
import torch
nan = float("nan")
x = torch.tensor([[1 + 2j, complex(nan, 1)], [complex(1, nan), 2j]], device="cuda")
print(x.nansum().item(), x.nansum(dim=1).tolist(), x.nansum(dim=0, keepdim=True).shape, x.nanmean(dim=0).tolist())
print(torch.tensor([1, nan], device="cuda").nansum(dtype=torch.complex64).item(), x.real.nansum().item())
"""
    assert simulated(program).splitlines() == ["(1+4j) [(1+2j), 2j] torch.Size([1, 2]) [(1+2j), 2j]", "(1+0j) 2.0"]


def test_what_is_not_known_is_refused_by_name(simulated: Simulated) -> None:
    """A value that nobody computed must never be returned."""
    program = """
import simulated_gpu, torch
x = torch.randn(1, 2, 4, 8, device="cuda", dtype=torch.float16)
try:
    torch.ops.aten._scaled_dot_product_flash_attention(x, x, x, return_debug_mask=True, dropout_p=0.5)
except simulated_gpu.NotSimulated as error:
    print(error)
"""
    assert "aten::_flash_attention_forward: the simulated GPU has no debug mask" in simulated(program)


def test_an_index_out_of_range_fails_as_on_a_gpu(python: Python, tmp_path: Path) -> None:
    """The operator returns; what comes after it raises, and the message of the kernel is on standard error."""
    (tmp_path / "program.py").write_text(
        "import torch\n"
        "x = torch.ones(3, device='cuda')[torch.tensor([7], device='cuda')]\n"
        "print('returned', flush=True)\n"
        "x.tolist()\n"
    )
    done = python("-m", "simulated_gpu", "program.py")
    assert done.returncode != 0
    assert done.stdout == "returned\n"
    assert "an assertion of the kernel of aten::index.Tensor failed" in done.stderr
    assert "device-side assert triggered" in done.stderr


def test_torchscript_compiles_nothing(simulated: Simulated) -> None:
    """Once it knows the types, it would compile chains of operators from CUDA C++. kornia's tests do this."""
    program = """
import torch, warnings
warnings.simplefilter("ignore")
@torch.jit.script
def f(x, y):
    return torch.relu(x * 2 + y) * y
x, y = torch.linspace(-1, 1, 5), torch.linspace(0, 1, 5)
for _ in range(3):
    there = x.cuda().requires_grad_()
    value = f(there, y.cuda())
    value.sum().backward()
print(torch.equal(value.cpu(), torch.relu(x * 2 + y) * y), there.grad.tolist())
"""
    assert simulated(program) == "True [0.0, 0.0, 1.0, 1.5, 2.0]\n"


def test_attention_of_cudnn_is_computed_and_laid_out_as_the_query(simulated: Simulated) -> None:
    """PyTorch gives attention in 16 bits to cuDNN on Hopper GPUs, as an H100 did in a transformer under autocast."""
    program = """
import torch
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.nn.functional import scaled_dot_product_attention as attend
def tensor(heads, length):
    return torch.randn(2, length, heads, 16, device="cuda", dtype=torch.bfloat16).transpose(1, 2).requires_grad_()
mask = torch.rand(12, 20, device="cuda") > 0.3
for heads, options in (4, {}), (2, {"enable_gqa": True}), (4, {"is_causal": True}), (4, {"attn_mask": mask}):
    given = tensor(4, 12), tensor(heads, 20), tensor(heads, 20)
    with sdpa_kernel(SDPBackend.CUDNN_ATTENTION):
        result = attend(*given, **options)
    result.backward(torch.ones_like(result))
    on_cpu = [part.detach().cpu().float().requires_grad_() for part in given]
    here = {name: value.cpu() if name == "attn_mask" else value for name, value in options.items()}
    expected = attend(*on_cpu, **here)
    expected.backward(torch.ones_like(expected))
    near = [torch.allclose(result.cpu().float(), expected, atol=0.02)]
    near += [torch.allclose(part.grad.cpu().float(), other.grad, atol=0.05) for part, other in zip(given, on_cpu)]
    same = [part.grad.stride() == part.stride() for part in given]
    print(result.grad_fn.name(), result.stride() == given[0].stride(), all(near), all(same))
"""
    assert (
        simulated(program, "--capability", "9.0").splitlines()
        == ["ScaledDotProductCudnnAttentionBackward0 True True True"] * 4
    )
