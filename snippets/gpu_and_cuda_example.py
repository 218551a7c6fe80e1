"""Train a small classifier on the CPU, a CUDA GPU or an Apple GPU (MPS).

The same loop runs on all of them. The task is to tell three interleaved spirals apart.
The points are drawn here from a fixed seed, so nothing is downloaded.

    python snippets/gpu_and_cuda_example.py
    python snippets/gpu_and_cuda_example.py --device cpu --epochs 5 --amp
"""

# region setup
import argparse
import math
from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.utils.data import DataLoader, TensorDataset

SEED = 42
CLASSES = 3

Batches = DataLoader[tuple[Tensor, ...]]


@dataclass(frozen=True)
class Options:
    """What the command line can change.

    Attributes:
        device: where the model lives and every batch is sent.
        epochs: passes over the training data.
        dtype: what autocast computes matrix products in; float32 turns autocast off.
    """

    device: torch.device
    epochs: int = 20
    dtype: torch.dtype = torch.float32

    @property
    def amp(self) -> bool:
        """Whether the forward pass runs under autocast."""
        return self.dtype != torch.float32

    @property
    def scaling(self) -> bool:
        """Whether the loss is scaled, so that small gradients do not become 0 in float16."""
        return self.dtype == torch.float16

    @property
    def pinning(self) -> bool:
        """Whether batches are put into pinned memory, so that Python does not wait for their copy to a CUDA GPU."""
        return self.device.type == "cuda"


# endregion


# region device
def devices_here() -> dict[str, int]:
    """Count the devices of each kind on this machine, an accelerator before the CPU."""
    accelerator = torch.accelerator.current_accelerator(check_available=True)
    if accelerator is None:
        return {"cpu": 1}
    return {accelerator.type: torch.accelerator.device_count(), "cpu": 1}


def best_device() -> torch.device:
    """Return the accelerator of this machine, or the CPU where there is none."""
    return torch.device(next(iter(devices_here())))


def pick_dtype(device: torch.device) -> torch.dtype:
    """Return the dtype for autocast: bfloat16, or float16 on a CUDA GPU that only emulates bfloat16."""
    if device.type == "cuda":
        with torch.cuda.device(device):
            if not torch.cuda.is_bf16_supported(including_emulation=False):
                return torch.float16
    return torch.bfloat16


def device_argument(name: str) -> torch.device:
    """Turn a name such as ``cuda:1`` into a device that is really there.

    Raises:
        argparse.ArgumentTypeError: PyTorch does not know the name, or the machine
            has no such device.
    """
    try:
        device = torch.device(name)
    except RuntimeError:
        raise argparse.ArgumentTypeError(f"{name!r} is not the name of a device") from None
    here = devices_here()
    # An index can be negative: torch.device reads cuda:200 as cuda:-56.
    if (device.index or 0) not in range(here.get(device.type, 0)):
        listing = ", ".join(f"{kind} ({count})" for kind, count in here.items())
        missing = f"{name!r} is not available on this machine"
        raise argparse.ArgumentTypeError(f"{missing}, which has: {listing}")
    return device


# endregion


# region data
def make_spirals(count: int) -> TensorDataset:
    """Draw points of three interleaved spirals from the CPU's random numbers.

    Returns:
        Points of shape (count, 2) in float32 and their spiral, of shape (count,) in int64.
    """
    labels = torch.arange(count) % CLASSES
    radius = torch.rand(count)
    angle = 2 * math.pi / CLASSES * labels + 4 * radius + 0.05 * torch.randn(count)
    points = torch.stack([radius * angle.cos(), radius * angle.sin()], dim=1)
    return TensorDataset(points, labels)


# endregion


# region model
class SpiralClassifier(nn.Module):
    """Map points of shape (batch, 2) to one score a spiral, of shape (batch, 3)."""

    def __init__(self, width: int = 64) -> None:
        super().__init__()
        self.layers = nn.Sequential(
            nn.Linear(2, width),
            nn.ReLU(),
            nn.Linear(width, width),
            nn.ReLU(),
            nn.Linear(width, CLASSES),
        )

    def forward(self, points: Tensor) -> Tensor:
        scores: Tensor = self.layers(points)
        return scores


# endregion


# region train
def train_epoch(
    model: nn.Module,
    batches: Batches,
    optimizer: torch.optim.Optimizer,
    scaler: torch.amp.GradScaler,
    options: Options,
) -> float:
    """Update the model once a batch and return the mean loss of a sample, in nats."""
    model.train()
    seen = 0
    total = torch.zeros((), device=options.device)
    for batch in batches:
        points, labels = (tensor.to(options.device, non_blocking=options.pinning) for tensor in batch)
        with torch.autocast(options.device.type, dtype=options.dtype, enabled=options.amp):
            loss = nn.functional.cross_entropy(model(points), labels)
        optimizer.zero_grad()
        scaler.scale(loss).backward()
        scaler.step(optimizer)
        scaler.update()
        seen += len(points)
        total += loss.detach() * len(points)
    return total.item() / seen


# endregion


# region evaluate
@torch.inference_mode()
def accuracy(model: nn.Module, batches: Batches, options: Options) -> float:
    """Return the share of samples, from 0 to 1, that the model puts on their own spiral."""
    model.eval()
    seen = 0
    correct = torch.zeros((), dtype=torch.int64, device=options.device)
    for batch in batches:
        points, labels = (tensor.to(options.device, non_blocking=options.pinning) for tensor in batch)
        with torch.autocast(options.device.type, dtype=options.dtype, enabled=options.amp):
            scores = model(points)
        seen += len(points)
        correct += (scores.argmax(dim=1) == labels).sum()
    return correct.item() / seen


# endregion


# region fit
def fit(options: Options) -> SpiralClassifier:
    """Train on the device of the options, print a report, and return the trained model."""
    torch.manual_seed(SEED)
    train_batches = DataLoader(make_spirals(768), batch_size=64, shuffle=True, pin_memory=options.pinning)
    test_batches = DataLoader(make_spirals(300), batch_size=100, pin_memory=options.pinning)
    model = SpiralClassifier().to(options.device)
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    scaler = torch.amp.GradScaler(options.device.type, enabled=options.scaling)

    name = str(options.dtype).removeprefix("torch.")
    print(f"device {options.device}, {name}, autocast {options.amp}, loss scaling {options.scaling}")
    for epoch in range(1, options.epochs + 1):
        loss = train_epoch(model, train_batches, optimizer, scaler, options)
        if epoch == options.epochs or epoch % 5 == 0:
            share = accuracy(model, test_batches, options)
            print(f"epoch {epoch:3}: training loss {loss:.2f}, test accuracy {share:.0%}")
    return model


# endregion


# region arguments
def parse_arguments(arguments: Sequence[str] | None = None) -> Options:
    """Read the command line; a wrong one ends the program with a message and exit status 2."""
    parser = argparse.ArgumentParser(
        description="Train a small classifier on the CPU or on a GPU.",
    )
    parser.add_argument(
        "--device",
        type=device_argument,
        default=best_device(),
        help="cpu, cuda, cuda:1, mps (default: the best here)",
    )
    parser.add_argument(
        "--epochs",
        type=int,
        default=20,
        metavar="N",
        help="passes over the data (default: 20)",
    )
    parser.add_argument(
        "--amp",
        action="store_true",
        help="mixed precision: autocast in bfloat16, or in float16 where the GPU lacks it",
    )
    found = parser.parse_args(arguments)
    dtype = pick_dtype(found.device) if found.amp else torch.float32
    return Options(found.device, found.epochs, dtype)


# endregion


if __name__ == "__main__":
    fit(parse_arguments())
