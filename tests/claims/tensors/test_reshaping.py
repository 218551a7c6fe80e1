"""Reshape, view, squeeze, permute: what shares memory, and which calls do the same."""

from __future__ import annotations

import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor

from claims.claimlib import claim, one_memory, raises, result, same, shapes, tensors

WITH_A_SIZE = tensors(shapes(low=1))
SMALL = (torch.float32, torch.int64, torch.bool)


def places(x: Tensor) -> list[tuple[int, ...]]:
    """All indices, row by row."""
    return [tuple(place) for place in torch.ones(x.shape).nonzero().tolist()]


@claim("The elements keep their order, read row by row.")
@given(tensors(dtypes=SMALL, extremes=False))
def test_reshape_keeps_the_order(x: Tensor) -> None:
    assert x.reshape(-1).tolist() == [x[place].item() for place in places(x)]


@claim(
    "The product of the sizes must equal `x.numel()`, or the call raises `shape ... is invalid for input of size ...`."
)
@given(tensors(dtypes=SMALL), shapes())
def test_product_of_sizes(x: Tensor, shape: tuple[int, ...]) -> None:
    if torch.Size(shape).numel() == x.numel():
        assert x.reshape(shape).shape == shape
    else:
        raises("is invalid for input of size", x.reshape, shape)


@claim("One size may be `-1`: PyTorch computes it from the others, if none of these is 0.")
@given(tensors(shapes(low=1)), st.integers(0, 2))
def test_minus_one(x: Tensor, dim: int) -> None:
    shape = [-1 if d == dim else n for d, n in enumerate(x.shape)]
    assert x.reshape(shape).shape == x.shape
    raises("cannot reshape tensor of 0 elements", torch.zeros(0).reshape, -1, 0)


@claim(
    "`Tensor.view(*shape)` is `reshape` with a guarantee: the result shares memory with the original, or the call raises an error."
)
@given(tensors(), shapes())
def test_view_shares_or_raises(x: Tensor, shape: tuple[int, ...]) -> None:
    for sizes in (shape, (-1,), tuple(reversed(x.shape))):
        y = result(x.view, sizes)
        if y is not RuntimeError:
            assert one_memory(x, y)
            same(y, x.reshape(sizes))


@claim("`reshape` returns a view if strides can describe the new shape, and copies if not.")
@given(tensors(shapes(low=1)), shapes(low=1))
def test_reshape_views_if_view_can(x: Tensor, shape: tuple[int, ...]) -> None:
    for sizes in (shape, (-1,), tuple(reversed(x.shape))):
        if torch.Size(sizes).numel() in (x.numel(), -1):
            assert one_memory(x, x.reshape(sizes)) == (result(x.view, sizes) is not RuntimeError)


@claim("A tensor is contiguous if reading it row by row moves through memory one element at a time.")
@given(tensors(shapes(low=1)))
def test_contiguous(x: Tensor) -> None:
    memory = [sum(i * step for i, step in zip(place, x.stride(), strict=True)) for place in places(x)]
    assert x.is_contiguous() == (memory == list(range(x.numel())))


@claim("`contiguous()` makes such a copy, and returns the tensor itself if it is contiguous already.")
@given(tensors())
def test_contiguous_copies(x: Tensor) -> None:
    y = x.contiguous()
    assert (y is x) == x.is_contiguous()
    assert one_memory(x, y) == x.is_contiguous()
    same(y, x)


@claim("Write `view` if you need the shared memory, and `reshape(...).clone()` if you need a copy.")
@given(tensors())
def test_reshape_and_clone(x: Tensor) -> None:
    assert not one_memory(x, x.reshape(-1).clone())


@claim(
    "`Tensor.flatten(start_dim=0, end_dim=-1)` merges neighboring dimensions into one.",
    "Like `reshape`, `flatten` returns a view where it can.",
)
@given(WITH_A_SIZE, st.integers(0, 2), st.integers(0, 2))
def test_flatten(x: Tensor, start: int, end: int) -> None:
    if start <= end < x.ndim:
        shape = (*x.shape[:start], -1, *x.shape[end + 1 :])
        same(x.flatten(start, end), x.reshape(shape))
        assert one_memory(x, x.flatten(start, end)) == one_memory(x, x.reshape(shape))


@claim(
    "`Tensor.squeeze()` removes every dimension of size 1.", "`squeeze(dim)` removes that dimension if its size is 1."
)
@given(tensors(shapes(high=2)))
def test_squeeze(x: Tensor) -> None:
    assert x.squeeze().shape == tuple(n for n in x.shape if n != 1)
    for dim, n in enumerate(x.shape):
        assert x.squeeze(dim).shape == (*x.shape[:dim], *([n] if n != 1 else []), *x.shape[dim + 1 :])
        assert one_memory(x.squeeze(dim), x)


@claim(
    "`Tensor.unsqueeze(dim)` adds a dimension of size 1 at position `dim`.",
    "`dim` may count from the end, and `None` in an index does the same.",
)
@given(tensors())
def test_unsqueeze(x: Tensor) -> None:
    for dim in range(x.ndim + 1):
        y = x.unsqueeze(dim)
        assert y.shape == (*x.shape[:dim], 1, *x.shape[dim:])
        assert one_memory(x, y)
        same(y, x[(*dim * [slice(None)], None)])
        same(y, x.unsqueeze(dim - x.ndim - 1))
        same(y.squeeze(dim), x)


@claim(
    "Entry `i` of `dims` is the old dimension that moves to position `i`.",
    "`permute` returns a view, so a write to the original shows in the result.",
)
@given(tensors(), st.randoms())
def test_permute(x: Tensor, random: object) -> None:
    dims = torch.randperm(x.ndim).tolist()
    y = x.permute(dims)
    assert one_memory(x, y)
    assert [y.shape[i] for i in range(x.ndim)] == [x.shape[old] for old in dims]
    assert all(y.stride(i) == x.stride(old) for i, old in enumerate(dims))


@claim(
    "`transpose(dim0, dim1)`, also named `swapaxes`, swaps two dimensions.",
    "`movedim(source, destination)` moves one and keeps the order of the others.",
)
@given(tensors(shapes(least=2)))
def test_transpose_and_movedim(x: Tensor) -> None:
    dims = list(range(x.ndim))
    for a in dims:
        for b in dims:
            swapped = [b if d == a else a if d == b else d for d in dims]
            same(x.transpose(a, b), x.permute(swapped))
            same(x.swapaxes(a, b), x.permute(swapped))
            moved = [d for d in dims if d != a]
            moved.insert(b, a)
            same(x.movedim(a, b), x.permute(moved))


@claim(
    "`.mT` swaps the last two: it transposes a matrix, or each matrix of a batch.",
    "For a matrix `.T` and `.mT` are the same.",
)
@given(tensors(shapes(least=2)))
def test_mt(x: Tensor) -> None:
    same(x.mT, x.transpose(-1, -2))
    if x.ndim == 2:
        same(x.T, x.mT)


@claim("In the memory format the shape is the same and the channels have stride 1.")
@given(tensors(shapes(4, 4, low=1), layouts=["contiguous"]))
def test_channels_last(x: Tensor) -> None:
    y = x.to(memory_format=torch.channels_last)
    same(y, x)
    assert y.stride(1) == 1 or x.shape[1] == 1 or y.is_contiguous()


@claim(
    "`expand(*sizes)` shows a dimension of size 1 as a larger one without copying; `-1` leaves a size as it is.",
    "`repeat(*times)` copies.",
)
@given(tensors(shapes(high=2)), st.integers(2, 5))
def test_expand_and_repeat(x: Tensor, n: int) -> None:
    y = x.expand([n if size == 1 else -1 for size in x.shape])
    z = x.repeat([n if size == 1 else 1 for size in x.shape]) if x.ndim else x.repeat(())
    assert one_memory(x, y)
    assert not one_memory(x, z)
    same(y, z)


@claim("`tile` is `repeat` with NumPy's rule for missing numbers: `tile(2)` of a matrix is `repeat(1, 2)`.")
@given(tensors(shapes(least=1)), st.integers(0, 3))
def test_tile(x: Tensor, n: int) -> None:
    same(x.tile(n), x.repeat(*(x.ndim - 1) * [1], n))


@claim("Without `dim`, `repeat_interleave` flattens a matrix first.")
@given(tensors())
def test_repeat_interleave(x: Tensor) -> None:
    same(x.repeat_interleave(2), x.flatten().unsqueeze(1).expand(-1, 2).flatten())


@claim(
    "`roll(shifts, dims)` shifts the elements; those that leave at one end come back at the other.",
    "`flip(dims)` reverses their order.",
    "Both copy.",
)
@given(tensors(shapes(least=1)), st.integers(-5, 5))
def test_roll_and_flip(x: Tensor, shift: int) -> None:
    order = [(i - shift) % len(x) for i in range(len(x))]
    same(x.roll(shift, 0), x[order])
    same(x.flip(0), x[list(range(len(x)))[::-1]])
    assert not one_memory(x.roll(shift, 0), x)
    assert not one_memory(x.flip(0), x)


@claim("join tensors along an existing dimension | `cat`; for matrices also `vstack`, `hstack`")
@given(tensors(shapes(2, 2)))
def test_joined_matrices(x: Tensor) -> None:
    same(torch.vstack([x, x]), torch.cat([x, x], dim=0))
    same(torch.hstack([x, x]), torch.cat([x, x], dim=1))


@claim("Pass `dim`, or a tuple of dimensions, to remove only the dimensions that you mean.")
@given(tensors(shapes(1, 3, low=1)))
def test_squeeze_named(x: Tensor) -> None:
    wide = x[None, ..., None]
    assert wide.squeeze(0).shape == (*x.shape, 1)
    assert wide.squeeze((0, -1)).shape == x.shape


@claim("`view` needs strides that describe the new shape, not a contiguous tensor.")
@given(tensors(shapes(2, 2, low=1)))
def test_view_of_a_transpose(x: Tensor) -> None:
    n, m = x.T.shape
    assert x.T.view(n, 1, m).shape == (n, 1, m)
    assert one_memory(x.T.view(n, 1, m), x)


@claim(
    "`x_original.reshape(3, 224, 244)` has the right shape, with the numbers in the wrong places, without a message."
)
@given(st.integers(2, 4), st.integers(2, 4))
def test_reshape_is_not_permute(height: int, width: int) -> None:
    x = torch.arange(height * width * 3).reshape(height, width, 3)
    wrong, right = x.reshape(3, height, width), x.permute(2, 0, 1)
    assert wrong.shape == right.shape
    assert not wrong.equal(right)


@claim(
    "For a matrix `.T` and `.mT` are the same.",
    "For a batch write `.mT`: there, `.T` reverses all dimensions and is deprecated.",
)
@given(tensors(shapes(2, 3)))
def test_both_transposes(x: Tensor) -> None:
    if x.ndim == 2:
        same(x.T, x.mT)
    else:
        same(result(lambda: x.T), x.permute(2, 1, 0))
