"""NumPy's methods and what a tensor has in their place."""

from __future__ import annotations

import numpy as np
import torch
from hypothesis import given
from torch import Tensor

from claims.claimlib import DTYPES, claim, one_memory, raises, refuses, same, shapes, tensors


@claim(
    '`x.astype("float32")` | `x.to(torch.float32)` or `x.float()`',
    "`x.copy()` | `x.clone()`; `x.detach().clone()` without the graph",
    "`np.expand_dims(x, 0)` | `x.unsqueeze(0)`",
    "`x.transpose(2, 0, 1)` | `x.permute(2, 0, 1)`",
)
@given(tensors(shapes(3, 3), dtypes=[torch.int64, torch.float64, torch.bool], layouts=["contiguous", "transposed"]))
def test_in_their_place(x: Tensor) -> None:
    a = x.numpy()
    with np.errstate(all="ignore"):
        np.testing.assert_array_equal(a.astype("float32"), x.to(torch.float32).numpy())
    same(x.float(), x.to(torch.float32))
    np.testing.assert_array_equal(a.copy(), x.clone().numpy())
    np.testing.assert_array_equal(np.expand_dims(a, 0), x.unsqueeze(0).numpy())
    np.testing.assert_array_equal(a.transpose(2, 0, 1), x.permute(2, 0, 1).numpy())


@claim(
    "`x.extend(y)` | `torch.cat([x, y])`",
    "`x.append(y)`, a number | `torch.cat([x, torch.tensor([y])])`; in a loop, append to a list and call `torch.tensor` once",
    "`x.append(y)`, a tensor as one more item | append to a list, and call `torch.stack` once; the tensors need equal shapes",
)
@given(tensors(shapes(1, 1), dtypes=[torch.int64]), tensors(shapes(1, 1), dtypes=[torch.int64]))
def test_lists(x: Tensor, y: Tensor) -> None:
    assert torch.cat([x, y]).tolist() == [*x.tolist(), *y.tolist()]
    assert torch.cat([x, torch.tensor([5])]).tolist() == [*x.tolist(), 5]
    assert refuses(torch.stack, [x, y]) == (x.shape != y.shape)


@claim(
    "`to` takes PyTorch's dtype and not its name: `x.to(\"int64\")` raises `Invalid device string: 'int64'`.",
    "`astype` copies; `to`, `float()` and the others return the tensor itself if it has that dtype already, so that both names share one memory. `x.to(torch.float32, copy=True)` copies.",
)
def test_to() -> None:
    raises("Invalid device string: 'int64'", torch.ones(1).to, "int64")
    for dtype in DTYPES:
        x = torch.ones(2, dtype=dtype)
        assert x.to(dtype) is x
        assert not one_memory(x.to(dtype, copy=True), x)
    x = torch.ones(2)
    assert x.float() is x
    assert not one_memory(x.to(torch.float32, copy=True), x)
