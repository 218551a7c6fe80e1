"""Low utilization: what a call costs, what a CPU uses, and what a product computes."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest
import torch
from torch.utils.benchmark import Timer
from torch.utils.flop_counter import FlopCounterMode

from claims.claimlib import claim, on_cuda, raises, refuses

ASK = "import json, torch; print(json.dumps([torch.get_num_threads(), torch.backends.cpu.get_cpu_capability()]))"


@claim("An operation on one element takes nearly as long as an operation on a hundred.")
def test_fixed_cost() -> None:
    alone, hundred = (
        min(
            Timer("torch.add(x, 1, out=y)", globals={"x": torch.ones(n), "y": torch.empty(n)}).timeit(200).median
            for _ in range(20)
        )
        for n in (1, 100)
    )
    assert hundred < 2 * alone


@claim(
    "`torch.set_num_threads` sets any number, and the environment variable `OMP_NUM_THREADS` a smaller one.",
    "`ATEN_CPU_CAPABILITY=default` makes PyTorch use the kernels that it has for CPUs of any age:",
    "`torch.backends.cpu.get_cpu_capability()` names the instructions that PyTorch uses, for example `AVX2`.",
)
@pytest.mark.skipif("SIMULATED_GPU" in os.environ, reason="another Python would not find the simulated libraries")
def test_threads_and_instructions() -> None:
    env = {**os.environ, "OMP_NUM_THREADS": "1", "ATEN_CPU_CAPABILITY": "default"}
    child = subprocess.run([sys.executable, "-c", ASK], env=env, capture_output=True, text=True, check=True)
    assert json.loads(child.stdout) == [1, "DEFAULT"]
    for number in (1, 7):
        torch.set_num_threads(number)
        assert torch.get_num_threads() == number
    assert torch.backends.cpu.get_cpu_capability() in torch.__config__.show()


@claim("A product of two matrices of size n takes 2 n³ operations.")
@pytest.mark.parametrize("n", [1, 3, 64])
def test_operations_of_a_product(n: int) -> None:
    with FlopCounterMode(display=False) as counter:
        torch.ones(n, n) @ torch.ones(n, n)
    assert counter.get_total_flops() == 2 * n**3


@claim(
    "`.item()` waits once a step, and each batch twice, for its inputs and its targets: `.to(device)` waits for the copy, unless the memory is pinned and you pass `non_blocking=True`."
)
@on_cuda
@pytest.mark.filterwarnings("ignore:Synchronization debug mode is a prototype")
def test_what_waits() -> None:
    pinned, x, loss = torch.ones(2).pin_memory(), torch.ones(2), torch.ones((), device="cuda")
    torch.cuda.set_sync_debug_mode("error")
    try:
        for call in (
            loss.item,
            lambda: x.to("cuda"),
            lambda: pinned.to("cuda"),
        ):
            raises("synchronizing", call)
        assert not refuses(pinned.to, "cuda", non_blocking=True)
    finally:
        torch.cuda.set_sync_debug_mode("default")


@claim(
    "`torch.cuda.get_device_properties(device=None)` describes the current GPU, or the one that you give; its `name` is what `torch.cuda.get_device_name()` returns."
)
@on_cuda
def test_properties() -> None:
    for index in range(torch.cuda.device_count()):
        with torch.cuda.device(index):
            assert torch.cuda.get_device_properties().uuid == torch.cuda.get_device_properties(index).uuid
            assert torch.cuda.get_device_properties().name == torch.cuda.get_device_name()
