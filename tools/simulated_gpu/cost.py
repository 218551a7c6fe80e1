"""Measure what a training step costs on a simulated GPU, against the CPU.

python -m simulated_gpu tools/simulated_gpu/cost.py
"""

from __future__ import annotations

import copy
import statistics
import time
from collections.abc import Callable

import torch
from torch import Tensor, nn

CONVOLUTION = nn.Sequential(nn.Conv2d(3, 16, 3), nn.BatchNorm2d(16), nn.ReLU(), nn.MaxPool2d(2))
NETWORKS: dict[str, tuple[nn.Module, tuple[int, ...]]] = {
    "MLP": (nn.Sequential(nn.Linear(64, 256), nn.ReLU(), nn.Linear(256, 10)), (64, 64)),
    "CNN": (nn.Sequential(CONVOLUTION, nn.Flatten(), nn.Linear(3600, 10)), (16, 3, 32, 32)),
    "transformer": (nn.TransformerEncoderLayer(64, 4, 128, dropout=0.0, batch_first=True), (8, 32, 64)),
    "LSTM": (nn.LSTM(32, 64, 2), (20, 16, 32)),
}
"""Each with the shape of its input."""


def main() -> None:
    """Print milliseconds of processor time a step for each network and optimizer, and the quotient."""
    torch.set_num_threads(1)
    print(f"{'ms a step':18}{'CPU':>6}{'simulated':>12}{'times':>8}")
    for name, (model, shape) in NETWORKS.items():
        for optimizer in torch.optim.SGD, torch.optim.Adam:
            cpu, gpu = _milliseconds([_step(model, torch.randn(shape), optimizer, to) for to in ("cpu", "cuda")])
            print(f"{name + ', ' + optimizer.__name__:18}{cpu:6.2f}{gpu:12.2f}{gpu / cpu:8.2f}")


def _milliseconds(steps: list[Callable[[], None]]) -> list[float]:
    """Return the median of each, in turns: what else the machine does then falls on all of them."""
    times: list[list[float]] = [[] for _ in steps]
    for i in range(60):
        for step, spent in zip(steps, times, strict=True):
            start = time.process_time()
            step()
            if i >= 10:
                spent.append(time.process_time() - start)
    return [1000 * statistics.median(spent) for spent in times]


def _step(model: nn.Module, x: Tensor, make: Callable[..., torch.optim.Optimizer], device: str) -> Callable[[], None]:
    model, x = copy.deepcopy(model).to(device), x.to(device)
    optimizer = make(model.parameters(), lr=0.01)

    def step() -> None:
        made = model(x)
        loss = (made[0] if isinstance(made, tuple) else made).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        loss.item()

    return step


if __name__ == "__main__":
    main()
