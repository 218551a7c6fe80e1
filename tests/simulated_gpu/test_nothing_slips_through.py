"""A value that nobody computed never reaches the program, and a tensor on the wrong device is never accepted.

The operators are drawn by lot. All of them, which takes ten minutes: SIMULATED_GPU_ATTACK=all pytest FILE.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from simulated_gpu import builder, installed
from simulated_gpu.values import build

pytestmark = pytest.mark.cuda_build
Simulated = Callable[..., str]
Python = Callable[..., "subprocess.CompletedProcess[str]"]
ATTACK = Path(__file__).parent / "attack"
NUMBER = "9999" if os.environ.get("SIMULATED_GPU_ATTACK") == "all" else "40"
SECONDS = 3600

KERNEL = """
extern "C" {
struct Dimensions { unsigned x, y, z; };
unsigned __cudaPushCallConfiguration(Dimensions, Dimensions, unsigned long, void *);
int __cudaPopCallConfiguration(Dimensions *, Dimensions *, unsigned long *, void **);
int cudaLaunchKernel(const void *, Dimensions, Dimensions, void **, unsigned long, void *);
void __cudaRegisterFunction(void **, const char *, char *, const char *, int, void *, void *, void *, void *, int *);
}
static void stub(float *data, float by) {  // what nvcc makes of a kernel's body on the host
    Dimensions grid, block;
    unsigned long shared;
    void *stream, *arguments[] = {&data, &by};
    __cudaPopCallConfiguration(&grid, &block, &shared, &stream);
    cudaLaunchKernel(reinterpret_cast<const void *>(stub), grid, block, arguments, shared, stream);
}
static int registered = [] {
    auto address = reinterpret_cast<const char *>(stub);
    __cudaRegisterFunction(nullptr, address, nullptr, "_Z5scalePff", -1, nullptr, nullptr, nullptr, nullptr, nullptr);
    return 0;
}();
extern "C" void scale(float *data, float by) {  // scale<<<1, 32>>>(data, by), and nobody looks whether it worked
    __cudaPushCallConfiguration({1, 1, 1}, {32, 1, 1}, 0, nullptr);
    stub(data, by);
}
"""


@pytest.fixture
def extension(tmp_path: Path) -> str:
    """A program's beginning that loads a kernel as an extension has it: launched, and never checked."""
    source, library = tmp_path / "scale.cpp", tmp_path / "scale.so"
    source.write_text(KERNEL)
    builder.compile_with(["-shared", "-fPIC", str(source), "-o", str(library)])
    return f"""
import ctypes, torch
def scale(x, by):
    ctypes.CDLL({str(library)!r}).scale(ctypes.c_void_p(x.data_ptr()), ctypes.c_float(by))
x = torch.full((32,), 777.0, device="cuda")
"""


def run(python: Python, tmp_path: Path, program: str, *options: str) -> subprocess.CompletedProcess[str]:
    """Run a program that may fail."""
    (tmp_path / "program.py").write_text(program)
    return python("-m", "simulated_gpu", *options, "program.py")


def test_a_launch_that_nobody_checks_fails_all_that_comes_after_it(
    python: Python, tmp_path: Path, extension: str
) -> None:
    """Like an asynchronous error of a GPU: it stays until the process ends, however often it is caught."""
    program = f"""{extension}
event, stream = torch.cuda.Event(), torch.cuda.Stream()
event.record()
scale(x, 2)
calls = [
    torch.cuda.synchronize, x.tolist, x.cpu, x.sum, lambda: x.unique(dim=0), lambda: x.nonzero(), lambda: print(x),
    lambda: x[0].item(), lambda: x.to("cuda:1"), lambda: x.copy_(torch.ones(32)), lambda: torch.ones(2, device="cuda"),
    event.record, event.synchronize, event.query, stream.synchronize, torch.cuda.synchronize,
    lambda: torch.save(x, "x.pt"), lambda: torch.nn.parallel.comm.broadcast(x, [0, 1]), lambda: x.cpu(),
]
for number, call in enumerate(calls):
    try:
        print("accepted", number, call())
    except Exception as error:
        assert "NotSimulated: the simulated GPU does not do scale(float*, float)" in str(error), (number, error)
print("end")
"""
    done = run(python, tmp_path, program, "--gpus", "2")
    assert done.stdout == "end\n", done.stderr
    assert done.returncode == 1
    assert "does not do scale(float*, float), and memory that it should have written was not." in done.stderr


def test_a_program_that_never_waits_does_not_end_well(python: Python, tmp_path: Path, extension: str) -> None:
    """Its last line may be a launch. Success would say that it was computed."""
    done = run(python, tmp_path, f"{extension}\nprint(x[0].item(), flush=True)\nscale(x, 2)\n")
    assert (done.returncode, done.stdout) == (1, "777.0\n")
    assert "What this program computed after that is not to be used." in done.stderr


OPERATOR = """
#include <ATen/ops/empty_like.h>
#include <torch/library.h>
extern "C" void scale(float *, float);
static at::Tensor scaled(const at::Tensor &x) {
    auto made = at::empty_like(x);
    scale(made.mutable_data_ptr<float>(), 2);
    return made;
}
TORCH_LIBRARY(planted, library) { library.def("scaled(Tensor x) -> Tensor"); }
TORCH_LIBRARY_IMPL(planted, CUDA, library) { library.impl("scaled", scaled); }
"""


def test_an_operator_that_launches_without_a_look_is_refused_and_the_program_goes_on(
    simulated: Simulated, tmp_path: Path
) -> None:
    """One of another library, with CUDA code alone. Its error can be caught: nothing of it is left."""
    sources, library = [tmp_path / "scale.cpp", tmp_path / "operator.cpp"], tmp_path / "planted.so"
    for source, text in zip(sources, (KERNEL, OPERATOR), strict=True):
        source.write_text(text)
    found = installed.find()
    linking = ["-shared", f"-L{found.folder / 'lib'}", "-ltorch_cpu", "-lc10"]
    builder.compile_with([*build._flags(found), *map(str, sources), *linking, "-o", str(library)])
    program = f"""
import simulated_gpu, torch
torch.ops.load_library({str(library)!r})
torch.full((1000,), 777.0, device="cuda")
try:
    print(torch.ops.planted.scaled(torch.ones(32, device="cuda")))
except simulated_gpu.NotSimulated as error:
    print(error)
print((torch.ones(2, device="cuda") + 1).tolist())
"""
    first, second = simulated(program).splitlines()
    assert first.startswith("planted::scaled on CUDA: the simulated GPU does not compute it (scale(float*, float)).")
    assert second == "[2.0, 2.0]"


def test_what_only_asks_fails_nothing_else(simulated: Simulated) -> None:
    """A handle that nobody gets leaves no memory unwritten, so a program that can do without it goes on."""
    program = """
import torch
x = torch.ones(3, device="cuda")
try:
    x.untyped_storage()._share_cuda_()
except RuntimeError as error:
    print(str(error).splitlines()[0])
print(x.tolist())
"""
    printed = simulated(program, PYTORCH_CUDA_ALLOC_CONF="expandable_segments:True")
    what = "(NotSimulated: the simulated GPU does not do cuMemExportToShareableHandle)"
    assert printed == f"CUDA driver error: operation not supported {what}\n[1.0, 1.0, 1.0]\n"


def test_memory_that_nobody_wrote_shows_nowhere(python: Python) -> None:
    """Each operator runs over two kinds of dirt: a result that was computed is the same over both."""
    program = ("-m", "simulated_gpu", "--gpus", "2", str(ATTACK / "dirty.py"), NUMBER, "11", "2")
    done = python(*program, limit=SECONDS, PYTORCH_NO_CUDA_MEMORY_CACHING="1")
    assert done.returncode == 0, done.stderr
    *slips, counts = done.stdout.splitlines()
    assert slips == []
    assert "'computed': 0" not in counts


def test_dirt_shows_where_nobody_wrote(simulated: Simulated) -> None:
    """The test above could not fail if it did not."""
    program = """
import ctypes, torch
for dirt in 0x2a, 0x55:
    ctypes.CDLL(None).simgpu_dirty(dirt)
    print(torch.empty(2, dtype=torch.uint8, device="cuda").tolist())
"""
    assert simulated(program, PYTORCH_NO_CUDA_MEMORY_CACHING="1") == "[42, 42]\n[85, 85]\n"


def test_a_tensor_elsewhere_is_an_error_wherever_pytorch_checks(python: Python) -> None:
    """Each tensor once on the CPU, once on the other GPU. Numbers and empty tensors may be anywhere."""
    program = ("-m", "simulated_gpu", "--gpus", "2", str(ATTACK / "elsewhere.py"), NUMBER, "11", "2")
    done = python(*program, limit=SECONDS)
    assert done.returncode == 0, done.stderr
    *accepted, counts = done.stdout.splitlines()
    assert [line for line in accepted if "accepted*" in line] == [], "PyTorch's dispatch checks these"
    assert [line for line in accepted if line.split()[3] == "tensor"] == []
    assert "'raised': 0" not in counts


def test_mixes_of_devices_that_pytorch_allows_work(simulated: Simulated) -> None:
    """Numbers, indices and masks on the CPU, which PyTorch's own code takes to the GPU, and copies."""
    program = """
import torch
x, mask = torch.arange(3.0, device="cuda"), torch.tensor([True, False, True])
print(x[mask].tolist(), x[torch.tensor([0, 2])].tolist(), (x * torch.tensor(2.0)).tolist())
x[mask] = torch.tensor(7.0)
x[torch.tensor([1])] += 1
print(x.tolist(), x.copy_(torch.zeros(3)).tolist(), torch.arange(3.0)[x[0].long()].item())
scores, labels = torch.randn(5, 2, 4).log_softmax(-1), torch.tensor([[1, 2], [3, 1]])
lengths = torch.tensor([5, 5]), torch.tensor([2, 2])
loss = torch.nn.functional.ctc_loss
print(torch.allclose(loss(scores.cuda(), labels.cuda(), *lengths).cpu(), loss(scores, labels, *lengths)))
"""
    assert simulated(program).splitlines() == [
        "[0.0, 2.0] [0.0, 2.0] [0.0, 2.0, 4.0]",
        "[7.0, 2.0, 7.0] [0.0, 0.0, 0.0] 0.0",
        "True",
    ]


def test_what_is_computed_whole_has_pytorchs_text_for_a_wrong_device(simulated: Simulated) -> None:
    """Its own code, which checks devices first, does not run where cuDNN or cuSPARSE would."""
    program = """
import torch
from torch import nn
x = torch.randn(2, 3, 4, 4, device="cuda")
statistics = nn.BatchNorm2d(3).cuda()
statistics.running_mean = statistics.running_mean.cpu()
sparse, dense = torch.eye(3, device="cuda"), torch.ones(3, 3)
attempts = [
    lambda: statistics(x), lambda: nn.BatchNorm2d(3).to("cuda:1")(x), lambda: nn.Conv2d(3, 3, 3).to("cuda:1")(x),
    lambda: sparse.to_sparse() @ dense, lambda: sparse.to_sparse_csr() @ dense.to("cuda:1"),
    lambda: sparse.to_sparse() + dense.to_sparse(),
]
for attempt in attempts:
    try:
        print("accepted", attempt())
    except RuntimeError as error:
        print(error)
"""
    common = "Expected all tensors to be on the same device, but got {} is on {}, different from other tensors on "
    text = common + "cuda:0 (when checking argument in method wrapper_{})"
    assert simulated(program, "--gpus", "2").splitlines() == [
        text.format("running_mean", "cpu", "CUDA__cudnn_batch_norm"),
        text.format("weight", "cuda:1", "CUDA__cudnn_batch_norm"),
        text.format("weight", "cuda:1", "CUDA__cudnn_convolution"),
        text.format("mat2", "cpu", "SparseCUDA__mm"),
        text.format("mat2", "cuda:1", "SparseCsrCUDA__mm"),
        "add: expected 'other' to be CUDA, but got CPU",
    ]


def test_programs_by_lot_compute_what_the_cpu_does(python: Python) -> None:
    """Operators in graphs, behind pauses, in place, with gradients, on dirty memory, with tensors elsewhere."""
    program = ("-m", "simulated_gpu", "--gpus", "2", str(ATTACK / "programs.py"), "7000", str(int(NUMBER) * 10))
    done = python(*program, limit=SECONDS)
    assert done.returncode == 0, done.stderr
    *wrong, counts = done.stdout.splitlines()
    assert wrong == []
    assert "'equal'" in counts
