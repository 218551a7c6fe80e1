"""`--shapes-only`: memory, launches and shapes as ever, and nothing is computed."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.cuda_build
SEVEN_BILLION = Path(__file__).parent / "programs" / "seven_billion.py"

TRAINING = """\
import torch
from torch import nn
from torch.nn import functional as F

class Network(nn.Module):
    def __init__(self):
        super().__init__()
        self.images = nn.Sequential(nn.Conv2d(3, 32, 3, stride=2), nn.BatchNorm2d(32), nn.ReLU(), nn.Dropout())
        self.attention = nn.MultiheadAttention(32, 4, batch_first=True)
        self.memory = nn.LSTM(32, 32, batch_first=True)
        self.words = nn.Embedding(100, 32)
        self.head = nn.Linear(32, 100)

    def forward(self, images, words):
        x = self.images(images).flatten(2).transpose(1, 2) + self.words(words)
        x = x + self.attention(x, x, x, need_weights=False)[0]
        return self.head(self.memory(x)[0])

torch.manual_seed(0)
with torch.device("cuda"):
    network = Network()
optimizers = [torch.optim.AdamW(network.parameters(), fused=True),
              torch.optim.AdamW(network.parameters(), foreach=True),
              torch.optim.SGD(network.parameters(), momentum=0.9)]
scaler = torch.amp.GradScaler()
images, words = torch.ones(8, 3, 31, 31).pin_memory(), torch.ones(8, 225, dtype=torch.long)
for optimizer in optimizers:
    x, y = images.to("cuda", non_blocking=True), words.cuda()
    with torch.autocast("cuda", dtype=torch.float16):
        loss = F.cross_entropy(network(x, y).flatten(0, 1), y.flatten())
    if optimizer is optimizers[0]:
        scaler.scale(loss).backward()
        scaler.unscale_(optimizer)
        nn.utils.clip_grad_norm_(network.parameters(), 1.0)
        scaler.step(optimizer)
        scaler.update()
    else:
        loss.backward()
        optimizer.step()
    optimizer.zero_grad()
    print(torch.cuda.memory_allocated(), torch.cuda.max_memory_allocated(), torch.cuda.max_memory_reserved())
"""


def test_a_step_takes_the_memory_that_it_takes_with_values(simulated: Callable[..., str]) -> None:
    """Convolution, batch norm, attention, recurrence, autocast, scaler, clipping, three optimizers: to the byte."""
    assert simulated(TRAINING, "--shapes-only") == simulated(TRAINING)


def test_seven_billion_parameters_are_judged_within_four_gib(simulated: Callable[..., str]) -> None:
    """With values, the parameters alone would take 13 GiB of main memory."""
    parameters, peak, main = simulated(SEVEN_BILLION.read_text(), "--memory", "80GiB", "--shapes-only").splitlines()
    assert parameters == "6,738,415,616 parameters"
    at_least = 4 * 2 * 6_738_415_616  # parameters, gradients and two averages, of two bytes each
    assert 1 <= int(peak.split()[0].replace(",", "")) / at_least < 1.01
    assert float(main.split()[0]) < 4


READS = {
    "x.sum().item()": "aten::_local_scalar_dense",
    "float(x[0])": "aten::_local_scalar_dense",
    "print(x)": "aten::",
    "if x.any(): pass": "aten::_local_scalar_dense",
    "x.cpu()": "aten::copy_",
    "x.to('cpu', non_blocking=True)": "aten::copy_",
    "x.tolist()": "aten::copy_",
    "torch.empty(9).pin_memory().copy_(x)": "aten::copy_",
    "x.nonzero()": "aten::nonzero",
    "x[x > 0]": "aten::nonzero",
    "x.masked_select(x > 0)": "aten::",
    "x.unique()": "aten::_unique2",
    "torch.equal(x, x + 1)": "aten::_local_scalar_dense",
    "x.to_sparse()": "aten::nonzero",
    "torch.linalg.cholesky(torch.eye(3, device='cuda'))": "aten::_local_scalar_dense",
}


def test_a_value_that_is_read_raises_and_names_the_line(simulated: Callable[..., str]) -> None:
    """Memory that was not computed never passes for a result."""
    program = "import torch, simulated_gpu\nx = torch.ones(9, device='cuda')\n"
    for code in READS:
        program += (
            f"try:\n    {code}\nexcept simulated_gpu.NotSimulated as error:\n    print(error)\nelse: print('no')\n"
        )
    for number, (expected, printed) in enumerate(
        zip(READS.values(), simulated(program, "--shapes-only").splitlines(), strict=True)
    ):
        assert re.match(f"{expected}\\w* in program.py:{4 + 5 * number}: this reads a value from the GPU", printed)


def test_a_real_error_stays_what_it_is_after_a_read_that_was_caught(simulated: Callable[..., str]) -> None:
    """A refusal is remembered until somebody asks for it."""
    program = """
import torch
x = torch.ones(2, 3, device="cuda")
try: x.sum().item()
except NotImplementedError: pass
try: x @ x
except RuntimeError as error: print(error)
"""
    message = simulated(program, "--shapes-only").removeprefix("mm: ")  # PyTorch 2.15 begins with it
    assert message == "mat1 and mat2 shapes cannot be multiplied (2x3 and 2x3)\n"


RANKS = """
import os, sys
import torch, torch.distributed as dist
import torch.multiprocessing as mp
from torch.distributed.fsdp import fully_shard

def work(rank):
    os.environ.update(MASTER_ADDR="localhost", MASTER_PORT="0", RANK=str(rank), WORLD_SIZE="2")
    torch.cuda.set_device(rank)
    store = dist.FileStore(os.path.abspath(f"store-{os.getppid()}"), 2)
    dist.init_process_group("nccl", store=store, rank=rank, world_size=2)
    with torch.device("cuda"):
        model = torch.nn.Sequential(*(torch.nn.Linear(1024, 1024, bias=False) for _ in range(8)))
    for layer in model:
        fully_shard(layer)
    fully_shard(model)
    optimizer = torch.optim.AdamW(model.parameters())
    torch.cuda.reset_peak_memory_stats()
    model(torch.ones(1, 1024, device="cuda")).sum().backward()
    optimizer.step()
    print(torch.cuda.max_memory_allocated(), flush=True)
    dist.destroy_process_group()

if __name__ == "__main__":
    mp.spawn(work, nprocs=2)
"""


def test_ranks_talk_without_values(simulated: Callable[..., str]) -> None:
    """Does a model that is sharded fit? The collectives move nothing, and the bytes are those with values."""
    assert simulated(RANKS, "--gpus", "2", "--shapes-only") == simulated(RANKS, "--gpus", "2")


def test_the_environment_and_python_switch_it_on(python: Callable[..., Any]) -> None:
    """As all settings have three ways."""
    peak = "import torch; torch.ones(2**34, device='cuda'); print(torch.cuda.max_memory_allocated() // 2**30)"
    environment = {"SIMULATED_GPU": "1", "SIMULATED_GPU_MEMORY": "80GiB", "SIMULATED_GPU_SHAPES_ONLY": "1"}
    assert python("-c", peak, **environment).stdout == "64\n"
    start = "import simulated_gpu; simulated_gpu.start(memory='80GiB', shapes_only=True); "
    assert python("-c", start + peak).stdout == "64\n"
