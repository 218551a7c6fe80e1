"""The reference of autocast: dtypes of results, nesting, what does not take part."""

from __future__ import annotations

import re
from functools import partial

import pytest
import torch
import torch.nn.functional as F
from torch import nn

from claims.claimlib import claim, refuses

LOW = pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16], ids=str)


@claim('`device_type` | a string such as `"cpu"`, `"cuda"` or `"mps"`; not a `torch.device`')
def test_device_type() -> None:
    assert refuses(torch.autocast, torch.device("cpu"))
    assert not refuses(torch.autocast, "cpu")


@claim(
    "`dtype` | `torch.bfloat16` or `torch.float16`; `None`: that of the region around the call of `torch.autocast`, or else the default of the device type; a decorator, or an instance made earlier, does not ask again"
)
@LOW
def test_nested_dtype(dtype: torch.dtype, device: torch.device) -> None:
    kind = device.type
    made, default = torch.autocast(kind), torch.get_autocast_dtype(kind)

    @torch.autocast(kind)
    def decorated() -> torch.dtype:
        return torch.get_autocast_dtype(kind)

    with torch.autocast(kind, dtype=dtype):
        with torch.autocast(kind):
            assert torch.get_autocast_dtype(kind) == dtype
        with made:
            assert torch.get_autocast_dtype(kind) == default
        assert decorated() == default


@claim("`enabled` | `False`: a region without autocast, also inside another region")
@LOW
def test_enabled(dtype: torch.dtype) -> None:
    with torch.autocast("cpu", dtype=dtype), torch.autocast("cpu", enabled=False):
        assert not torch.is_autocast_enabled("cpu")
    assert torch.amp.autocast is torch.autocast


@claim("`@`, `linear` and this `einsum` compute in 16 bits on both.")
@LOW
def test_products(dtype: torch.dtype, device: torch.device) -> None:
    x = torch.ones(3, 3, device=device)
    with torch.autocast(device.type, dtype=dtype):
        for y in (
            x @ x,
            x[None] @ x[None],
            x @ x[0],
            x[0] @ x[0],
            F.linear(x, x),
            nn.Linear(3, 3, device=device)(x),
            torch.einsum("ij,jk->ik", x, x),
        ):
            assert y.dtype == dtype


@claim(
    'An `einsum` that multiplies or adds without a sum of products, such as `"i,j->ij"`, `"ij,ij->ij"` or `"ij->j"`, stays in `float32` on the CPU.'
)
@LOW
def test_einsum(dtype: torch.dtype, device: torch.device) -> None:
    x = torch.ones(3, 3, device=device)
    with torch.autocast(device.type, dtype=dtype):
        for y in (torch.einsum("i,j->ij", x[0], x[0]), torch.einsum("ij,ij->ij", x, x), torch.einsum("ij->j", x)):
            assert (y.dtype == torch.float32) == (device.type == "cpu")


@claim("`softmax`, `layer_norm`, `exp` and `sum` compute in `float32` on CUDA, but follow their input on the CPU.")
@LOW
def test_float32_on_cuda(dtype: torch.dtype, device: torch.device) -> None:
    x = torch.ones(3, 3, device=device, dtype=dtype)
    with torch.autocast(device.type, dtype=dtype):
        for y in (x.softmax(1), F.layer_norm(x, (3,)), x.exp(), x.sum()):
            assert y.dtype == (dtype if device.type == "cpu" else torch.float32)


@claim(
    "One `float32` tensor makes the result of a sum or a concatenation `float32`, until the next product. A 0-d tensor in a sum does not.",
    "Sums and concatenations follow type promotion, `@` and `linear` do not.",
)
@LOW
def test_several_inputs(dtype: torch.dtype, device: torch.device) -> None:
    low, full = torch.ones(3, 3, device=device, dtype=dtype), torch.ones(3, 3, device=device)
    with torch.autocast(device.type, dtype=dtype):
        assert {(low + full).dtype, torch.cat([low, full]).dtype, torch.stack([low, full]).dtype} == {torch.float32}
        assert (low + torch.tensor(1.0, device=device)).dtype == dtype
        assert {(low @ full).dtype, F.linear(low, full).dtype} == {dtype}


@claim(
    "`float64` and integer tensors, in-place operations, calls with `out=`, and calls with `dtype=` do not take part."
)
@LOW
def test_not_converted(dtype: torch.dtype, device: torch.device) -> None:
    x = torch.ones(3, 3, device=device)
    with torch.autocast(device.type, dtype=dtype):
        assert (x.double() @ x.double()).dtype == torch.float64
        assert x.clone().addmm_(x, x).dtype == torch.float32
        assert torch.mm(x, x, out=torch.empty_like(x)).dtype == torch.float32
        assert x.to(dtype).prod(0, dtype=dtype).dtype == dtype
        if device.type == "cpu":
            assert (x.long() @ x.long()).dtype == torch.int64


@claim(
    "Not with autocast: it is made for 16-bit types, and on the CPU it warns about others and computes without autocast."
)
@pytest.mark.parametrize("dtype", [torch.float8_e4m3fn, torch.float8_e5m2, torch.float32, torch.float64], ids=str)
def test_other_dtypes(dtype: torch.dtype) -> None:
    with pytest.warns(UserWarning, match="the target dtype is not supported"):
        region = torch.autocast("cpu", dtype=dtype)
    with region:
        assert not torch.is_autocast_enabled("cpu")
        assert (torch.ones(2, 2) @ torch.ones(2, 2)).dtype == torch.float32


@claim("`float8` needs scales, because its range is small: `float8_e4m3fn`, used here, ends at 448.")
def test_float8() -> None:
    assert torch.finfo(torch.float8_e4m3fn).max == 448


@claim('On CUDA, `"medium"` and `"high"` both mean TF32, and `"highest"`, the default, means full `float32`.')
@pytest.mark.parametrize(("precision", "tf32"), [("highest", False), ("high", True), ("medium", True)])
def test_precision(precision: str, tf32: bool) -> None:
    before = torch.get_float32_matmul_precision()
    try:
        torch.set_float32_matmul_precision(precision)
        assert torch.backends.cuda.matmul.allow_tf32 == tf32
    finally:
        torch.set_float32_matmul_precision(before)
    assert before == "highest"


@claim(
    "With `cast_inputs=torch.float32`, `custom_fwd` converts floating point inputs (not `float64`), and both methods run without autocast."
)
@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float32, torch.float64, torch.int64], ids=str)
def test_cast_inputs(dtype: torch.dtype) -> None:
    seen: list[object] = []

    class Look(torch.autograd.Function):
        @staticmethod
        @torch.amp.custom_fwd(device_type="cpu", cast_inputs=torch.float32)
        def forward(ctx: object, x: torch.Tensor, other: torch.Tensor) -> torch.Tensor:
            seen.extend([other.dtype, torch.is_autocast_enabled("cpu")])
            return x * 2

        @staticmethod
        @torch.amp.custom_bwd(device_type="cpu")
        def backward(ctx: object, gradient: torch.Tensor) -> tuple[torch.Tensor, None]:
            seen.append(torch.is_autocast_enabled("cpu"))
            return gradient * 2, None

    x, other = torch.ones(2, requires_grad=True), torch.ones(2).to(dtype)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        Look.apply(x, other).sum().backward()
    kept = dtype == torch.float64 or not dtype.is_floating_point
    assert seen == [dtype if kept else torch.float32, False, False]


@claim(
    "`cache_enabled` | whether autocast keeps converted weights until the region ends; `None`: the current setting, which is on by default"
)
def test_cache_setting() -> None:
    assert torch.is_autocast_cache_enabled()
    for given, found in ((None, True), (False, False), (True, True)):
        with torch.autocast("cpu", cache_enabled=given):
            assert torch.is_autocast_cache_enabled() == found


@claim("`torch.amp.autocast` is the same class.")
def test_same_class() -> None:
    assert torch.amp.autocast is torch.autocast


@claim(
    '`torch.cuda.amp.autocast()` | `torch.amp.autocast("cuda")`',
    '`torch.cpu.amp.autocast()` | `torch.amp.autocast("cpu")`',
    '`torch.cuda.amp.GradScaler()` | `torch.amp.GradScaler("cuda")`',
    '`torch.cuda.amp.custom_fwd` | `torch.amp.custom_fwd(device_type="cuda")`',
    '`torch.cuda.amp.custom_bwd` | `torch.amp.custom_bwd(device_type="cuda")`',
)
@pytest.mark.filterwarnings("ignore:.*CUDA is not available")
def test_old_names() -> None:
    old = (
        (torch.cuda.amp.autocast, "torch.amp.autocast('cuda', args...)"),
        (torch.cpu.amp.autocast, "torch.amp.autocast('cpu', args...)"),
        (partial(torch.cuda.amp.GradScaler, enabled=False), "torch.amp.GradScaler('cuda', args...)"),
        (partial(torch.cuda.amp.custom_fwd, len), "torch.amp.custom_fwd(args..., device_type='cuda')"),
        (partial(torch.cuda.amp.custom_bwd, len), "torch.amp.custom_bwd(args..., device_type='cuda')"),
    )
    for call, new in old:
        with pytest.warns(FutureWarning, match=re.escape(new)):
            call()
    assert torch.amp.custom_fwd(device_type="cuda")
    assert torch.amp.custom_bwd(device_type="cuda")
