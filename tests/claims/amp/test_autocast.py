"""Autocast: what it converts, keeps and caches."""

from __future__ import annotations

import threading

import pytest
import torch
import torch.nn.functional as F
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor, nn

from claims.claimlib import claim, close, raises, refuses, same

LOW = pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16], ids=str)


@claim(
    "Wrap the forward pass and the loss, and leave the rest of the loop as it is.",
    "The model's output is `bfloat16`, the loss is `float32`.",
)
@pytest.mark.parametrize(
    "loss", [F.mse_loss, F.l1_loss, F.cross_entropy, F.binary_cross_entropy_with_logits, F.smooth_l1_loss]
)
def test_output_and_loss(loss: object, device: torch.device) -> None:
    model, x = nn.Linear(4, 4).to(device), torch.rand(4, 4, device=device)
    with torch.autocast(device.type, dtype=torch.bfloat16):
        output = model(x)
        assert output.dtype == torch.bfloat16
        assert loss(output, x).dtype == torch.float32


@claim("Parameters, their gradients and the optimizer's state keep their dtype.")
@LOW
@pytest.mark.parametrize("name", ["SGD", "Adam", "AdamW", "RMSprop", "Adagrad"])
def test_what_keeps_its_dtype(name: str, dtype: torch.dtype, device: torch.device) -> None:
    model = nn.Sequential(nn.Linear(4, 4), nn.LayerNorm(4), nn.Linear(4, 1)).to(device)
    optimizer = getattr(torch.optim, name)(model.parameters(), lr=0.1)
    with torch.autocast(device.type, dtype=dtype):
        loss = model(torch.rand(2, 4, device=device)).float().sum()
    loss.backward()
    optimizer.step()
    states = [value for state in optimizer.state.values() for value in state.values() if isinstance(value, Tensor)]
    assert {x.dtype for parameter in model.parameters() for x in (parameter, parameter.grad)} == {torch.float32}
    assert {x.dtype for x in states} <= {torch.float32}


@claim("The layer used `bfloat16` copies of its input and its weight.")
def test_saved_copies() -> None:
    saved: list[torch.dtype] = []
    layer = nn.Linear(4, 4)
    with (
        torch.autograd.graph.saved_tensors_hooks(lambda x: saved.append(x.dtype) or x, lambda x: x),
        torch.autocast("cpu", dtype=torch.bfloat16),
    ):
        layer(torch.rand(2, 4, requires_grad=True))
    assert set(saved) == {torch.bfloat16}


@claim("Autocast ignores tensors of other device types, and moves none.")
@LOW
def test_other_devices(dtype: torch.dtype, device: torch.device) -> None:
    with torch.autocast("xpu", dtype=dtype):
        x = torch.rand(2, 2, device=device)
        assert ((x @ x).dtype, (x @ x).device.type) == (torch.float32, device.type)


@claim("`bfloat16` has the largest error, `float32` the smallest.")
@given(st.integers(0, 20))
def test_errors(seed: int) -> None:
    torch.manual_seed(seed)
    layer, x = nn.Linear(64, 64), torch.randn(64, 64)
    with torch.no_grad():
        exact = F.linear(x.double(), layer.weight.double(), layer.bias.double())
        errors = [(layer(x).double() - exact).abs().mean()]
        for dtype in (torch.float16, torch.bfloat16):
            with torch.autocast("cpu", dtype=dtype):
                errors.append((layer(x).double() - exact).abs().mean())
    assert errors == sorted(errors)


@claim(
    "Each backward operation runs in the dtype of its forward operation.",
    "The gradient of a 16-bit value has 16 bits, that of a parameter is `float32`.",
)
@LOW
def test_backward(dtype: torch.dtype) -> None:
    layer = nn.Linear(4, 4)
    with torch.autocast("cpu", dtype=dtype):
        output = layer(torch.rand(2, 4))
    output.retain_grad()
    output.float().sum().backward()
    assert (output.grad.dtype, layer.weight.grad.dtype) == (dtype, torch.float32)


@claim(
    "The next smaller `bfloat16` number is 0.996, so 0.999 rounds back to 1.",
    "That halves their memory, but small updates get lost.",
)
@given(st.floats(1e-6, 0.0019))
def test_lost_updates(update: float) -> None:
    assert torch.nextafter(
        torch.tensor(1.0, dtype=torch.bfloat16), torch.tensor(0.0, dtype=torch.bfloat16)
    ).item() == pytest.approx(0.99609375)
    weight = torch.ones(1, dtype=torch.bfloat16)
    for _ in range(10):
        weight -= update
    assert weight.item() == 1


@claim(
    "Inside a region with `enabled=False`, operations compute in the dtypes of their inputs.",
    "Without `.float()` the head raises an error.",
)
@LOW
def test_enabled_false(dtype: torch.dtype, device: torch.device) -> None:
    x = torch.rand(2, 2, device=device)
    with torch.autocast(device.type, dtype=dtype):
        low = x @ x
        with torch.autocast(device.type, enabled=False):
            assert (x @ x).dtype == torch.float32
            assert (low @ low).dtype == dtype
            assert refuses(torch.matmul, low, x)
        assert (x @ x).dtype == dtype


@claim("A tensor keeps its dtype when the region ends.", "A new thread starts without autocast.")
@LOW
def test_leaving(dtype: torch.dtype) -> None:
    seen: list[bool] = []
    with torch.autocast("cpu", dtype=dtype):
        x = torch.rand(2, 2) @ torch.rand(2, 2)
        thread = threading.Thread(target=lambda: seen.append(torch.is_autocast_enabled("cpu")))
        thread.start()
        thread.join()
    assert x.dtype == dtype
    assert seen == [False]


def copies(layer: nn.Linear, weight: Tensor | None = None, **options: bool) -> int:
    """How many copies of a weight autograd saves in three calls."""
    kept: list[Tensor] = []
    x = torch.rand(2, 3, requires_grad=True)
    with (
        torch.autograd.graph.saved_tensors_hooks(lambda x: kept.append(x) or x, lambda x: x),
        torch.autocast("cpu", dtype=torch.bfloat16, **options),
    ):
        for _ in range(3):
            F.linear(x, layer.weight if weight is None else weight)
    return len({saved.untyped_storage().data_ptr() for saved in kept if saved.numel() == 12})


@claim(
    "Autocast converts a `float32` parameter that requires gradients once, and keeps the copy until the outermost region ends.",
    "With the cache, all three calls share one copy.",
    "It converts a frozen parameter, a slice of a parameter, and any parameter under `inference_mode()` (not in PyTorch 2.9), in each call.",
)
def test_weight_cache() -> None:
    layer = nn.Linear(3, 4)
    assert copies(layer) == 1
    assert copies(layer, cache_enabled=False) == 3
    assert copies(nn.Linear(3, 4).requires_grad_(False)) == 3
    wide = nn.Linear(3, 8)
    assert copies(layer, wide.weight[:4]) == 3


@claim("`torch.clear_autocast_cache()` empties the cache.")
def test_stale_weight() -> None:
    layer, x = nn.Linear(2, 2, bias=False), torch.ones(1, 2)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        before = layer(x)
        with torch.no_grad():
            layer.weight.zero_()
        same(layer(x), before)
        torch.clear_autocast_cache()
        close(layer(x), torch.zeros(1, 2).bfloat16())


@claim(
    "The default depends on the device type.",
    '`torch.autocast("cuda")` computes in `float16`, and training in `float16` needs a scaler.',
)
def test_default_dtypes() -> None:
    assert torch.get_autocast_dtype("cuda") == torch.float16
    assert torch.get_autocast_dtype("cpu") == torch.bfloat16


@claim("NumPy has no `bfloat16`, so it needs the conversion in any case.")
def test_numpy() -> None:
    x = torch.ones(2, dtype=torch.bfloat16)
    raises("unsupported ScalarType BFloat16", x.numpy)
    assert x.float().numpy().tolist() == [1, 1]
    assert torch.ones(2, dtype=torch.float16).numpy().dtype == "float16"


@claim(
    "To train, do not convert with `half()`: `GradScaler` refuses such gradients, or with a fused optimizer takes them in silence."
)
@pytest.mark.parametrize("fused", [False, True])
def test_half(fused: bool) -> None:
    layer, scaler = nn.Linear(2, 1).half(), torch.amp.GradScaler("cpu", init_scale=4.0)
    optimizer = torch.optim.SGD(layer.parameters(), lr=0.1, fused=fused)
    scaler.scale(layer(torch.ones(1, 2).half()).sum()).backward()
    if fused:
        scaler.step(optimizer)
    else:
        raises("Attempting to unscale FP16 gradients", scaler.step, optimizer)


@claim("The cache does not notice when a weight changes inside a region: the model then keeps using the old weight.")
@pytest.mark.parametrize("cached", [True, False])
def test_old_weight(cached: bool) -> None:
    layer, x = nn.Linear(1, 1, bias=False), torch.ones(1, 1)
    with torch.autocast("cpu", dtype=torch.bfloat16, cache_enabled=cached):
        before = layer(x)
        with torch.no_grad():
            layer.weight.add_(100)
        assert (layer(x) == before).item() is cached
    with torch.autocast("cpu", dtype=torch.bfloat16):
        assert layer(x).item() > 90


@claim("`enabled=False` turns the region off, because `float32` is no dtype for autocast.")
def test_float32() -> None:
    with torch.autocast("cpu", dtype=torch.float32, enabled=False):
        assert (torch.ones(2, 2) @ torch.ones(2, 2)).dtype == torch.float32
    with pytest.warns(UserWarning, match="not supported"), torch.autocast("cpu", dtype=torch.float32):
        assert (torch.ones(2, 2) @ torch.ones(2, 2)).dtype == torch.float32
