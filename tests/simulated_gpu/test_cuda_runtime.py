"""The runtime by itself, without PyTorch: what its functions promise, in the layouts of CUDA 12 and 13."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from simulated_gpu import runtime_build
from simulated_gpu.installed import Torch

START = """
import ctypes, os
cuda = ctypes.CDLL({library!r}, mode=ctypes.RTLD_GLOBAL)
for text in cuda.cudaGetErrorString, cuda.simgpu_take_refusal, cuda.simgpu_unguard, cuda.simgpu_lost:
    text.restype = ctypes.c_char_p
MiB = 2**20
cuda.simgpu_configure(2, (ctypes.c_int * 2)(0, 1), 2, ctypes.c_size_t(64 * MiB), 75, {version})

def allocate(size):
    address = ctypes.c_void_p()
    return cuda.cudaMalloc(ctypes.byref(address), ctypes.c_size_t(size)), address

def unused():
    free, total = ctypes.c_size_t(), ctypes.c_size_t()
    assert cuda.cudaMemGetInfo(ctypes.byref(free), ctypes.byref(total)) == 0
    return free.value

def made(create, *arguments):
    handle = ctypes.c_void_p()
    assert create(ctypes.byref(handle), *arguments) == 0
    return handle

def launch(stream=None, block=32):
    dimensions = (ctypes.c_uint * 3)
    class Dimensions(ctypes.Structure):
        _fields_ = [("x", ctypes.c_uint), ("y", ctypes.c_uint), ("z", ctypes.c_uint)]
    arguments = ctypes.c_void_p(1), Dimensions(1, 1, 1), Dimensions(block, 1, 1), None, ctypes.c_size_t(0), stream
    return cuda.cudaLaunchKernel(*arguments)
"""


@pytest.fixture(scope="module", params=["12.8", "13.0"])
def runtime(request: pytest.FixtureRequest, once: Callable[..., Path]) -> tuple[Path, int]:
    """The runtime for one version of CUDA, compiled by one of pytest's processes, and that version's number."""
    torch = Torch(Path("nowhere"), "", request.param)
    soname = f"libcudart.so.{request.param[:2]}"
    folder = once(f"runtime-{request.param}", lambda into: runtime_build.build_library(soname, set(), torch, into))
    return folder / "cudart.so", torch.cuda_number


def run(runtime: tuple[Path, int], program: str, status: int = 0) -> None:
    """Run a program on the runtime in a process of its own, as the runtime has one state a process."""
    start = START.format(library=str(runtime[0]), version=runtime[1])
    done = subprocess.run([sys.executable, "-c", start + program], capture_output=True, text=True, timeout=60)
    assert done.returncode == status, done.stderr
    assert "Traceback" not in done.stderr, done.stderr


def test_each_device_has_memory_of_its_own(runtime: tuple[Path, int]) -> None:
    """A model on the second GPU takes nothing from the first."""
    run(
        runtime,
        """
assert cuda.cudaSetDevice(1) == 0
status, address = allocate(48 * MiB)
assert status == 0 and unused() == 16 * MiB and cuda.simgpu_device_of(address) == 1
assert cuda.cudaSetDevice(0) == 0 and unused() == 64 * MiB
assert cuda.cudaFree(address) == 0 and cuda.simgpu_device_of(address) == -2
cuda.cudaSetDevice(1); assert unused() == 64 * MiB
""",
    )


def test_a_full_device_says_out_of_memory_and_goes_on(runtime: tuple[Path, int]) -> None:
    """PyTorch frees its cache after this error, and tries again."""
    run(
        runtime,
        """
status, first = allocate(40 * MiB)
status, second = allocate(40 * MiB)
assert status == 2 and cuda.cudaGetErrorString(2) == b"out of memory"
assert cuda.cudaGetLastError() == 2 and cuda.cudaGetLastError() == 0
cuda.cudaFree(first); assert allocate(40 * MiB)[0] == 0
assert allocate(2**63)[0] == 2
""",
    )


def test_the_description_has_the_layout_of_this_cuda(runtime: tuple[Path, int]) -> None:
    """PyTorch reads fields by their place. The places are those of the public headers of CUDA 12.8 and 13.0."""
    size, multiprocessors, optin = (1032, 388, 696) if runtime[1] < 13000 else (1008, 384, 672)
    run(
        runtime,
        f"""
described = ctypes.create_string_buffer(b"?" * 2000, 2000)
assert cuda.cudaGetDeviceProperties(described, 1) == 0
assert described.raw.startswith(b"Simulated GPU\\0")
assert described.raw[{size - 1}] == 0 and described.raw[{size}:] == b"?" * {2000 - size}
assert int.from_bytes(described.raw[{multiprocessors}:{multiprocessors + 4}], "little") == 40
assert int.from_bytes(described.raw[{optin}:{optin + 8}], "little") == 65536
assert cuda.cudaGetDeviceProperties(described, 2) == 101
assert cuda.cudaGetErrorString(101) == b"invalid device ordinal"
""",
    )


def test_pointer_attributes_write_no_more_than_this_cuda_has(runtime: tuple[Path, int]) -> None:
    """CUDA 13 made the structure longer. Too much overwrites the caller's stack, and the process dies far away."""
    size = 24 if runtime[1] < 13000 else 88
    run(
        runtime,
        f"""
attributes = ctypes.create_string_buffer(b"?" * 200, 200)
status, address = allocate(MiB)
inside = ctypes.c_void_p(address.value + 100)
assert cuda.cudaPointerGetAttributes(attributes, inside) == 0
assert attributes.raw[:4] == b"\\2\\0\\0\\0" and attributes.raw[{size}:] == b"?" * {200 - size}
pinned = made(cuda.cudaHostAlloc, ctypes.c_size_t(100), 0)
cuda.cudaPointerGetAttributes(attributes, pinned); assert attributes.raw[0] == 1
cuda.cudaPointerGetAttributes(attributes, ctypes.byref(pinned)); assert attributes.raw[0] == 0
""",
    )


def test_the_current_device_belongs_to_the_thread(runtime: tuple[Path, int]) -> None:
    """DataParallel has a thread for each GPU."""
    run(
        runtime,
        """
import threading
def device():
    number = ctypes.c_int(-1); cuda.cudaGetDevice(ctypes.byref(number)); return number.value
cuda.cudaSetDevice(1); seen = []
thread = threading.Thread(target=lambda: seen.append(device())); thread.start(); thread.join()
assert seen == [0] and device() == 1
""",
    )


def test_a_launch_that_nobody_computes_is_refused_by_name(runtime: tuple[Path, int]) -> None:
    """Its result would be whatever the memory held. The guard around it says so, and nothing else fails."""
    run(
        runtime,
        """
cuda.simgpu_guard()
assert launch() == 801 and cuda.cudaGetErrorString(801).startswith(b"operation not supported (NotSimulated: ")
assert cuda.simgpu_unguard() == b"a kernel without a name" and cuda.simgpu_lost() is None
assert cuda.simgpu_take_refusal() == b"a kernel without a name" and cuda.simgpu_take_refusal() is None
assert cuda.cudaGetLastError() == 0
cuda.simgpu_guard(); assert cuda.simgpu_unguard() is None
cuda.simgpu_enter(); assert launch() == 0; cuda.simgpu_leave()
assert launch(block=2000) == 9 and cuda.cudaGetErrorString(9) == b"invalid configuration argument"
assert (cuda.simgpu_launched(), cuda.simgpu_unclaimed()) == (2, 1)
""",
    )


def test_a_refused_launch_without_a_guard_fails_everything_after_it(runtime: tuple[Path, int]) -> None:
    """Nobody may have looked at its status. The process does not end with success either."""
    run(
        runtime,
        """
status, address = allocate(512)
assert cuda.simgpu_failed() == 0 and launch() == 801
assert [cuda.cudaDeviceSynchronize(), allocate(512)[0], cuda.cudaGetLastError(), cuda.cudaGetLastError()] == [801] * 4
assert cuda.cudaMemcpyAsync(address, address, ctypes.c_size_t(8), 3, None) == launch() == 801
assert cuda.simgpu_lost() == b"a kernel without a name" and cuda.cudaFree(address) == 0
""",
        status=1,
    )


def test_a_probe_uses_no_device(runtime: tuple[Path, int]) -> None:
    """PyTorch's own code runs as far as its checks of devices, and what it would do then leaves nothing behind."""
    run(
        runtime,
        """
status, address = allocate(512)
cuda.simgpu_enter()
cuda.simgpu_probe(); assert cuda.simgpu_end_probe() == 0
for use in (launch, cuda.cudaDeviceSynchronize, lambda: cuda.cudaMemsetAsync(address, 7, ctypes.c_size_t(512), None)):
    cuda.simgpu_probe(); assert use() == 801 and cuda.simgpu_end_probe() == 1
assert cuda.cudaGetLastError() == 0 and ctypes.string_at(address, 1) == b"\\0" and cuda.simgpu_launched() == 0
""",
    )


def test_the_log_knows_what_makes_the_host_wait(runtime: tuple[Path, int]) -> None:
    """A copy from pinned memory does not make Python wait, one from pageable memory does."""
    run(
        runtime,
        """
class Event(ctypes.Structure):
    _fields_ = [(name, ctypes.c_uint64) for name in ("number", "stream", "what", "source", "target", "bytes")]
    _fields_ += [("seconds", ctypes.c_double)]
    _fields_ += [(name, ctypes.c_int32) for name in ("kind", "device", "direction", "pinned", "blocking", "claimed")]
status, device = allocate(MiB)
pinned, pageable = made(cuda.cudaHostAlloc, ctypes.c_size_t(100), 0), ctypes.create_string_buffer(100)
cuda.cudaMemcpyAsync(device, pinned, ctypes.c_size_t(100), 1, None)
cuda.cudaMemcpyAsync(pageable, device, ctypes.c_size_t(50), 2, None)
cuda.cudaDeviceSynchronize()
events = (Event * 3)()
assert cuda.simgpu_recent(events, ctypes.c_size_t(3)) == 3
copies = [(e.kind, e.direction, e.bytes, e.pinned, e.blocking) for e in events[:2]]
assert copies == [(3, 1, 100, 1, 0), (3, 2, 50, 0, 1)], copies
assert events[2].kind == 5 and cuda.simgpu_count(3) == 2
assert [e.number for e in events] == [2, 3, 4] and events[0].seconds <= events[2].seconds
""",
    )


def test_a_listener_may_write_what_a_copy_reads(runtime: tuple[Path, int]) -> None:
    """Host code that reads the number of nonzero elements has to get it, though no kernel counted them."""
    run(
        runtime,
        """
status, device = allocate(512)
answer = ctypes.c_int(0)
@ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p)
def listener(event, user): ctypes.memmove(device, ctypes.byref(ctypes.c_int(42)), 4)
cuda.simgpu_listen(listener, None)
cuda.cudaMemcpyAsync(ctypes.byref(answer), device, ctypes.c_size_t(4), 2, None)
assert answer.value == 42
""",
    )


def test_events_have_a_clock_that_never_runs_back(runtime: tuple[Path, int]) -> None:
    """A program that prints milliseconds a step must not print a negative number."""
    run(
        runtime,
        """
start, end, untimed = made(cuda.cudaEventCreate), made(cuda.cudaEventCreate), made(cuda.cudaEventCreateWithFlags, 2)
elapsed = ctypes.c_float(-1)
assert cuda.cudaEventElapsedTime(ctypes.byref(elapsed), start, end) == 400  # none is recorded
for event in (start, untimed, end): assert cuda.cudaEventRecord(event, None) == 0
assert cuda.cudaEventElapsedTime(ctypes.byref(elapsed), start, end) == 0 and 0 <= elapsed.value < 1000
assert cuda.cudaEventElapsedTime(ctypes.byref(elapsed), start, untimed) == 400
assert cuda.cudaEventQuery(end) == 0
cuda.cudaSetDevice(1)
assert cuda.cudaEventRecord(end, made(cuda.cudaStreamCreate)) == 400  # of another device
assert cuda.cudaStreamSynchronize(ctypes.c_void_p(4711)) == 400
""",
    )


def test_a_graph_replays_what_was_captured_in_its_order(runtime: tuple[Path, int]) -> None:
    """Capture computes nothing; each replay computes all of it, on what the memory holds then."""
    run(
        runtime,
        """
stream, other = made(cuda.cudaStreamCreate), made(cuda.cudaStreamCreate)
status, first = allocate(512); status, second = allocate(512)
assert cuda.cudaStreamBeginCapture(stream, 0) == 0
order = []
node = ctypes.CFUNCTYPE(None, ctypes.c_void_p)
run, drop = node(lambda data: order.append(ctypes.string_at(second, 1))), node(lambda data: order.append("dropped"))
cuda.cudaMemsetAsync(first, 7, ctypes.c_size_t(512), stream)
event = made(cuda.cudaEventCreate)
cuda.cudaEventRecord(event, stream); cuda.cudaStreamWaitEvent(other, event, 0)  # the other stream joins
cuda.cudaMemcpyAsync(second, first, ctypes.c_size_t(512), 3, other)
assert cuda.simgpu_graph_append(other, run, drop, None) == 0 and cuda.simgpu_graph_append(None, run, drop, None) == 1
assert ctypes.string_at(second, 1) == b"\\0"
graph = made(lambda out: cuda.cudaStreamEndCapture(stream, out))
executable = made(cuda.cudaGraphInstantiate, graph, ctypes.c_ulonglong(0))
assert cuda.cudaGraphDestroy(graph) == 0 and not cuda.simgpu_capturing(other)
assert cuda.cudaGraphLaunch(executable, stream) == 0 and ctypes.string_at(second, 512) == b"\\7" * 512
assert order == [b"\\7"]
assert cuda.cudaGraphExecDestroy(executable) == 0 and order == [b"\\7", "dropped"]
""",
    )


def test_waiting_during_capture_is_an_error_and_spoils_it(runtime: tuple[Path, int]) -> None:
    """`.item()` inside a graph fails on a real GPU; here too."""
    run(
        runtime,
        """
stream = made(cuda.cudaStreamCreate)
for spoil in (lambda: cuda.cudaStreamSynchronize(stream), cuda.cudaDeviceSynchronize, lambda: allocate(512)[0]):
    assert cuda.cudaStreamBeginCapture(stream, 0) == 0
    assert spoil() == 900
    graph = ctypes.c_void_p()
    assert cuda.cudaStreamEndCapture(stream, ctypes.byref(graph)) == 901 and not graph.value
assert cuda.cudaStreamEndCapture(stream, ctypes.byref(graph)) == 903
""",
    )


def test_a_forked_child_cannot_use_the_devices_of_its_parent(runtime: tuple[Path, int]) -> None:
    """A DataLoader's worker that touches CUDA fails on a real GPU. Before the start, a fork does no harm."""
    run(
        runtime,
        """
def in_child(check):
    child = os.fork()
    if child == 0: os._exit(0 if check() else 1)
    return os.waitpid(child, 0)[1] == 0
count = ctypes.c_int()
assert in_child(lambda: allocate(512)[0] == 0)
assert allocate(512)[0] == 0
assert in_child(lambda: allocate(512)[0] == 3 and cuda.cudaGetErrorString(3) == b"initialization error")
assert allocate(512)[0] == 0
""",
    )


def test_a_failed_kernel_fails_everything_after_it(runtime: tuple[Path, int]) -> None:
    """After a device-side assert only a new process helps."""
    run(
        runtime,
        """
event, (status, address) = made(cuda.cudaEventCreate), allocate(512)
cuda.simgpu_fail(710)
assert cuda.cudaGetErrorString(710) == b"device-side assert triggered"
assert [cuda.cudaDeviceSynchronize(), allocate(512)[0], cuda.cudaGetLastError(), cuda.cudaGetLastError()] == [710] * 4
assert cuda.cudaSetDevice(1) == cuda.cudaFree(address) == cuda.cudaEventDestroy(event) == 0  # destructors call these
""",
    )


def test_pinned_memory_is_registered_once(runtime: tuple[Path, int]) -> None:
    """Registering a buffer twice is a common mistake, with an error of its own."""
    run(
        runtime,
        """
buffer = ctypes.create_string_buffer(4096)
assert cuda.cudaHostRegister(buffer, ctypes.c_size_t(4096), 0) == 0 and cuda.simgpu_device_of(buffer) == -1
assert cuda.cudaHostRegister(ctypes.byref(buffer, 100), ctypes.c_size_t(8), 0) == 712
assert cuda.cudaHostUnregister(buffer) == 0 and cuda.cudaHostUnregister(buffer) == 713
""",
    )


def test_no_visible_device_is_an_error_of_its_own(runtime: tuple[Path, int]) -> None:
    """Programs hide all GPUs to test their CPU path: PyTorch then says that CUDA is not available."""
    run(
        runtime,
        """
cuda.simgpu_configure(2, None, 0, ctypes.c_size_t(64 * MiB), 75, 13000)
count = ctypes.c_int(9)
assert cuda.cudaGetDeviceCount(ctypes.byref(count)) == 100 and count.value == 0
assert cuda.cudaGetErrorString(100) == b"no CUDA-capable device is detected"
""",
    )
