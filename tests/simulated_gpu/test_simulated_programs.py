"""Programs on simulated GPUs, as people run them: what PyTorch finds, how much fits, and what it says."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

pytestmark = pytest.mark.cuda_build
Simulated = Callable[..., str]
Python = Callable[..., "subprocess.CompletedProcess[str]"]


def test_pytorch_finds_the_gpus_that_were_asked_for(simulated: Simulated) -> None:
    """Number, memory and capability are those of the command line, and the name takes nobody in."""
    program = """
import torch
described = torch.cuda.get_device_properties(1)
print(torch.cuda.device_count(), described.name, described.total_memory, described.major, described.minor)
print(torch.cuda.get_device_capability(), torch.cuda.is_bf16_supported(including_emulation=False))
"""
    options = ("--gpus", "2", "--memory", "8GiB", "--capability", "7.5")
    assert simulated(program, *options) == f"2 Simulated GPU {8 * 2**30} 7 5\n(7, 5) False\n"


def test_no_library_of_nvidia_is_loaded(simulated: Simulated) -> None:
    """A real driver or GPU must not be touched, even if NVIDIA's packages are installed."""
    program = """
import torch
torch.ones(3).cuda()
loaded = {line.split()[-1] for line in open("/proc/self/maps") if ".so" in line}
own = ("libcuda", "libcublas", "libcudnn", "libnvidia")
print([path for path in loaded if "/nvidia/" in path or path.rsplit("/")[-1].startswith(own)])
"""
    assert simulated(program) == "[]\n"


def test_a_thread_has_no_context_until_it_needs_one(simulated: Simulated) -> None:
    """PyTorch warns if cuBLAS is a thread's first work, as on an H100: backward of one output copies nothing before."""
    program = """
import torch, warnings
with warnings.catch_warnings(record=True) as caught:
    for _ in range(2):
        layer = torch.nn.Linear(2, OUTPUTS, device="cuda")
        layer(torch.ones(1, 2, device="cuda")).sum().backward()
print(*(str(warning.message).split("!")[0] for warning in caught))
"""
    said = "Attempting to run cuBLAS, but there was no current CUDA context\n"
    assert simulated(program.replace("OUTPUTS", "1")) == said
    assert simulated(program.replace("OUTPUTS", "3")) == "\n", "the gradient of sum() is copied first"


def test_a_pytorch_without_nvidias_packages_says_what_to_do(python: Python) -> None:
    """It names one library of a dozen, and a real GPU would not help either."""
    done = python("-c", "import torch; print(torch.__version__)", SIMULATED_GPU="0")
    if done.returncode == 0:  # they are installed
        pytest.skip("needs a PyTorch without NVIDIA's packages")
    assert "SIMULATED_GPU=0 asks for no simulated GPU. Set SIMULATED_GPU=1, or install the packages" in done.stderr


def test_nobody_hears_that_triton_is_missing(python: Python) -> None:
    """PyTorch's note has the time and a process's number in it, and a machine with a GPU has Triton."""
    done = python("-c", "import torch.utils.flop_counter", SIMULATED_GPU="1")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_data_survives_the_way_there_and_back(simulated: Simulated) -> None:
    """From pageable and pinned memory, between GPUs, blocking and not."""
    program = """
import torch
x = torch.arange(100_000.)
for moved in (x.cuda(), x.pin_memory().to("cuda:1", non_blocking=True), x.cuda().to("cuda:1")):
    torch.cuda.synchronize()
    print(torch.equal(moved.cpu(), x), moved.t().contiguous().device)
print(x.pin_memory().is_pinned(), x.is_pinned())
"""
    assert simulated(program, "--gpus", "2") == "True cuda:0\nTrue cuda:1\nTrue cuda:1\nTrue False\n"


def test_out_of_memory_has_pytorchs_whole_message(simulated: Simulated) -> None:
    """People search for its words, and some programs read its numbers. Memory that is freed can be had again."""
    program = """
import torch
kept = torch.empty(600 * 2**20, dtype=torch.uint8, device="cuda")
try:
    torch.empty(600 * 2**20, dtype=torch.uint8, device="cuda")
except torch.OutOfMemoryError as error:
    print(error)
del kept
print(torch.empty(1000 * 2**20, dtype=torch.uint8, device="cuda").device, torch.cuda.memory_stats()["num_ooms"])
"""
    message, last = simulated(program, "--memory", "1GiB").splitlines()
    assert message.startswith(
        "CUDA out of memory. Tried to allocate 600.00 MiB. GPU 0 has a total capacity of 1024.00 MiB of which "
        "424.00 MiB is free. Including non-PyTorch memory, this process has 600.00 MiB memory in use. Of the allocated "
        "memory 600.00 MiB is allocated by PyTorch, and 0 bytes is reserved by PyTorch but unallocated."
    )
    assert last == "cuda:0 1"


@pytest.mark.parametrize("allocator", ["expandable_segments:True", "backend:cudaMallocAsync"])
def test_pytorchs_other_allocators_work(simulated: Simulated, allocator: str) -> None:
    """The message of "out of memory" itself recommends the first."""
    program = """
import torch
x = [torch.full((2**20,), float(i)).cuda() for i in range(8)]
del x[::2]
torch.cuda.empty_cache()
y = torch.full((2**23,), 9.).cuda()
print([t[0].item() for t in x], y[-1].item(), torch.cuda.memory_allocated())
try: torch.empty(2**31, device="cuda")
except torch.OutOfMemoryError: print("full")
"""
    expected = "[1.0, 3.0, 5.0, 7.0] 9.0 50331648\nfull\n"
    assert simulated(program, "--memory", "1GiB", PYTORCH_CUDA_ALLOC_CONF=allocator) == expected


def test_a_device_that_is_not_there_has_cudas_error(simulated: Simulated) -> None:
    """The number of a GPU is the commonest thing that differs between two machines."""
    program = """
import torch
try: torch.empty(3, device="cuda:2")
except RuntimeError as error: print(str(error).splitlines()[0])
"""
    assert simulated(program, "--gpus", "2") == "CUDA error: invalid device ordinal\n"


def test_visible_devices_are_respected(simulated: Simulated) -> None:
    """Launchers give each process its GPU with CUDA_VISIBLE_DEVICES."""
    program = "import torch; print(torch.cuda.is_available(), torch.cuda.device_count())"
    assert simulated(program, "--gpus", "4", CUDA_VISIBLE_DEVICES="3,1") == "True 2\n"
    assert simulated(program, "--gpus", "4", CUDA_VISIBLE_DEVICES="") == "False 0\n"


def test_hidden_gpus_are_said_where_a_program_starts(python: Python, tmp_path: Path) -> None:
    """PyTorch says "No CUDA GPUs are available" at most, as if the simulated GPU had not started."""
    (tmp_path / "program.py").write_text("")
    done = python("-m", "simulated_gpu", "--gpus", "2", "program.py", CUDA_VISIBLE_DEVICES="")
    said = "simulated_gpu: CUDA_VISIBLE_DEVICES= hides every GPU. Unset it, or set it to 0,1."
    assert done.stderr.splitlines()[-1] == said


def test_a_setting_that_is_not_understood_ends_the_import(python: Python) -> None:
    """Not at Python's start, where such an error is printed and the program goes on without GPUs."""
    done = python("-c", "import json, torch", SIMULATED_GPU="x")
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1] == (
        "simulated_gpu.errors.SettingError: SIMULATED_GPU=x: write the number of GPUs, such as SIMULATED_GPU=2"
    )


def test_a_machine_without_memory_for_a_tensor_says_so(python: Python, tmp_path: Path) -> None:
    """PyTorch's message alone would say that 100 of 100 GiB are free, and none could be had."""
    program = """
import resource, torch
torch.cuda.init()
resource.setrlimit(resource.RLIMIT_AS, (40 * 2**30, 40 * 2**30))
torch.empty(60 * 2**30, dtype=torch.uint8, device="cuda")
"""
    (tmp_path / "program.py").write_text(program)
    done = python("-m", "simulated_gpu", "--memory", "100GiB", "program.py")
    assert "OutOfMemoryError: CUDA out of memory. Tried to allocate 60.00 GiB" in done.stderr
    assert done.stderr.count("simulated_gpu: this machine gives the process no main memory for 60.0 GiB") == 1


def test_a_forked_process_has_pytorchs_error(simulated: Simulated) -> None:
    """It is the first thing that people meet who use CUDA in a DataLoader's worker."""
    program = """
import os, torch
x = torch.ones(3).cuda()
child = os.fork()
if child == 0:
    try: torch.ones(3, device="cuda")
    except RuntimeError as error: print(error, flush=True)
    os._exit(0)
os.waitpid(child, 0)
print(x.cpu().tolist())
"""
    output = simulated(program)
    assert output.startswith("Cannot re-initialize CUDA in forked subprocess.")
    assert output.endswith("[1.0, 1.0, 1.0]\n")


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_a_data_loader_with_workers_pins_its_batches(simulated: Simulated, method: str) -> None:
    """Workers do not touch the GPU; a thread of the parent pins what they send."""
    program = f"""
import torch
from torch.utils.data import DataLoader, TensorDataset
if __name__ == "__main__":
    torch.cuda.init()
    data = TensorDataset(torch.arange(8.))
    loader = DataLoader(data, batch_size=4, num_workers=2, pin_memory=True, multiprocessing_context="{method}")
    for batch, in loader:
        print(batch.is_pinned(), batch.to("cuda", non_blocking=True).cpu().tolist())
"""
    assert simulated(program) == "True [0.0, 1.0, 2.0, 3.0]\nTrue [4.0, 5.0, 6.0, 7.0]\n"


def test_streams_and_events_work_together(simulated: Simulated) -> None:
    """Time is the CPU's, and never negative."""
    program = """
import torch
start, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
stream = torch.cuda.Stream()
start.record()
with torch.cuda.stream(stream):
    x = torch.ones(1000).cuda(non_blocking=True)
    end.record()
torch.cuda.current_stream().wait_event(end)
stream.synchronize()
print(stream.query(), end.query(), 0 <= start.elapsed_time(end) < 60_000, torch.cuda.current_stream() == stream)
"""
    assert simulated(program) == "True True True False\n"


def test_a_captured_copy_is_replayed(simulated: Simulated) -> None:
    """A graph's replay reads what its inputs hold then."""
    program = """
import torch
source, target, graph = torch.zeros(3).cuda(), torch.zeros(3).cuda(), torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    target.copy_(source)
source.copy_(torch.tensor([1., 2., 3.]))
print(target.cpu().tolist())
graph.replay()
print(target.cpu().tolist())
"""
    assert simulated(program) == "[0.0, 0.0, 0.0]\n[1.0, 2.0, 3.0]\n"


def test_collectives_within_a_process_move_and_add(simulated: Simulated) -> None:
    """DataParallel broadcasts the weights and adds the gradients with NCCL."""
    program = """
import torch
from torch.nn.parallel import comm
print([copy.cpu().tolist() for copy in comm.broadcast(torch.tensor([1., 2.]).cuda(), [0, 1])])
for dtype in (torch.float32, torch.float16, torch.bfloat16, torch.int64):
    parts = [torch.tensor([1, 2], dtype=dtype).to(f"cuda:{i}") for i in range(2)]
    print(comm.reduce_add(parts, 1).cpu().tolist())
"""
    lines = simulated(program, "--gpus", "2").splitlines()
    assert lines[0] == "[[1.0, 2.0], [1.0, 2.0]]"
    assert lines[1:] == ["[2.0, 4.0]"] * 3 + ["[2, 4]"]


RANK = """
import os, sys, torch, torch.distributed as dist
sys.stdout.reconfigure(write_through=False, line_buffering=True)  # torchrun's "-u" would mix the lines of two ranks
rank = int(os.environ["RANK"])
torch.cuda.set_device(rank)
dist.init_process_group("nccl", device_id=torch.device("cuda", rank) if "split" in sys.argv else None)
"""


def _ranks(tmp_path: Path, python: Python, program: str, *arguments: str) -> str:
    (tmp_path / "rank.py").write_text(RANK + program + "\ndist.destroy_process_group()")
    launch = ("-m", "torch.distributed.run", "--standalone", "--nproc-per-node=2", "rank.py", *arguments)
    done = python(*launch, SIMULATED_GPU="2")
    assert done.returncode == 0, done.stderr
    return "\n".join(sorted(done.stdout.splitlines()))


def test_collectives_between_processes_move_and_add(tmp_path: Path, python: Python) -> None:
    """Each kind, with two ranks: what DistributedDataParallel and FSDP use. Nothing is left in shared memory."""
    program = """
own = torch.tensor([rank + 1., 10.]).cuda()
dist.all_reduce(own); print(rank, "all_reduce", own.tolist())
dist.all_reduce(own, op=dist.ReduceOp.AVG); print(rank, "mean", own.tolist())
dist.broadcast(own, 1); dist.barrier()
parts = [torch.zeros(1).cuda() for _ in range(2)]
dist.all_gather(parts, torch.tensor([float(rank)]).cuda()); print(rank, "all_gather", [p.item() for p in parts])
half = torch.zeros(1).cuda()
dist.reduce_scatter_tensor(half, torch.tensor([rank + 1., rank + 5.]).cuda())
print(rank, "reduce_scatter", half.item())
out = torch.zeros(2).cuda()
dist.all_to_all_single(out, torch.tensor([rank * 10., rank * 10 + 1.]).cuda()); print(rank, "all_to_all", out.tolist())
if rank == 0: dist.send(torch.tensor([7.]).cuda(), 1)
else: dist.recv(half, 0); print(rank, "recv", half.item())
"""
    assert _ranks(tmp_path, python, program) == "\n".join(
        (
            "0 all_gather [0.0, 1.0]",
            "0 all_reduce [3.0, 20.0]",
            "0 all_to_all [0.0, 10.0]",
            "0 mean [3.0, 20.0]",
            "0 reduce_scatter 3.0",
            "1 all_gather [0.0, 1.0]",
            "1 all_reduce [3.0, 20.0]",
            "1 all_to_all [1.0, 11.0]",
            "1 mean [3.0, 20.0]",
            "1 recv 7.0",
            "1 reduce_scatter 11.0",
        )
    )


def test_a_group_of_some_ranks_is_split_off(tmp_path: Path, python: Python) -> None:
    """Meshes of two dimensions make groups of rows and columns."""
    program = """
alone = dist.new_group([rank], use_local_synchronization=True)
both = dist.new_group([0, 1])
own = torch.tensor([1. + rank]).cuda()
dist.all_reduce(own, group=both); dist.all_reduce(own, group=alone); print(rank, own.item())
"""
    assert _ranks(tmp_path, python, program, "split") == "0 3.0\n1 3.0"


def test_ranks_that_disagree_get_an_error(tmp_path: Path, python: Python) -> None:
    """On real GPUs they would hang until a timeout."""
    program = """
try: dist.all_reduce(torch.ones(2 + rank).cuda()); torch.cuda.synchronize()
except RuntimeError as error: print("called different collectives" in str(error))
os._exit(0)
"""
    assert "True" in _ranks(tmp_path, python, program)


def test_what_is_refused_says_so_by_name(simulated: Simulated) -> None:
    """A handle of memory that the driver maps piece by piece would be worth nothing."""
    program = """
import torch
try: torch.ones(3).cuda().untyped_storage()._share_cuda_()
except RuntimeError as error: print(str(error).splitlines()[0])
"""
    what = "(NotSimulated: the simulated GPU does not do cuMemExportToShareableHandle)"
    printed = simulated(program, PYTORCH_CUDA_ALLOC_CONF="expandable_segments:True")
    assert printed == f"CUDA driver error: operation not supported {what}\n"


def test_a_script_runs_as_python_runs_it(simulated: Simulated, python: Python, tmp_path: Path) -> None:
    """Its own arguments, its own folder on the path, its own status."""
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "helper.py").write_text("x = 5")
    (tmp_path / "folder" / "main.py").write_text("import helper, sys; print(__name__, sys.argv, helper.x); sys.exit(3)")
    done = python("-m", "simulated_gpu", "--gpus", "2", "folder/main.py", "--gpus", "9", "-m")
    assert (done.stdout, done.returncode) == ("__main__ ['folder/main.py', '--gpus', '9', '-m'] 5\n", 3)
    done = python("-m", "simulated_gpu", "-m", "folder.main", PYTHONPATH=f"{tmp_path / 'folder'}:{_src()}")
    assert done.stdout.startswith("__main__ [")


def _src() -> Path:
    return Path(__file__).parents[2] / "src"


def test_start_comes_before_the_import(python: Python) -> None:
    """Afterwards PyTorch has looked for its libraries already."""
    program = """
import simulated_gpu
simulated_gpu.start(gpus=2)
import torch
print(torch.cuda.device_count())
simulated_gpu.start()
"""
    done = python("-c", program)
    assert done.stdout == "2\n"
    assert "PyTorch is imported already" in done.stderr


def test_looking_for_pytorch_does_not_import_it(python: Python) -> None:
    """Libraries ask `find_spec("torch")` whether PyTorch is there, and import it later."""
    program = """
import simulated_gpu, importlib.util, sys
simulated_gpu.start()
importlib.util.find_spec("torch")
assert "torch" not in sys.modules
import torch
print(torch.cuda.is_available(), type(torch.__spec__.loader).__name__, simulated_gpu.running())
"""
    assert python("-c", program).stdout == "True SourceFileLoader True\n"


def test_a_graph_records_the_work_of_its_own_gpu(simulated: Simulated) -> None:
    """Whichever GPU is the current one: PyTorch launches where the tensors are."""
    program = """
import torch
x, y = torch.ones(2, device="cuda:0"), torch.ones(2, device="cuda:1")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph, stream=torch.cuda.Stream(1)):
    with torch.cuda.device(0):
        made = y + 1
y.fill_(5.0)
graph.replay()
print(made.tolist())
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    made, beside = x + 1, y * 2
print(beside.tolist())
graph.replay()
print(made.tolist())
"""
    assert simulated(program, "--gpus", "2").splitlines() == ["[6.0, 6.0]", "[10.0, 10.0]", "[2.0, 2.0]"]


def test_code_that_all_devices_share_is_computed(simulated: Simulated) -> None:
    """These operators launch a kernel without an operator of CUDA's around it."""
    program = """
import torch
x = torch.tensor([1 + 2j, 3 - 1j], device="cuda")
print(x.clone().conj_physical_().tolist(), x.conj().resolve_conj().tolist())
values, places = torch.empty(0, device="cuda"), torch.empty(0, dtype=torch.long, device="cuda")
torch.mode(torch.tensor([2.0, 1.0, 2.0], device="cuda"), out=(values, places))
print(values.item())
"""
    assert simulated(program).splitlines() == ["[(1-2j), (3+1j)] [(1-2j), (3+1j)]", "2.0"]
