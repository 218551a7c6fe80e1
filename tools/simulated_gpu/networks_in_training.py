"""Training steps of five small networks: the losses, and the peak of memory of each step."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator
from typing import Any

import torch
from torch import Tensor, nn

PRECISIONS = ("float32", "float16", "bfloat16", "bfloat16 parameters")
BLOCKS = [(64, 64, 1), (64, 64, 1), (64, 128, 2), (128, 128, 1), (128, 256, 2), (256, 256, 1)]
BLOCKS += [(256, 512, 2), (512, 512, 1)]
"""Of ResNet-18: channels in and out, and the stride."""


class Residual(nn.Module):
    """A block of ResNet-18."""

    def __init__(self, inputs: int, outputs: int, stride: int) -> None:
        super().__init__()
        first = nn.Conv2d(inputs, outputs, 3, stride, 1, bias=False), nn.BatchNorm2d(outputs), nn.ReLU()
        self.path = nn.Sequential(*first, nn.Conv2d(outputs, outputs, 3, 1, 1, bias=False), nn.BatchNorm2d(outputs))
        narrower = nn.Sequential(nn.Conv2d(inputs, outputs, 1, stride, bias=False), nn.BatchNorm2d(outputs))
        self.shortcut = nn.Identity() if stride == 1 else narrower

    def forward(self, x: Tensor) -> Tensor:
        return torch.relu(self.path(x) + self.shortcut(x))


class Recurrent(nn.Module):
    """Two recurrent layers, and a classifier of their last state."""

    def __init__(self, layers: type[nn.LSTM | nn.GRU]) -> None:
        super().__init__()
        self.layers, self.classifier = layers(64, 256, 2, batch_first=True), nn.Linear(256, 10)

    def forward(self, x: Tensor) -> Tensor:
        return self.classifier(self.layers(x)[0][:, -1])


def _resnet18() -> nn.Module:
    stem = nn.Conv2d(3, 64, 7, 2, 3, bias=False), nn.BatchNorm2d(64), nn.ReLU(), nn.MaxPool2d(3, 2, 1)
    head = nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(512, 1000)
    return nn.Sequential(*stem, *(Residual(*sizes) for sizes in BLOCKS), *head)


def _transformer() -> nn.Module:
    layer = nn.TransformerEncoderLayer(512, 8, 2048, dropout=0.0, batch_first=True, norm_first=True)
    encoder = nn.TransformerEncoder(layer, 4, enable_nested_tensor=False)
    return nn.Sequential(nn.Embedding(8192, 512), encoder, nn.Linear(512, 8192), nn.Flatten(0, 1))


def _perceptron() -> nn.Module:
    return nn.Sequential(nn.Linear(1024, 4096), nn.ReLU(), nn.Linear(4096, 4096), nn.ReLU(), nn.Linear(4096, 10))


NETWORKS: dict[str, tuple[Callable[[], nn.Module], tuple[int, ...], int]] = {
    "MLP": (_perceptron, (256, 1024), 10),
    "ResNet-18": (_resnet18, (16, 3, 128, 128), 1000),
    "transformer": (_transformer, (8, 256), 8192),
    "LSTM": (lambda: Recurrent(nn.LSTM), (32, 64, 64), 10),
    "GRU": (lambda: Recurrent(nn.GRU), (32, 64, 64), 10),
}
"""How to make it, the shape of its input, and the number of classes."""


def cases() -> Iterator[tuple[str, Callable[[], dict[str, Any]]]]:
    """Each network in each precision, trained with Adam."""
    for name in NETWORKS:
        for precision in PRECISIONS:
            yield f"{name}, {precision}", lambda name=name, precision=precision: _train(name, precision)


def _train(name: str, precision: str) -> dict[str, Any]:
    make, shape, classes = NETWORKS[name]
    gc.collect()
    torch.cuda.empty_cache()
    torch.manual_seed(0)
    before = torch.cuda.memory_allocated()
    dtype = torch.bfloat16 if precision == "bfloat16 parameters" else torch.float32
    model = make().to("cuda", dtype)
    words = name == "transformer"
    x = torch.randint(classes, shape, device="cuda") if words else torch.randn(shape, device="cuda").to(dtype)
    y = torch.randint(classes, (x.numel() if words else len(x),), device="cuda")
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-4)
    scaler = torch.amp.GradScaler("cuda", enabled=precision == "float16")
    lower = getattr(torch, precision.split()[0])
    autocast = torch.autocast("cuda", lower, enabled=precision in ("float16", "bfloat16"))
    losses, peaks = [], []
    for _ in range(4):
        torch.cuda.reset_peak_memory_stats()
        with autocast:
            loss = nn.functional.cross_entropy(model(x), y)
        optimizer.zero_grad()
        scaler.scale(loss).backward()
        scaler.step(optimizer)
        scaler.update()
        losses.append(loss.item())
        peaks.append(torch.cuda.max_memory_allocated() - before)
    return {"losses": losses, "peaks": peaks}
