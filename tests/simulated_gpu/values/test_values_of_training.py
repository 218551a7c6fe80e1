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


def test_a_recurrent_layer_in_evaluation_has_no_backward_pass(simulated: Simulated) -> None:
    """cuDNN keeps nothing for it then, and PyTorch says so. Without cuDNN it has one, and in training."""
    program = """
import mmap, torch
from pathlib import Path
from torch.nn.utils.rnn import pack_sequence
x = torch.randn(3, 2, 4, device="cuda")
packed = pack_sequence([torch.randn(2, 4, device="cuda"), torch.randn(1, 4, device="cuda")])
said = set()
for kind in torch.nn.LSTM, torch.nn.GRU, torch.nn.RNN:
    layer = kind(4, 5).cuda().eval()
    for batch in x, packed:
        made, state = layer(batch)
        state = state[0] if kind is torch.nn.LSTM else state
        for result in (made if batch is x else made.data, state):
            try:
                result.sum().backward(retain_graph=True)
            except RuntimeError as error:
                said.add(str(error).splitlines()[0])
    with torch.backends.cudnn.flags(enabled=False):
        layer(x)[0].sum().backward()
    layer.train()(x)[0].sum().backward()
    with torch.no_grad():
        layer.eval()(x)
with open(Path(torch.__file__).parent / "lib" / "libtorch_cuda.so", "rb") as file:
    library = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    print(said, all(library.find(text.encode()) > 0 for text in said))
"""
    assert simulated(program) == "{'cudnn RNN backward can only be called in training mode'} True\n"


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
