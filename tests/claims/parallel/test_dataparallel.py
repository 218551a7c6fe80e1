"""`nn.DataParallel`: without a GPU, and on two."""

from __future__ import annotations

import inspect

import pytest
import torch
from torch import Tensor, nn

from claims.claimlib import claim, close, on_two_gpus, refuses, same

no_gpu = pytest.mark.skipif(torch.cuda.is_available(), reason="needs a machine without a GPU")
pytestmark = pytest.mark.filterwarnings(
    "ignore:Attempting to run cuBLAS", "ignore:Was asked to gather along dimension 0"
)


@claim("Without a GPU the wrapper ignores `device_ids` and calls the model.")
@no_gpu
def test_without_a_gpu() -> None:
    model, x = nn.Linear(3, 2), torch.rand(5, 3)
    same(nn.DataParallel(model, device_ids=[0, 1])(x), model(x))


@claim(
    "The wrapper is a separate module, and your model is its attribute `module`.",
    "Without `.module`, the attribute is not found.",
)
def test_module() -> None:
    model = nn.Linear(3, 2)
    wrapped = nn.DataParallel(model)
    assert wrapped.module is model
    assert refuses(lambda: wrapped.in_features)
    assert all(key.startswith("module.") for key in wrapped.state_dict())


@claim(
    "Each call splits every tensor argument along its first dimension, keyword arguments too, copies the model, computes on all GPUs at the same time, and joins the outputs.",
    "The loss covers all outputs, so the sum is the gradient of the whole batch.",
)
@on_two_gpus
@pytest.mark.parametrize("samples", [1, 2, 5, 10])
def test_on_two_gpus(samples: int) -> None:
    seen: list[tuple[str, int]] = []

    class Noting(nn.Linear):
        def forward(self, x: Tensor, *, mask: Tensor) -> Tensor:
            seen.append((str(x.device), len(x)))
            assert len(mask) == len(x)
            return super().forward(x)

    model, x = Noting(3, 2).to("cuda"), torch.rand(samples, 3, device="cuda")
    plain = torch.autograd.grad(nn.functional.linear(x, model.weight, model.bias).square().sum(), model.weight)[0]
    outputs = nn.DataParallel(model, device_ids=[0, 1])(x, mask=torch.ones(samples, device="cuda"))
    outputs.square().sum().backward()
    assert outputs.device.index == 0
    assert sorted(seen) == [(f"cuda:{i}", len(part)) for i, part in enumerate(x.chunk(2))]
    close(model.weight.grad, plain)


@claim("So the running statistics of a `BatchNorm` come from the first GPU's samples only.")
@on_two_gpus
def test_batch_norm() -> None:
    norm, x = nn.BatchNorm1d(1, momentum=1.0).to("cuda"), torch.arange(8.0, device="cuda")[:, None]
    nn.DataParallel(norm, device_ids=[0, 1])(x)
    close(norm.running_mean, x[:4].mean(dim=0))


@claim(
    "The copies are discarded after the pass, with everything that `forward` assigned to `self`. Without copies, on the CPU or one GPU, it stays."
)
@pytest.mark.parametrize("gpus", [1, pytest.param(2, marks=on_two_gpus)])
def test_what_forward_stores(gpus: int) -> None:
    class Counting(nn.Linear):
        calls = 0

        def forward(self, x: Tensor) -> Tensor:
            self.calls += 1
            return super().forward(x)

    cuda = torch.cuda.is_available()
    model = Counting(1, 1).to("cuda" if cuda else "cpu")
    nn.DataParallel(model, device_ids=list(range(gpus)) if cuda else None)(
        torch.rand(4, 1, device="cuda" if cuda else "cpu")
    )
    assert model.calls == (1 if gpus == 1 else 0)


@claim(
    "`batch_size` is the size of the whole batch: each of N GPUs computes about 32 / N samples.",
    "`device_ids` | all GPUs | the GPUs to use",
)
@pytest.mark.parametrize("gpus", [1, 2, 3, 4, 8])
def test_share(gpus: int) -> None:
    shares = [len(part) for part in torch.zeros(32).chunk(gpus)]
    assert sum(shares) == 32
    assert max(shares) - 32 / gpus < 1
    assert inspect.signature(nn.DataParallel).parameters["device_ids"].default is None
    if torch.cuda.is_available():
        assert nn.DataParallel(nn.Linear(1, 1).cuda()).device_ids == list(range(torch.cuda.device_count()))


@claim(
    "The keys of the wrapper's `state_dict` begin with `module.`; those of the model do not.",
    "Save the model without the wrapper.",
)
def test_keys() -> None:
    model = nn.Linear(1, 1)
    wrapped = nn.DataParallel(model)
    assert list(wrapped.state_dict()) == ["module.weight", "module.bias"]
    assert list(wrapped.module.state_dict()) == list(model.state_dict()) == ["weight", "bias"]
