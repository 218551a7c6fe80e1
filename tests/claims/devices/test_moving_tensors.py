"""Moving tensors: what `to` returns, and what is a copy."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor

from claims.claimlib import DTYPES, LAYOUTS, claim, one_memory, raises, refuses, same, shapes, tensors

ANYTHING = st.data()


@claim(
    "`x.to(device)` returns a tensor on `device`, and leaves `x` itself where it was: assign the result.",
    "the tensor on `device` | `x = x.to(device)`",
)
@given(data=ANYTHING)
def test_to(device: torch.device, data: st.DataObject) -> None:
    x = data.draw(tensors())
    for there in (device, torch.device("meta")):
        y = x.to(there)
        assert (y.device.type, y.shape, y.dtype) == (there.type, x.shape, x.dtype)
        assert x.device.type == "cpu"


@claim(
    "`.to()` returns the tensor itself when device and dtype already match. Only a change, or `copy=True`, makes a new tensor:",
    "a copy even where nothing has to move | `x.to(device, copy=True)`",
    "Calling `.to(device)` again copies nothing.",
)
@given(data=ANYTHING)
def test_itself(device: torch.device, data: st.DataObject) -> None:
    x = data.draw(tensors(device=device))
    for call in (lambda x: x.to(device), lambda x: x.to(x.dtype), lambda x: x.to(x.device, x.dtype), lambda x: x.to(x)):
        assert call(x) is x
    assert not one_memory(x.to(device, copy=True), x)
    other = torch.float16 if x.dtype != torch.float16 else torch.complex64
    if not x.dtype.is_complex:
        assert not one_memory(x.to(other), x)


@claim(
    "the tensor on the device, and with the dtype, of another tensor | `x = x.to(other)`",
    "a new dtype as well | `x = x.to(device, torch.float16)`",
    "Give both device and dtype. Positional arguments come in that order.",
)
@pytest.mark.filterwarnings("ignore:Casting complex values to real discards")
@given(data=ANYTHING)
def test_both(device: torch.device, data: st.DataObject) -> None:
    x, other = data.draw(tensors(extremes=False)), data.draw(tensors(device=device))
    y = x.to(other)
    assert (y.device, y.dtype, y.shape) == (other.device, other.dtype, x.shape)
    same(x.to(other.device, other.dtype), y)
    assert refuses(x.to, torch.float16, device)


@claim("A result is on the device of its inputs:")
@given(data=ANYTHING)
def test_results(device: torch.device, data: st.DataObject) -> None:
    x = data.draw(tensors(dtypes=[torch.float32], device=device))
    for there in (x, x.to("meta")):
        assert {y.device for y in (there + 1, there.sum(), there * there, there.reshape(-1), there.exp())} == {
            there.device
        }


@claim(
    "a new tensor on the same device as `x` | `torch.zeros(3, device=x.device)`, `torch.zeros_like(x)`, `x.new_zeros(3)`"
)
@given(tensors())
def test_same_device(x: Tensor) -> None:
    there = x.to("meta")
    assert {y.device for y in (torch.zeros(3, device=there.device), torch.zeros_like(there), there.new_zeros(3))} == {
        there.device
    }


@claim(
    "A move does not change values. What comes back is equal, bit for bit (a `nan` comes back as `nan`, which `torch.equal` never calls equal):",
    'the tensor back on the CPU | `x.cpu()` or `x.to("cpu")`',
)
@given(data=ANYTHING)
def test_there_and_back(device: torch.device, data: st.DataObject) -> None:
    x = data.draw(tensors())
    same(x.to(device).cpu(), x)
    same(x.to(device).to("cpu"), x)


@claim("a NumPy array | `x.detach().cpu().numpy()`", "one Python number | `x.item()`")
@given(data=ANYTHING)
def test_out_of_pytorch(device: torch.device, data: st.DataObject) -> None:
    x = data.draw(
        tensors(
            dtypes=[dtype for dtype in DTYPES if dtype != torch.bfloat16],
            layouts=LAYOUTS[:5],
            gradient=True,
            device=device,
        )
    )
    np.testing.assert_array_equal(
        x.detach().cpu().numpy(), np.array(x.tolist(), dtype=x.detach().cpu().numpy().dtype).reshape(x.shape)
    )
    if x.numel() == 1:
        assert x.item() == x.flatten().tolist()[0] or x.isnan().all()


@claim("`.numpy(force=True)` detaches, moves to the CPU and resolves lazy conjugation in one call.")
@given(data=ANYTHING)
def test_force(device: torch.device, data: st.DataObject) -> None:
    x = data.draw(tensors(dtypes=[torch.complex64, torch.float32], gradient=True, device=device))
    np.testing.assert_array_equal(x.numpy(force=True), x.detach().cpu().resolve_conj().numpy())


@claim(
    "A view shares the storage of its base. A copy of a view gets a storage of its own, which holds only the elements of the view:",
    "An expanded tensor stores one value and shows it many times. A copy writes all of them out:",
)
@given(data=ANYTHING)
def test_views(device: torch.device, data: st.DataObject) -> None:
    x = data.draw(tensors(shapes(least=1, low=1), layouts=LAYOUTS[:5], device=device))
    view = x[:1]
    assert one_memory(view, x)
    copy = view.to(device, copy=True)
    assert copy.untyped_storage().nbytes() in (copy.nbytes, view.untyped_storage().nbytes())
    wide = torch.ones(1, device=device).expand(1000)
    assert (wide.untyped_storage().nbytes(), wide.contiguous().untyped_storage().nbytes()) == (4, 4000)


@claim(
    "If you move two views one by one, they no longer share memory. Move the base, and take the views on the device:"
)
@given(st.integers(2, 5))
def test_two_views(n: int) -> None:
    base = torch.ones(n, 3)
    first, second = (row.to("cpu", copy=True) for row in base[:2])
    assert not one_memory(first, second)
    there = base.to("cpu", copy=True)
    assert one_memory(there[0], there[1])


@claim(
    "Autograd, the part of PyTorch that computes gradients, records `.to()` like any other operation. Gradients flow back through it, across devices, to the tensor that you started with.",
    "On a GPU `moved` is a result, not a leaf: it gets no `.grad` of its own, and an optimizer refuses it. A CPU hides the mistake, because nothing moves there.",
)
def test_autograd(device: torch.device) -> None:
    w = torch.ones(3, requires_grad=True)
    moved = w.to(device)
    assert moved.is_leaf == (moved is w) == (device.type == "cpu")
    (moved * 2).sum().backward()
    same(w.grad, torch.full((3,), 2.0))
    if not moved.is_leaf:
        raises("can't optimize a non-leaf Tensor", torch.optim.SGD, [moved])
    assert not w.to(torch.float64).is_leaf


@claim('There is no device called `"gpu"`: that raises.')
def test_no_gpu() -> None:
    raises("device type at start of device string: gpu", torch.ones(1).to, "gpu")


@claim("`.tolist()` does that for any number of elements.")
def test_tolist() -> None:
    assert torch.tensor(1.5).tolist() == 1.5
    assert torch.tensor([1.5]).tolist() == [1.5]
    assert torch.ones(2, 0).tolist() == [[], []]


@claim("NumPy has no `bfloat16`: convert with `.float()` first.")
def test_bfloat16() -> None:
    x = torch.tensor([1.5], dtype=torch.bfloat16)
    assert refuses(x.numpy)
    assert x.float().numpy().tolist() == [1.5]
