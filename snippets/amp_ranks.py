"""Show what an inf on one of two processes does to the loss scale: with DDP, with FSDP2, and with plain parameters.

python snippets/amp_ranks.py
"""

import argparse
import tempfile
import time
from pathlib import Path

import torch
import torch.distributed as dist
import torch.multiprocessing as mp
from torch import nn
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import fully_shard
from torch.distributed.fsdp.sharded_grad_scaler import ShardedGradScaler
from torch.distributed.tensor import DTensor

PROCESSES = 2


# region cases
def update_after_inf(model: nn.Module, scaler: torch.amp.GradScaler, *, before_backward: bool) -> float:
    """Return this process's loss scale after a step with an inf that only the last process has.

    Args:
        model: takes inputs of shape (3, 4).
        scaler: its scale is 1024 before.
        before_backward: the inf is in the loss; otherwise in this process's part of a finished gradient.
    """
    last = dist.get_rank() == PROCESSES - 1
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    loss = model(torch.ones(3, 4)).sum()
    scaler.scale(loss * float("inf") if last and before_backward else loss).backward()
    for parameter in model.parameters():
        gradient = parameter.grad
        if gradient is not None and last and not before_backward:
            part = gradient.to_local() if isinstance(gradient, DTensor) else gradient
            part.fill_(float("inf"))
    scaler.step(optimizer)
    scaler.update()
    return scaler.get_scale()


def scales() -> dict[str, float]:
    """Return this process's loss scale for each way to train."""
    plain = torch.amp.GradScaler("cpu", init_scale=1024.0)
    ddp = nn.parallel.DistributedDataParallel(nn.Linear(4, 2, bias=False))
    fsdp_scaler = torch.amp.GradScaler("cpu", init_scale=1024.0)
    fsdp = fully_shard(nn.Linear(4, 2, bias=False), mesh=init_device_mesh("cpu", (PROCESSES,)))
    alone = torch.amp.GradScaler("cpu", init_scale=1024.0)
    sharded = ShardedGradScaler("cpu", init_scale=1024.0)
    return {
        "DDP,   GradScaler": update_after_inf(ddp, plain, before_backward=True),
        "FSDP2, GradScaler": update_after_inf(fsdp, fsdp_scaler, before_backward=False),
        "plain, GradScaler": update_after_inf(nn.Linear(4, 2), alone, before_backward=False),
        "plain, ShardedGradScaler": update_after_inf(nn.Linear(4, 2), sharded, before_backward=False),
    }


# endregion


def work(rank: int, meeting_place: str) -> None:
    """Run every case in one process, and let rank 0 print the scales of all."""
    torch.set_num_threads(1)
    dist.init_process_group("gloo", init_method=meeting_place, rank=rank, world_size=PROCESSES)
    for name, scale in scales().items():
        found = [torch.zeros(()) for _ in range(PROCESSES)]
        dist.all_gather(found, torch.tensor(scale))
        if rank == 0:
            print(f"{name:25} scale in each process:", [value.item() for value in found])
    dist.barrier()  # no process leaves while the other still needs it
    dist.destroy_process_group()
    # FSDP2 keeps the group's threads: one that holds a tensor while Python ends would abort (pytorch pull 179291).
    time.sleep(0.2)


if __name__ == "__main__":
    argparse.ArgumentParser(description=__doc__.splitlines()[0]).parse_args()
    with tempfile.TemporaryDirectory() as folder:
        mp.spawn(work, args=((Path(folder) / "meeting").as_uri(),), nprocs=PROCESSES)
