"""Train one model on several processes with DistributedDataParallel (DDP): on CPUs (gloo) or on GPUs (nccl).

Each process trains on its own share of the data, and DDP averages the gradients. The data is made here from a fixed
seed, so nothing is downloaded. Only rank 0 prints, and every run on one kind of device prints the same report.

    torchrun --standalone --nproc-per-node 2 snippets/ddp_gloo.py
    python snippets/ddp_gloo.py --processes 2 --backend gloo
"""

# region setup
import argparse
import gc
import os
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import torch
import torch.distributed as dist
from torch import Tensor, nn
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

SEED = 42

Shares = DistributedSampler[tuple[Tensor, ...]]


@dataclass(frozen=True)
class Options:
    """What the command line can change.

    Attributes:
        backend: gloo (CPUs), nccl (a GPU each), or auto: nccl where there are enough GPUs.
        processes: how many processes to start where torchrun did not start them.
        epochs: passes over the training data.
    """

    backend: str = "auto"
    processes: int = 2
    epochs: int = 3


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


def report(text: str) -> None:
    """Print once, and not once a process."""
    if dist.get_rank() == 0:
        print(text, flush=True)


# endregion


# region data
def make_data(count: int = 256) -> TensorDataset:
    """Draw samples of a noisy sine from a seed of its own, the same in every process.

    Returns:
        Inputs of shape (count, 8) and targets of shape (count, 1), both in float32.
    """
    generator = torch.Generator().manual_seed(SEED)
    inputs = torch.randn(count, 8, generator=generator)
    noise = 0.1 * torch.randn(count, 1, generator=generator)
    return TensorDataset(inputs, inputs.mean(dim=1, keepdim=True).mul(4).sin() + noise)


def make_model() -> nn.Module:
    """Return a small network on the CPU, with weights from the default generator."""
    return nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Linear(32, 1))


# endregion


# region train
def train(
    model: DistributedDataParallel,
    data: TensorDataset,
    device: torch.device,
    epochs: int,
) -> None:
    """Update the model on this process's share of the data, and report each epoch's mean loss."""
    sampler: Shares = DistributedSampler(data, shuffle=True, seed=SEED)
    batches = DataLoader(data, batch_size=16, sampler=sampler)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for epoch in range(1, epochs + 1):
        sampler.set_epoch(epoch)  # another order in each epoch
        total = torch.zeros(2, device=device)  # sum of the losses, number of samples
        for inputs, targets in batches:
            inputs, targets = inputs.to(device), targets.to(device)
            loss = nn.functional.mse_loss(model(inputs), targets)
            optimizer.zero_grad()
            loss.backward()  # averages the gradients over all processes
            optimizer.step()
            total[0] += loss.detach() * len(inputs)
            total[1] += len(inputs)
        dist.all_reduce(total)  # sums over all processes
        mean = total[0].item() / total[1].item()
        report(f"epoch {epoch}: mean training loss {mean:.3f}")


# endregion


# region checks
def same_everywhere(tensors: Sequence[Tensor]) -> bool:
    """Whether all processes hold equal tensors. Every process has to call this."""
    flat = torch.cat([tensor.detach().flatten() for tensor in tensors])
    low, high = flat.clone(), flat.clone()
    dist.all_reduce(low, op=dist.ReduceOp.MIN)
    dist.all_reduce(high, op=dist.ReduceOp.MAX)
    return torch.equal(low, high)


def gradients(model: nn.Module, inputs: Tensor, targets: Tensor) -> Tensor:
    """Return the gradient of the mean loss by all parameters, as one vector."""
    model.zero_grad()
    nn.functional.mse_loss(model(inputs), targets).backward()
    found = [parameter.grad for parameter in model.parameters()]
    return torch.cat([grad.flatten() for grad in found if grad is not None])


def check_gradients(
    model: DistributedDataParallel,
    data: TensorDataset,
    device: torch.device,
) -> None:
    """Report what DDP does to the gradients, and what no_sync leaves undone."""
    count = dist.get_world_size()
    even = len(data) // count * count  # so that all shares have the same size
    inputs, targets = (tensor[:even].to(device) for tensor in data.tensors)
    mine = slice(dist.get_rank(), None, count)  # of two: every second sample
    whole = gradients(model.module, inputs, targets)
    with model.no_sync():
        own = gradients(model, inputs[mine], targets[mine])
    averaged = gradients(model, inputs[mine], targets[mine])
    model.zero_grad()

    apart, together = same_everywhere([own]), same_everywhere([averaged])
    report(f"gradients equal on all processes: in no_sync {apart}, else {together}")
    equal = torch.allclose(averaged, whole, atol=1e-6)
    report(f"they equal the gradients of the whole batch: {equal}")


# endregion


# region run
def work(device: torch.device, epochs: int) -> None:
    """Train a model and report on it, as one of the processes of the group."""
    count, backend = dist.get_world_size(), dist.get_backend()
    report(f"processes: {count}, backend {backend}, rank 0 on {device}")
    torch.manual_seed(SEED + dist.get_rank())  # other weights in each process: DDP makes them equal
    model = make_model().to(device)
    parameters = list(model.parameters())

    before = same_everywhere(parameters)
    parallel = DistributedDataParallel(model, [device] if device.type == "cuda" else None)
    after = same_everywhere(parameters)
    report(f"parameters equal on all processes: before DDP {before}, after {after}")

    data = make_data()
    check_gradients(parallel, data, device)
    train(parallel, data, device, epochs)
    report(f"parameters equal on all processes after training: {same_everywhere(parameters)}")


def run(place: Place, options: Options) -> None:
    """Join the other processes, work, and leave them."""
    with process_group(place, options.backend) as device:
        work(device, options.epochs)


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
        description="Train a small model with DistributedDataParallel.",
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
    parser.add_argument("--epochs", type=positive, default=3, metavar="N", help="passes over the data (default: 3)")
    return Options(**vars(parser.parse_args(arguments)))


# endregion


if __name__ == "__main__":
    chosen = parse_arguments()
    if dist.is_torchelastic_launched():
        run(place_from_torchrun(), chosen)
    else:
        start_processes(chosen)
