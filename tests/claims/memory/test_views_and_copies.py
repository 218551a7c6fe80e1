"""Views, copies and in-place operations: which memory stays alive."""

from __future__ import annotations

import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor

from claims.claimlib import claim, one_memory, shapes, tensors


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
