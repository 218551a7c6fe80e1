"""Train one model that is split over several processes with FSDP2 (fully_shard): on CPUs (gloo) or on GPUs (nccl).

Each process keeps its part of the parameters, and trains on its own share of the data. The report compares that with
the same model in one piece. Only rank 0 prints, and every run on one kind of device prints the same report.

    torchrun --standalone --nproc-per-node 2 snippets/fsdp2.py
    python snippets/fsdp2.py --processes 2 --backend gloo --save checkpoint
"""

# region setup
import argparse
import gc
import os
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import torch
import torch.distributed as dist
import torch.distributed.checkpoint as dcp
from torch import Tensor, nn
from torch.distributed.checkpoint.state_dict import (
    StateDictOptions,
    get_model_state_dict,
    get_state_dict,
)
from torch.distributed.device_mesh import DeviceMesh, init_device_mesh
from torch.distributed.fsdp import fully_shard
from torch.distributed.tensor import DTensor

SEED = 42


@dataclass(frozen=True)
class Options:
    """What the command line can change.

    Attributes:
        backend: gloo (CPUs), nccl (a GPU each), or auto: nccl where there are enough GPUs.
        processes: how many processes to start where torchrun did not start them.
        steps: updates of the model.
        save: folder for the checkpoints; None writes none.
    """

    backend: str = "auto"
    processes: int = 2
    steps: int = 3
    save: Path | None = None


# endregion


# region place
@dataclass(frozen=True)
class Place:
    """Which of the processes this one is.

    Attributes:
        rank: number of this process among all of them, from 0.
        world_size: how many processes there are.
        local_rank: number of this process on its machine, from 0.
        local_world_size: how many processes there are on its machine.
        init_method: where the processes meet; env:// means the variables that torchrun sets.
    """

    rank: int
    world_size: int
    local_rank: int
    local_world_size: int
    init_method: str = "env://"


def place_from_torchrun() -> Place:
    """Read the variables that torchrun sets for each process that it starts."""
    return Place(
        rank=int(os.environ["RANK"]),
        world_size=int(os.environ["WORLD_SIZE"]),
        local_rank=int(os.environ["LOCAL_RANK"]),
        local_world_size=int(os.environ["LOCAL_WORLD_SIZE"]),
    )


# endregion


# region group
def choose_device(place: Place, backend: str) -> torch.device:
    """Return a GPU of its own for this process, or the CPU.

    Raises:
        SystemExit: nccl was asked for, and this machine has fewer GPUs than processes.
    """
    gpus = torch.cuda.device_count() if dist.is_nccl_available() else 0
    enough = gpus >= place.local_world_size
    if backend == "nccl" and not enough:
        counts = f"{place.local_world_size} processes, {gpus} GPUs with nccl"
        raise SystemExit(f"--backend nccl: needs a GPU for each process ({counts}); use gloo")
    if enough and backend != "gloo":
        return torch.device("cuda", place.local_rank)
    return torch.device("cpu")


@contextmanager
def process_group(place: Place, backend: str) -> Iterator[torch.device]:
    """Join the other processes, give the device to use, and leave them.

    After an error the group stays: its end can wait for the others, which wait for this process.
    """
    device = choose_device(place, backend)
    on_gpu = device.type == "cuda"
    if on_gpu:
        torch.cuda.set_device(device)
    dist.init_process_group(
        backend="nccl" if on_gpu else "gloo",
        init_method=place.init_method,
        rank=place.rank,
        world_size=place.world_size,
        device_id=device if on_gpu else None,
    )
    yield device
    gc.collect()  # a model that is still there would use the group after its end
    dist.destroy_process_group()
    # FSDP2 keeps the group's threads: one that holds a tensor while Python ends would abort (pytorch pull 179291).
    time.sleep(0.2)


def report(text: str) -> None:
    """Print once, and not once a process."""
    if dist.get_rank() == 0:
        print(text, flush=True)


# endregion


# region model
def make_model() -> nn.Sequential:
    """Return three linear layers on the CPU, with weights from the default generator."""
    first, second, third = nn.Linear(8, 16), nn.Linear(16, 16), nn.Linear(16, 3)
    return nn.Sequential(first, nn.ReLU(), second, nn.ReLU(), third)


def make_data(count: int = 64) -> tuple[Tensor, Tensor]:
    """Return inputs (count, 8) and targets (count, 3), the same in every process."""
    generator = torch.Generator().manual_seed(SEED)
    inputs = torch.randn(count, 8, generator=generator)
    return inputs, inputs[:, :3].sin()


# endregion


# region shard
def shard(model: nn.Sequential, mesh: DeviceMesh) -> None:
    """Split the parameters over the mesh, in place: layer by layer, and then the rest."""
    for layer in model:
        if next(layer.parameters(), None) is not None:
            fully_shard(layer, mesh=mesh)
    fully_shard(model, mesh=mesh)


# endregion


# region counts
def local(tensor: Tensor) -> Tensor:
    """Return the part of a tensor that this process holds."""
    return tensor.to_local() if isinstance(tensor, DTensor) else tensor


def gathered(tensor: Tensor) -> Tensor:
    """Return the whole of a tensor from all processes. Every process has to call this."""
    return tensor.full_tensor() if isinstance(tensor, DTensor) else tensor


def from_all(own: object) -> list[object]:
    """Return an object of each process, in order of rank. Every process has to call this."""
    found: list[object] = [None] * dist.get_world_size()
    dist.all_gather_object(found, own)
    return found


def report_shards(model: nn.Module) -> None:
    """Report the shape of each parameter, and of the part that each process holds."""
    for name, parameter in model.named_parameters():
        parts = ", ".join(map(str, from_all(tuple(local(parameter).shape))))
        report(f"{name:9} {tuple(parameter.shape)!s:9} held as {parts}")


def count_held(model: nn.Module, optimizer: torch.optim.Optimizer) -> int:
    """Count what this process holds: parameters, gradients and the optimizer's averages."""
    held: list[Tensor] = []
    for parameter in model.parameters():
        states = optimizer.state[parameter].values()
        held += [parameter, *(state for state in states if state.dim() > 0)]
        held += [parameter.grad] if parameter.grad is not None else []
    return sum(local(tensor).numel() for tensor in held)


# endregion


# region train
def train_step(
    model: nn.Module,
    optimizer: torch.optim.Optimizer,
    inputs: Tensor,
    targets: Tensor,
) -> Tensor:
    """Update the model once, and return its loss before that."""
    loss = nn.functional.mse_loss(model(inputs), targets)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    return loss.detach()


# endregion


# region checkpoint
def save_whole(model: nn.Module, path: Path) -> None:
    """Gather the parameters, and write them on rank 0. Every process has to call this."""
    options = StateDictOptions(full_state_dict=True, cpu_offload=True)
    whole = get_model_state_dict(model, options=options)
    if dist.get_rank() == 0:
        torch.save(whole, path)


def save_shards(model: nn.Module, optimizer: torch.optim.Optimizer, folder: Path) -> None:
    """Write what each process holds, optimizer included. Every process has to call this."""
    parameters, states = get_state_dict(model, optimizer)
    dcp.save({"model": parameters, "optimizer": states}, checkpoint_id=folder)


# endregion


# region work
def work(device: torch.device, options: Options) -> None:
    """Train the model in one piece and split, and report on both, as one of the processes."""
    rank, world_size = dist.get_rank(), dist.get_world_size()
    report(f"processes: {world_size}, backend {dist.get_backend()}, rank 0 on {device}")
    torch.manual_seed(SEED)
    whole, model = make_model().to(device), make_model().to(device)
    model.load_state_dict(whole.state_dict())

    shard(model, init_device_mesh(device.type, (world_size,)))
    report_shards(model)

    whole_optimizer = torch.optim.Adam(whole.parameters(), lr=0.01)
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)  # after fully_shard
    data = make_data()
    even = len(data[0]) // world_size * world_size  # so that all shares have the same size
    inputs, targets = (tensor[:even].to(device) for tensor in data)
    mine = slice(rank, None, world_size)
    for step in range(1, options.steps + 1):
        expected = train_step(whole, whole_optimizer, inputs, targets)
        loss = train_step(model, optimizer, inputs[mine], targets[mine])
        dist.all_reduce(loss)
        mean = loss.item() / world_size
        report(f"step {step}: loss in one piece {expected.item():.4f}, split {mean:.4f}")

    pairs = zip(whole.parameters(), model.parameters(), strict=True)
    close = [torch.allclose(one, gathered(split), atol=1e-5) for one, split in pairs]
    report(f"the same parameters after training: {all(close)}")
    held, everything = from_all(count_held(model, optimizer)), count_held(whole, whole_optimizer)
    report(f"numbers held in one piece: {everything}, split: {held}")

    if options.save is not None:
        options.save.mkdir(parents=True, exist_ok=True)
        save_whole(model, options.save / "whole.pt")
        save_shards(model, optimizer, options.save / "shards")


# endregion


# region run
def run(place: Place, options: Options) -> None:
    """Join the other processes, work, and leave them."""
    with process_group(place, options.backend) as device:
        work(device, options)


# endregion


# region start
def run_spawned(local_rank: int, options: Options, meeting_point: str) -> None:
    """Entry point of a process that start_processes starts."""
    count = options.processes
    run(Place(local_rank, count, local_rank, count, meeting_point), options)


def start_processes(options: Options) -> None:
    """Start the processes on this machine without torchrun; they meet in a file."""
    count = options.processes
    choose_device(Place(0, count, 0, count), options.backend)  # an error here comes once
    with tempfile.TemporaryDirectory() as folder:
        arguments = (options, Path(folder, "meeting-point").as_uri())
        torch.multiprocessing.spawn(run_spawned, args=arguments, nprocs=count)


# endregion


# region arguments
def positive(text: str) -> int:
    """Turn a number on the command line into an int of at least 1.

    Raises:
        argparse.ArgumentTypeError: it is anything else.
    """
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number above 0")
    return int(text)


def parse_arguments(arguments: Sequence[str] | None = None) -> Options:
    """Read the command line; a wrong one ends the program with a message and exit status 2."""
    parser = argparse.ArgumentParser(
        description="Train a small model that FSDP2 (fully_shard) splits over several processes.",
        epilog="Start it with torchrun, or alone: then it starts its processes itself.",
    )
    parser.add_argument(
        "--backend",
        choices=("auto", "gloo", "nccl"),
        default="auto",
        help="gloo: CPUs; nccl: a GPU for each process; auto (default): nccl where there are enough GPUs, else gloo",
    )
    parser.add_argument(
        "--processes", type=positive, default=2, metavar="N", help="processes to start without torchrun (default: 2)"
    )
    parser.add_argument("--steps", type=positive, default=3, metavar="N", help="updates of the model (default: 3)")
    parser.add_argument("--save", type=Path, metavar="FOLDER", help="write the checkpoints there (default: write none)")
    return Options(**vars(parser.parse_args(arguments)))


# endregion


if __name__ == "__main__":
    chosen = parse_arguments()
    if dist.is_torchelastic_launched():
        run(place_from_torchrun(), chosen)
    else:
        start_processes(chosen)
