"""Models that train on the simulated GPU have the losses that they have on the CPU."""

from __future__ import annotations

from collections.abc import Callable

import pytest

pytestmark = pytest.mark.cuda_build
Simulated = Callable[..., str]

TRAIN = """
import torch
from torch import nn

def losses(make, device):
    torch.manual_seed(0)
    model, inputs, targets = make(), INPUTS, torch.randint(3, (8,))
    model.to(device)
    optimizer = torch.optim.AdamW(model.parameters(), lr=0.01)
    for _ in range(3):
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(model(inputs.to(device)), targets.to(device))
        loss.backward()
        optimizer.step()
        yield loss.item()

class Last(nn.Module):
    def __init__(self, layer):
        super().__init__()
        self.layer, self.out = layer, nn.Linear(10, 3)

    def forward(self, x):
        return self.out(self.layer(x)[0][:, -1])

make = lambda: MODEL
on_cpu, on_gpu = list(losses(make, "cpu")), list(losses(make, "cuda"))
torch.testing.assert_close(torch.tensor(on_gpu), torch.tensor(on_cpu))
assert on_cpu[0] != on_cpu[2]
print("equal")
"""

MODELS = {
    "a multilayer perceptron": ("nn.Sequential(nn.Linear(6, 16), nn.ReLU(), nn.Linear(16, 3))", "torch.randn(8, 6)"),
    "a convolutional network with batch norm": (
        "nn.Sequential(nn.Conv2d(3, 6, 3), nn.BatchNorm2d(6), nn.ReLU(), nn.Conv2d(6, 6, 3, groups=6), "
        "nn.MaxPool2d(2), nn.Flatten(), nn.Linear(54, 3))",
        "torch.randn(8, 3, 10, 10)",
    ),
    "a transformer with fused attention": (
        "nn.Sequential(nn.TransformerEncoderLayer(8, 2, 16, dropout=0.0, batch_first=True), nn.Flatten(), "
        "nn.Linear(40, 3))",
        "torch.randn(8, 5, 8)",
    ),
    "an LSTM": ("Last(nn.LSTM(4, 5, 2, batch_first=True, bidirectional=True))", "torch.randn(8, 5, 4)"),
    "a GRU": ("Last(nn.GRU(4, 5, batch_first=True, bidirectional=True))", "torch.randn(8, 5, 4)"),
}


@pytest.mark.parametrize("model", MODELS)
def test_losses_are_those_of_the_cpu(simulated: Simulated, model: str) -> None:
    """Forward, backward and the optimizer's step are computed, whatever kernels CUDA has for them."""
    code, inputs = MODELS[model]
    assert simulated(TRAIN.replace("MODEL", code).replace("INPUTS", inputs)) == "equal\n"


def test_data_parallel_computes_in_its_threads(simulated: Simulated) -> None:
    """DataParallel calls operators from threads of its own, and gathers gradients on the first GPU."""
    program = """
import torch
layer = torch.nn.Linear(3, 2).cuda()
inputs = torch.randn(8, 3, device="cuda")
outputs = torch.nn.DataParallel(layer)(inputs)
torch.testing.assert_close(outputs, layer(inputs))
outputs.sum().backward()
torch.testing.assert_close(layer.weight.grad, inputs.sum(0).expand(2, 3))
print(outputs.device)
"""
    assert simulated(program, "--gpus", "2") == "cuda:0\n"
