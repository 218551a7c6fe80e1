"""Views, copies and in-place operations: which memory stays alive."""

from __future__ import annotations

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor

from claims.claimlib import claim, one_memory, refuses, same, shapes, tensors


@claim(
    "A view is a window onto the memory of another tensor. It keeps all of that memory alive, however small the window is."
)
@given(tensors(shapes(least=1, low=1)))
def test_views(x: Tensor) -> None:
    view = x[:1]
    assert one_memory(view, x)
    assert view.untyped_storage().nbytes() == x.untyped_storage().nbytes()
    assert view.clone().untyped_storage().nbytes() == view.clone().nbytes


@claim(
    "`expand` shows one piece of memory many times; `repeat` copies it. `nbytes` counts the elements that you see, the storage counts the bytes in memory.",
    "`contiguous()` copies the expanded tensor and brings the bytes back:",
)
@given(st.integers(2, 50))
def test_expand(n: int) -> None:
    x = torch.ones(4, 1)
    wide = x.expand(4, n)
    assert (wide.nbytes, wide.untyped_storage().nbytes()) == (16 * n, 16)
    for copy in (x.repeat(1, n), wide.contiguous()):
        assert copy.untyped_storage().nbytes() == 16 * n


@claim("An in-place operation allocates nothing for its result.")
@pytest.mark.parametrize("name", ["add_", "mul_", "relu_", "sqrt_", "clamp_", "neg_"])
def test_in_place(name: str) -> None:
    x = torch.ones(3, 2)
    before = x.data_ptr()
    arguments = {"add_": (1,), "mul_": (2,), "clamp_": (0, 1)}.get(name, ())
    assert getattr(x, name)(*arguments) is x
    assert x.data_ptr() == before
    assert not one_memory(x, getattr(x, name[:-1])(*arguments))


@claim(
    "Mixing the two orders costs memory: `contiguous()`, `reshape()` and `flatten()` copy here.",
    "`view()` does not copy; it raises an error if the order does not allow a view.",
    "`torch.channels_last` is another order of the same elements, so by itself it saves nothing:",
)
@pytest.mark.parametrize("shape", [(2, 3, 4, 5), (1, 2, 2, 2)])
def test_channels_last(shape: tuple[int, ...]) -> None:
    plain = torch.randn(shape)
    x = plain.to(memory_format=torch.channels_last)
    assert x.nbytes == x.untyped_storage().nbytes() == plain.nbytes
    same(x, plain)
    for y in (x.contiguous(), x.reshape(shape[0], -1), x.flatten(1)):
        assert not one_memory(x, y)
    assert refuses(x.view, shape[0], -1)
    assert one_memory(plain, plain.view(shape[0], -1))


@claim("Arithmetic needs neither, because it broadcasts.")
def test_broadcasts() -> None:
    row, x = torch.rand(1, 3), torch.rand(4, 3)
    same(x + row, x + row.repeat(4, 1))
    same(x + row, x + row.expand(4, 3))


@claim(
    "`contiguous()` copies no first rows of a tensor, and `.cpu()` nothing that is on the CPU already: they return the view itself."
)
def test_no_copy() -> None:
    view = torch.zeros(1000, 4)[:2]
    assert view.contiguous() is view
    assert view.cpu() is view
