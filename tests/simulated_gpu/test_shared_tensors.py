"""CUDA tensors that another process opens: torch.multiprocessing's queues and pools, as on a GPU."""

from __future__ import annotations

from collections.abc import Callable

import pytest

pytestmark = pytest.mark.cuda_build
Simulated = Callable[..., str]

START = """
import torch, torch.multiprocessing as mp
context = mp.get_context("spawn")
"""


def test_both_processes_see_the_same_memory(simulated: Simulated) -> None:
    """A copy would look right until somebody writes."""
    program = f"""{START}
def work(given, back, end):
    x, view = given.get()
    back.put((x.sum().item(), view.tolist(), str(view.device)))
    x.add_(1)
    back.put(torch.arange(4.0, device="cuda:1") * 3)
    end.wait()

if __name__ == "__main__":
    given, back, end = context.Queue(), context.Queue(), context.Event()
    process = context.Process(target=work, args=(given, back, end))
    process.start()
    x = torch.arange(1000.0, device="cuda:0")
    given.put((x, x[10:13]))
    print(*back.get(timeout=120))
    y = back.get(timeout=120)
    print(x[:3].tolist(), y.tolist(), y.device)
    del y
    end.set()
    process.join(60)
    print(process.exitcode)
"""
    assert simulated(program, "--gpus", "2").splitlines() == [
        "499500.0 [10.0, 11.0, 12.0] cuda:0",
        "[1.0, 2.0, 3.0] [0.0, 3.0, 6.0, 9.0] cuda:1",
        "0",
    ]


def test_what_a_gpu_cannot_share_is_an_error(simulated: Simulated) -> None:
    """With the process itself, and after the other process has ended."""
    program = f"""{START}
def leave(back):
    x = torch.ones(3, device="cuda")
    back.put(x.untyped_storage()._share_cuda_())

if __name__ == "__main__":
    handles = [torch.ones(3, device="cuda").untyped_storage()._share_cuda_()]
    back = context.SimpleQueue()
    process = context.Process(target=leave, args=(back,))
    process.start()
    handles.append(back.get())
    process.join()
    for handle in handles:
        try:
            torch.UntypedStorage._new_shared_cuda(*handle)
        except RuntimeError as error:
            print(str(error).splitlines()[0])
"""
    assert simulated(program).splitlines() == [
        "CUDA error: invalid device context",
        "CUDA error: invalid resource handle",
    ]


def test_work_behind_a_pause_is_done_before_another_process_looks(simulated: Simulated) -> None:
    """It waits for the event that PyTorch hands over with the memory."""
    program = f"""{START}
if __name__ == "__main__":
    x = torch.zeros(3, device="cuda")
    torch.cuda._sleep(10**9)
    x.add_(5)
    with context.Pool(1) as pool:
        print(pool.map(torch.sum, [x])[0].item())
"""
    assert simulated(program) == "15.0\n"
