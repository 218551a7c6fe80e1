"""Choosing a device: names, equality, and who follows the default device."""

from __future__ import annotations

import io

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor, nn
from torch.utils.data import DataLoader

from claims.claimlib import claim, refuses, result, same, tensors

TYPES = ["cpu", "cuda", "mps", "xpu", "meta"]
DEVICES = st.builds(
    lambda kind, index: torch.device(kind) if index is None else torch.device(kind, index),
    st.sampled_from(TYPES),
    st.none() | st.integers(0, 9),
)
FACTORIES = {
    "ones": lambda **k: torch.ones(2, **k), "empty": lambda **k: torch.empty(2, **k), "full": lambda **k: torch.full((2,), 1.0, **k), "tensor": lambda **k: torch.tensor([1.0], **k),
    "as_tensor": lambda **k: torch.as_tensor([1.0], **k), "arange": lambda **k: torch.arange(3, **k), "linspace": lambda **k: torch.linspace(0, 1, 3, **k), "eye": lambda **k: torch.eye(2, **k),
    "rand": lambda **k: torch.rand(2, **k), "randint": lambda **k: torch.randint(3, (2,), **k), "randperm": lambda **k: torch.randperm(3, **k), "hann_window": lambda **k: torch.hann_window(3, **k),
    "fftfreq": lambda **k: torch.fft.fftfreq(3, **k), "Linear": lambda **k: nn.Linear(2, 2, **k).weight, "LSTM": lambda **k: nn.LSTM(2, 2, **k).weight_hh_l0, "BatchNorm1d": lambda **k: nn.BatchNorm1d(2, **k).running_mean,
}  # fmt: skip
each_factory = pytest.mark.parametrize("make", FACTORIES.values(), ids=FACTORIES)


@claim(
    "Three calls describe the accelerator, and do not fail without one:",
    "`torch.accelerator.current_accelerator(check_available=False)` returns it as a `torch.device`, or `None`.",
    "`or` replaces `None` by the CPU.",
)
@pytest.mark.parametrize("check", [False, True])
def test_accelerator(check: bool) -> None:
    found = torch.accelerator.current_accelerator(check_available=check)
    assert found is None or isinstance(found, torch.device)
    assert torch.accelerator.is_available() == (torch.accelerator.device_count() > 0)
    assert isinstance(found or torch.device("cpu"), torch.device)


@claim("As `device=` of a tensor or a layer, a string and a `torch.device` do the same.")
@each_factory
@pytest.mark.parametrize("name", ["cpu", "cpu:0", "meta", "cuda:99"])
def test_string_or_device(make: object, name: str) -> None:
    found = [result(lambda d: make(device=d).device, given) for given in (name, torch.device(name))]
    assert found[0] == found[1]


@claim("If you name no device, tensors and models are created on the CPU:")
@each_factory
def test_created_on_the_cpu(make: object) -> None:
    assert make().device.type == "cpu"


@claim(
    "`.to()` leaves the old tensor alone and returns one on the device, so assign its result: see Moving tensors.",
    "A tensor stays where it is until you move it.",
)
@given(tensors())
def test_stays(x: Tensor) -> None:
    before = x.clone()
    assert x.to("meta").device.type == "meta"
    assert x.device.type == "cpu"
    same(x, before)


@claim("The result of an operation is on the device of its inputs, and so is a loss:")
def test_results(device: torch.device) -> None:
    for there in (device, torch.device("meta")):
        x = torch.ones(2, 2, device=there)
        for y in (x + x, x @ x, x.sum(), nn.functional.mse_loss(x, x), nn.functional.cross_entropy(x, x)):
            assert y.device.type == there.type


@claim(
    "This block runs on every machine: given a string, `torch.device` does not look for hardware.",
    "`torch.device` takes a string, or a type and an index.",
)
@given(st.sampled_from(TYPES), st.integers(0, 9))
def test_names(kind: str, index: int) -> None:
    device = torch.device(f"{kind}:{index}")
    assert (device.type, device.index) == (kind, index)
    assert device == torch.device(kind, index)
    assert torch.device(kind).index is None


@claim("Two devices are equal only if their type and their index are equal. A device never equals a string.")
@given(DEVICES, DEVICES)
def test_equality(a: torch.device, b: torch.device) -> None:
    assert (a == b) == ((a.type, a.index) == (b.type, b.index))
    assert a != str(a)


@claim('`torch.device("cuda")` means the current CUDA device and has no index. A tensor on a GPU does have an index.')
def test_index_of_a_tensor(device: torch.device) -> None:
    x = torch.ones(1, device=device)
    assert (x.device.index is None) == (device.type == "cpu")
    assert x.device.type == device.type


@claim(
    "It holds in the thread that calls it, until you change it; `None` goes back to the CPU.",
    "It moves nothing that exists, and takes the place of `torch.set_default_tensor_type`, deprecated since 2.1.",
)
def test_set_default_device() -> None:
    old = torch.ones(1)
    torch.set_default_device("meta")
    try:
        assert torch.ones(1).device.type == "meta"
        assert old.device.type == "cpu"
    finally:
        torch.set_default_device(None)
    assert torch.ones(1).device.type == "cpu"


@claim("Inside it, PyTorch creates tensors and modules on that device.")
@each_factory
def test_context(make: object) -> None:
    with torch.device("meta"):
        inside = make()
    assert (inside.device.type, make().device.type) == ("meta", "cpu")


@claim(
    "an explicit `device=` wins, `from_numpy` shares its memory with NumPy, `*_like` and `new_*` follow their tensor, and `torch.normal` and `torch.Generator` ignore the default."
)
def test_who_does_not_follow() -> None:
    x = torch.ones(1)
    with torch.device("meta"):
        made = [
            torch.ones(1, device="cpu"),
            torch.from_numpy(np.ones(1)),
            torch.zeros_like(x),
            torch.rand_like(x),
            x.new_zeros(1),
            x.new_tensor([1.0]),
            torch.normal(0.0, 1.0, (1,)),
            torch.Generator(),
        ]
    assert {one.device.type for one in made} == {"cpu"}


@claim(
    "`DataLoader(shuffle=True)` creates a generator to draw the order of the samples. As the last line above shows, that generator stays on the CPU. The order itself is drawn on the default device, and a CPU generator cannot draw for a GPU."
)
def test_shuffling() -> None:
    with torch.device("meta"):
        assert refuses(list, DataLoader(range(4), shuffle=True))


@claim("`torch.get_device_module` returns `torch.cuda`, `torch.mps`, `torch.xpu` or `torch.cpu`.")
def test_device_module() -> None:
    for kind in ("cuda", "mps", "xpu", "cpu"):
        assert torch.get_device_module(kind) is getattr(torch, kind)


@claim("`torch.load` ignores it as well: without `map_location` a tensor goes back to the device in the file.")
def test_load_ignores_default() -> None:
    file = io.BytesIO()
    torch.save(torch.ones(2), file)
    file.seek(0)
    with torch.device("meta"):
        assert torch.load(file).device.type == "cpu"
