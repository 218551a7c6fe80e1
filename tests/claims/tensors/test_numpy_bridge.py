"""NumPy and PyTorch: what shares memory, and whose name is whose."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from hypothesis import example, given
from hypothesis import strategies as st
from torch import Tensor

from claims.claimlib import INTEGERS, LAYOUTS, claim, close, one_memory, raises, refuses, same, shapes, tensors

KINDS = [torch.float32, torch.float64, torch.float16, *INTEGERS, torch.bool, torch.complex64, torch.complex128]
REAL = [torch.float64, torch.float32, torch.int64]
FULL = shapes(least=1, low=1)
ARRAYS = tensors(dtypes=KINDS, layouts=LAYOUTS[:4]).map(lambda x: x.numpy())
"""Arrays of any shape and dtype, and of any layout that can be written to."""
VECTORS = st.lists(st.floats(-100, 100), min_size=1, max_size=9).map(np.array)


def shares(array: np.ndarray, tensor: Tensor) -> bool:
    """Whether a tensor is on an array's memory."""
    return bool(np.shares_memory(array, tensor.numpy()))


@claim(
    "`from_numpy` and `from_dlpack` share, `tensor` copies, and `as_tensor` and `asarray` share if dtype and device fit (`asarray` copies an array without dimensions).",
    "array | tensor that shares its memory | `torch.from_numpy(array)`",
)
@given(ARRAYS)
@example(np.array(1.0))
def test_share_or_copy(array: np.ndarray) -> None:
    if array.size:
        assert shares(array, torch.from_numpy(array))
        assert shares(array, torch.from_dlpack(array))
        assert shares(array, torch.as_tensor(array))
        assert shares(array, torch.asarray(array)) == (array.ndim > 0)
        assert not shares(array, torch.tensor(array))
        other = torch.int16 if array.dtype != np.int16 else torch.int32
        if array.dtype.kind != "c":
            with np.errstate(all="ignore"):
                assert not shares(array, torch.as_tensor(array, dtype=other))
    same(torch.from_numpy(array), torch.tensor(array))


@claim(
    "tensor on the CPU | array that shares its memory | `tensor.numpy()`",
    "In the other direction, `.copy()` makes an independent array.",
)
@given(tensors(dtypes=KINDS, layouts=LAYOUTS[:4]))
def test_to_numpy_shares(x: Tensor) -> None:
    array = x.numpy()
    assert array.size == 0 or shares(array, x)
    assert not shares(array.copy(), x)
    same(torch.from_numpy(array), x)


@claim(
    "An array keeps its dtype.",
    "The other direction keeps the dtype too, so this array is `float32`, unlike `np.ones(7)`.",
)
@given(tensors(dtypes=KINDS, layouts=LAYOUTS[:4]))
def test_dtype_is_kept(x: Tensor) -> None:
    assert str(x.numpy().dtype) == str(x.dtype).removeprefix("torch.")
    assert torch.from_numpy(x.numpy()).dtype == x.dtype


@claim("`as_tensor` gives no message when it copies.")
@given(ARRAYS)
def test_as_tensor_is_silent(array: np.ndarray) -> None:
    assert torch.as_tensor(array, dtype=torch.complex128).shape == array.shape  # a warning would be an error


@claim("The three ways give the same tensor.")
@given(
    tensors(dtypes=[kind for kind in KINDS if not kind.is_complex], layouts=LAYOUTS[:4], extremes=False).map(
        lambda x: x.numpy()
    )
)
def test_three_ways(array: np.ndarray) -> None:
    x = torch.from_numpy(array)
    same(x.type(torch.float32), x.to(torch.float32))
    same(torch.tensor(array, dtype=torch.float32), x.to(torch.float32))


@claim(
    "With `copy=True`, the code does the same everywhere.",
    "`torch.as_tensor(array, device=device)` takes an array to the device in one call, and shares its memory on a CPU.",
)
def test_on_a_device(device: torch.device) -> None:
    x = torch.ones(3, device=device)
    x.to("cpu", copy=True).numpy()[0] = 5
    assert x.tolist() == [1, 1, 1]
    array = np.ones(3, dtype=np.float32)
    moved = torch.as_tensor(array, device=device)
    array += 1
    assert (moved.tolist() == [2, 2, 2]) == (device.type == "cpu")


@claim(
    "Autograd cannot follow what NumPy does, so `numpy()` raises an error while autograd records. `detach()` returns the same memory without the gradient.",
    "tensor that requires grad | array | `tensor.detach().numpy()`",
)
@given(tensors(dtypes=[torch.float32, torch.float64]))
def test_requires_grad(x: Tensor) -> None:
    w = x.detach().requires_grad_()
    raises("Can't call numpy() on Tensor that requires grad", w.numpy)
    assert x.numel() == 0 or np.shares_memory(w.detach().numpy(), x.detach().numpy())


@claim(
    "tensor on the CPU or a GPU, with or without grad | array | `tensor.numpy(force=True)`",
    "tensor in `bfloat16` | array | `tensor.float().numpy(force=True)`",
    "tensor on a GPU | array | `tensor.cpu().numpy()`",
)
@given(data=st.data())
def test_force(device: torch.device, data: st.DataObject) -> None:
    x = data.draw(tensors(dtypes=KINDS, gradient=True, device=device))
    same(torch.from_numpy(x.numpy(force=True)), x.detach().cpu().resolve_conj())
    same(torch.from_numpy(x.detach().resolve_conj().cpu().numpy()), x.detach().cpu().resolve_conj())
    low = torch.ones(2, dtype=torch.bfloat16, device=device, requires_grad=True)
    assert low.float().numpy(force=True).tolist() == [1, 1]
    assert refuses(low.numpy, force=True)


@claim(
    "Both work on every device that holds data, also for `bfloat16` and 8-bit floats, but `tolist()` takes no sparse tensors."
)
def test_python_numbers(device: torch.device) -> None:
    for dtype in (*KINDS, torch.bfloat16, torch.float8_e4m3fn, torch.float8_e5m2):
        x = torch.ones(2, device=device).to(dtype)
        assert x.tolist() == [1, 1]
        assert x[0].item() == 1
    assert refuses(torch.eye(2, device=device).to_sparse().tolist)


@claim(
    "`axis=1` | `dim=1` | `t.sum(axis=1)` works too",
    "`a.max(axis=1)` | `t.amax(dim=1)` | `t.max(dim=1)` returns values and indices",
)
@given(tensors(shapes(2, 2, low=1), dtypes=REAL, layouts=LAYOUTS[:4], extremes=False))
def test_axis(t: Tensor) -> None:
    a = t.numpy()
    close(torch.as_tensor(a.sum(axis=1)), t.sum(dim=1))
    close(t.sum(axis=1), t.sum(dim=1))
    same(torch.as_tensor(a.max(axis=1)), t.amax(dim=1))


@claim(
    "`a.copy()` | `t.clone()`",
    "`a.astype(np.float32)` | `t.to(torch.float32)` | `to` copies only if needed",
    "`a.size` | `t.numel()` | `t.size()` is the shape",
)
@given(tensors(dtypes=KINDS, layouts=LAYOUTS[:4]))
def test_copies_and_sizes(t: Tensor) -> None:
    a = t.numpy()
    np.testing.assert_array_equal(a.copy(), t.clone().numpy())
    assert a.size == t.numel()
    assert t.size() == t.shape == a.shape
    if not t.is_complex():
        with np.errstate(all="ignore"):
            np.testing.assert_array_equal(a.astype(np.float32), t.to(torch.float32).numpy())
        assert one_memory(t.to(torch.float32), t) == (t.dtype == torch.float32)


@claim(
    "`a.transpose(2, 0, 1)` | `t.permute(2, 0, 1)` | `t.transpose(0, 1)` swaps two dimensions",
    "`np.expand_dims(a, 0)` | `t.unsqueeze(0)`",
    "`np.concatenate` | `torch.cat` | `torch.concatenate` exists too",
)
@given(tensors(shapes(3, 3), dtypes=KINDS, layouts=LAYOUTS[:4]))
def test_shapes(t: Tensor) -> None:
    a = t.numpy()
    np.testing.assert_array_equal(a.transpose(2, 0, 1), t.permute(2, 0, 1).numpy())
    np.testing.assert_array_equal(a.transpose(1, 0, 2), t.transpose(0, 1).numpy())
    np.testing.assert_array_equal(np.expand_dims(a, 0), t.unsqueeze(0).numpy())
    for join in (torch.cat, torch.concatenate):
        np.testing.assert_array_equal(np.concatenate([a, a]), join([t, t]).numpy())


@claim("`np.repeat(a, 2)` | `t.repeat_interleave(2)` | `np.tile(a, 2)` is `t.tile(2)`, for a vector also `t.repeat(2)`")
@given(tensors(FULL, dtypes=KINDS, layouts=LAYOUTS[:4]))
def test_repeat(t: Tensor) -> None:
    a = t.numpy()
    np.testing.assert_array_equal(np.repeat(a, 2), t.repeat_interleave(2).numpy())
    np.testing.assert_array_equal(np.tile(a, 2), t.tile(2).numpy())
    if t.ndim == 1:
        same(t.repeat(2), t.tile(2))


@claim(
    "`np.sort(a)` | `t.sort().values` | not for complex numbers",
    "`a[::-1]` | `t.flip(0)` | `flip` copies; more on indexing",
)
@given(tensors(FULL, dtypes=[kind for kind in KINDS if not kind.is_complex], layouts=LAYOUTS[:4]))
def test_sort(t: Tensor) -> None:
    np.testing.assert_array_equal(np.sort(t.numpy()), t.sort().values.numpy())
    np.testing.assert_array_equal(t.numpy()[::-1], t.flip(0).numpy())
    assert refuses(torch.ones(2, dtype=torch.complex64).sort)


@claim(
    "`np.std(a)` | `t.std(correction=0)` | `t.std()` divides by `n - 1`; no integers",
    "`np.median(a)` | `t.quantile(0.5)`",
)
@given(VECTORS)
def test_std_and_median(a: np.ndarray) -> None:
    t = torch.from_numpy(a)
    assert t.std(correction=0).item() == pytest.approx(np.std(a))
    assert t.quantile(0.5).item() == pytest.approx(np.median(a))
    assert refuses(t.long().std)


@claim("`np.split(a, 2)`: 2 equal parts | `t.tensor_split(2)`: 2 parts | `t.split(2)`: parts of size 2")
@given(st.integers(1, 9))
def test_split(n: int) -> None:
    a = np.arange(2 * n)
    for part, other in zip(np.split(a, 2), torch.from_numpy(a).tensor_split(2), strict=True):
        np.testing.assert_array_equal(part, other.numpy())
    assert {len(part) for part in torch.from_numpy(a).split(2)} == {2}


@claim(
    "Use `permute`, not `reshape`, which would mix the channels.",
    "A gray image is an array of shape (height, width), without channels: `torch.from_numpy(gray)[None].float() / 255` adds the dimension, and `.squeeze(0)` takes the place of the `permute` on the way back.",
)
@given(st.integers(1, 4), st.integers(1, 4))
def test_images(height: int, width: int) -> None:
    gray = np.random.default_rng(0).integers(0, 256, (height, width), dtype=np.uint8)
    pixels = torch.from_numpy(gray)[None].float() / 255
    assert pixels.shape == (1, height, width)
    back = (pixels.clamp(0, 1) * 255).round().to(torch.uint8).squeeze(0).numpy(force=True)
    np.testing.assert_array_equal(back, gray)
    image = torch.arange(height * width * 3).reshape(height, width, 3)
    assert torch.equal(image.permute(2, 0, 1), image.reshape(3, height, width)) == (height * width == 1)


@claim(
    "A frame with text in a column raises an error. So does one with booleans next to floats, or with dates.",
    '`frame.to_numpy(dtype="float32")` helps with the booleans, and makes `nan` of the missing values in pandas\' nullable types.',
)
def test_pandas() -> None:
    pd = pytest.importorskip("pandas")
    mixed = pd.DataFrame({"a": [True, False], "b": [1.5, 2.5]})
    for frame in (pd.DataFrame({"a": ["text"]}), mixed, pd.DataFrame({"a": pd.to_datetime(["2024-01-01"])})):
        raises("can't convert np.ndarray", torch.tensor, frame.to_numpy())
    assert torch.tensor(mixed.to_numpy(dtype="float32")).tolist() == [[1, 1.5], [0, 2.5]]
    missing = pd.DataFrame({"a": pd.array([1, None], dtype="Int64")})
    assert torch.tensor(missing.to_numpy(dtype="float32")).isnan().flatten().tolist() == [False, True]


@claim(
    "Autograd does not see such a write: if `backward()` needs the old values, the gradients are wrong without a message."
)
def test_a_write_that_autograd_does_not_see() -> None:
    w = torch.ones(2, requires_grad=True)
    result = w * w
    w.detach().numpy()[:] = 5
    result.sum().backward()
    assert w.grad is not None
    assert w.grad.tolist() == [10, 10]  # 2 at the time of the product
