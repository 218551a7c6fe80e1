"""Train a small classifier in mixed precision: autocast in the forward pass, loss scaling where float16 needs it.

The task is to tell the dark from the light squares of a chessboard. The points are made here from a fixed seed, so
nothing is downloaded, and every run on one device prints the same report.

    python snippets/train_amp.py
    python snippets/train_amp.py --device cpu --dtype float16 --steps 500
"""

import argparse
import sys
from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor, nn

SEED = 42
BATCH = 256
DTYPES = {"float32": torch.float32, "bfloat16": torch.bfloat16, "float16": torch.float16}


# region options
@dataclass(frozen=True)
class Options:
    """What the command line can change.

    Attributes:
        device: where model and data live.
        dtype: what autocast computes in; torch.float32 turns it off.
        steps: how often the model is updated.
    """

    device: torch.device
    dtype: torch.dtype
    steps: int = 200

    @property
    def autocast(self) -> bool:
        """Whether the forward pass runs in mixed precision."""
        return self.dtype != torch.float32

    @property
    def scaling(self) -> bool:
        """Whether the loss is scaled, which only the narrow range of float16 needs."""
        return self.dtype == torch.float16


# endregion


def make_chessboard(count: int) -> tuple[Tensor, Tensor]:
    """Draw points of a board of 4 by 4 squares from the CPU's random numbers.

    Returns:
        Points of shape (count, 2) in float32, from -1 to 1, and their color, of shape (count,) in int64.
    """
    points = torch.rand(count, 2) * 2 - 1
    squares = ((points + 1) * 2).long()
    return points, squares.sum(dim=1) % 2


def make_model(width: int = 64) -> nn.Module:
    """Return a network that maps points of shape (batch, 2) to one score a color, of shape (batch, 2)."""
    return nn.Sequential(
        nn.Linear(2, width),
        nn.ReLU(),
        nn.Linear(width, width),
        nn.ReLU(),
        nn.Linear(width, 2),
    )


# region step
def train_step(
    model: nn.Module,
    batch: tuple[Tensor, Tensor],
    optimizer: torch.optim.Optimizer,
    scaler: torch.amp.GradScaler,
    options: Options,
) -> Tensor:
    """Update the model once and return the mean loss of the batch, in nats, without waiting for it."""
    points, labels = batch
    with torch.autocast(options.device.type, dtype=options.dtype, enabled=options.autocast):
        loss = nn.functional.cross_entropy(model(points), labels)
    optimizer.zero_grad()
    scaler.scale(loss).backward()
    scaler.step(optimizer)
    scaler.update()
    return loss.detach()


# endregion


@torch.inference_mode()
def accuracy(model: nn.Module, points: Tensor, labels: Tensor, options: Options) -> float:
    """Return the fraction of points, from 0 to 1, whose own color has the higher score."""
    with torch.autocast(options.device.type, dtype=options.dtype, enabled=options.autocast):
        scores = model(points)
    right: float = (scores.argmax(dim=1) == labels).sum().item()
    return right / len(labels)


def steps_taken(optimizer: torch.optim.Adam) -> int:
    """Return how many steps Adam made; it does not count those that the scaler skipped."""
    counts = [state["step"] for state in optimizer.state.values()]
    return int(counts[0].item()) if counts else 0


def show_progress(step: int, steps: int, *, erase: bool, width: int = 30) -> None:
    """Redraw a bar on the error stream, or erase it to make room for a line; only if a person watches the stream."""
    if sys.stderr.isatty():
        done = width * step // steps
        bar = "" if erase else f"[{'#' * done}{'.' * (width - done)}] {step}/{steps}"
        print(f"\r\033[K{bar}", end="", file=sys.stderr, flush=True)


def fit(options: Options) -> nn.Module:
    """Train on the device of the options, print a report, and return the trained model."""
    torch.manual_seed(SEED)
    points, labels = (data.to(options.device) for data in make_chessboard(4096))
    test_points, test_labels = (data.to(options.device) for data in make_chessboard(1000))
    model = make_model().to(options.device)
    # Fused, it skips a step on the device; otherwise scaler.step would wait for the device in every iteration.
    optimizer = torch.optim.Adam(model.parameters(), lr=0.02, fused=True)
    scaler = torch.amp.GradScaler(options.device.type, enabled=options.scaling)

    name = str(options.dtype).removeprefix("torch.")
    print(f"{name} on {options.device}, autocast {options.autocast}, loss scaling {options.scaling}")
    # All indices go to the device at once: a copy in each iteration would wait as well.
    batches = torch.randint(len(points), (options.steps, BATCH)).to(options.device)
    for step, chosen in enumerate(batches, start=1):
        loss = train_step(model, (points[chosen], labels[chosen]), optimizer, scaler, options)
        report = step == options.steps or step % 50 == 0
        show_progress(step, options.steps, erase=report)
        if report:
            print(f"step {step:4}: training loss {loss.item():.2f}")

    share = accuracy(model, test_points, test_labels, options)
    print(f"test accuracy {share:.0%}, parameters in {next(model.parameters()).dtype}")
    if options.scaling:
        print(f"loss scale {scaler.get_scale():.0f}, steps skipped {options.steps - steps_taken(optimizer)}")
    return model


def best_device() -> torch.device:
    """Return the accelerator of this machine, or the CPU where there is none."""
    return torch.accelerator.current_accelerator(check_available=True) or torch.device("cpu")


def pick_dtype(device: torch.device) -> torch.dtype:
    """Return bfloat16 where a GPU computes in it, float16 on older ones with tensor cores, and else float32."""
    if device.type == "cpu":
        return torch.float32  # on many CPUs 16 bits are slower
    if device.type == "cuda":
        with torch.cuda.device(device):
            if not torch.cuda.is_bf16_supported(including_emulation=False):
                return torch.float16 if torch.cuda.get_device_capability() >= (7, 0) else torch.float32
    return torch.bfloat16


def device_argument(name: str) -> torch.device:
    """Turn a name such as ``cuda:1`` into a device that is really there.

    Raises:
        argparse.ArgumentTypeError: PyTorch does not know the name, or this machine has no such device.
    """
    try:
        device = torch.device(name)
    except RuntimeError:
        raise argparse.ArgumentTypeError(f"{name!r} is not the name of a device") from None
    best = best_device()
    here = {"cpu": 1} if best.type == "cpu" else {best.type: torch.accelerator.device_count(), "cpu": 1}
    # An index can be negative: torch.device reads cuda:200 as cuda:-56.
    if (device.index or 0) not in range(here.get(device.type, 0)):
        listing = ", ".join(f"{kind} ({count})" for kind, count in here.items())
        raise argparse.ArgumentTypeError(f"{name!r} is not available on this machine, which has: {listing}")
    return device


def steps_argument(text: str) -> int:
    """Turn text into a number of steps.

    Raises:
        argparse.ArgumentTypeError: it is no whole number above 0.
    """
    if not text.isdecimal() or int(text) == 0:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number above 0")
    return int(text)


def parse_arguments(arguments: Sequence[str] | None = None) -> Options:
    """Read the command line; a wrong one ends the program with a message and exit status 2."""
    parser = argparse.ArgumentParser(description="Train a small classifier in mixed precision, on the CPU or on a GPU.")
    parser.add_argument(
        "--device", type=device_argument, default=best_device(), help="cpu, cuda, cuda:1, mps (default: the best here)"
    )
    parser.add_argument(
        "--dtype",
        choices=DTYPES,
        help="what autocast computes in; float32 turns it off, float16 turns loss scaling on (default: bfloat16, or "
        "float16 on a GPU without it)",
    )
    parser.add_argument(
        "--steps", type=steps_argument, default=200, metavar="N", help="updates of the model (default: 200)"
    )
    found = parser.parse_args(arguments)
    dtype = DTYPES[found.dtype] if found.dtype else pick_dtype(found.device)
    return Options(found.device, dtype, found.steps)


if __name__ == "__main__":
    fit(parse_arguments())
