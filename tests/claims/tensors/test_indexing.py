"""Indexing and slicing: what is a view, what a copy, and which calls do the same."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from hypothesis import assume, example, given
from hypothesis import strategies as st
from torch import Tensor

from claims.claimlib import DTYPES, claim, on_cuda, one_memory, raises, refuses, result, same, shapes, tensors

PART = st.one_of(st.integers(-2, 1), st.slices(4), st.just(slice(None)), st.none())
SOME = tensors(shapes(least=1, low=2, high=4), extremes=False)


@claim("Integers, slices, `...` and `None` return a view.")
@given(SOME, st.lists(PART, max_size=3), st.booleans())
def test_views(x: Tensor, index: list[object], dots: bool) -> None:
    assume(sum(part is not None for part in index) <= x.ndim)
    index = [slice(part.start, part.stop, abs(part.step or 1)) if isinstance(part, slice) else part for part in index]
    assert one_memory(x[(*index, *([...] if dots else []))], x)


@claim(
    "Lists, masks and index tensors with at least one dimension return a copy.",
    "`x[mask]` | where a bool tensor, or a flat list, is `True` | copy",
    "`x[[0, 2]]`, `x[index]` | the listed positions | copy",
)
@given(SOME)
def test_copies(x: Tensor) -> None:
    for index in (
        [0, 1],
        [True] + [False] * (len(x) - 1),
        torch.tensor([1, 0]),
        torch.tensor([[0]]),
        torch.ones(x.shape, dtype=torch.bool),
        x == x,
        (slice(None), [0])[: x.ndim],
    ):
        if index != (slice(None),):
            assert not one_memory(x[index], x)


@claim(
    "An integer tensor without dimensions, such as the result of `argmax()`, counts as an integer and returns a view (`uint8` is a mask)."
)
@pytest.mark.parametrize("dtype", [torch.int64, torch.int32, torch.int16, torch.int8], ids=str)
def test_index_without_dimensions(dtype: torch.dtype) -> None:
    x = torch.arange(6.0).reshape(2, 3)
    assert one_memory(x[torch.tensor(1, dtype=dtype)], x)
    same(x[torch.tensor(1, dtype=dtype)], x[1])


@claim(
    "A missing index selects everything.",
    "A `:` selects all of its dimension.",
    "`...` replaces as many `:` as are needed.",
)
@given(SOME)
def test_missing_indices(x: Tensor) -> None:
    for index in range(2):
        same(x[index], x[(index, *(x.ndim - 1) * [slice(None)])])
        same(x[..., index], x[(*(x.ndim - 1) * [slice(None)], index)])


@claim("Each `:` keeps a dimension, each integer removes one.")
@given(SOME, st.lists(st.booleans(), min_size=3, max_size=3))
def test_what_stays(x: Tensor, kept: list[bool]) -> None:
    index = tuple(slice(None) if keep else 0 for keep in kept[: x.ndim])
    assert x[index].shape == tuple(n for n, keep in zip(x.shape, kept, strict=False) if keep)


@claim("With integers both ways reach the same element.")
@given(SOME)
def test_chained_integers(x: Tensor) -> None:
    y = x
    for _ in range(x.ndim):
        y = y[1]
    same(y, x[x.ndim * (1,)])


@claim(
    "`start:stop:step` selects from `start` up to, but not including, `stop`.",
    "A negative `start` or `stop` counts from the end.",
    "A slice past the end is cut short, and an empty slice gives a tensor without elements.",
)
@given(
    st.integers(0, 9),
    st.one_of(st.none(), st.integers(-15, 15)),
    st.one_of(st.none(), st.integers(-15, 15)),
    st.integers(1, 4),
)
def test_slices_are_python_s(n: int, start: int | None, stop: int | None, step: int) -> None:
    assert torch.arange(n)[start:stop:step].tolist() == list(range(n))[start:stop:step]


@claim(
    "`narrow(dim, start, length)` is a slice along a dimension given as a number; past the end it raises an error.",
    "`select(dim, index)` is the same as one integer index.",
)
@given(SOME, st.integers(0, 2), st.integers(0, 3))
def test_narrow_and_select(x: Tensor, start: int, length: int) -> None:
    if start + length <= len(x):
        same(x.narrow(0, start, length), x[start : start + length])
    else:
        assert result(x.narrow, 0, start, length) in (RuntimeError, IndexError)
    same(x.select(0, 1), x[1])


@claim("`None` adds a dimension of size 1, as `unsqueeze` does.")
@given(tensors())
def test_none(x: Tensor) -> None:
    same(x[None], x.unsqueeze(0))
    same(x[..., None], x.unsqueeze(-1))


@claim("A mask of the full shape gives a vector, in row order.")
@given(tensors(shapes(least=1)))
def test_mask_in_row_order(x: Tensor) -> None:
    mask = torch.rand(x.shape) < 0.5
    same(
        x[mask], torch.stack([x[tuple(place)] for place in mask.nonzero().tolist()]) if mask.any() else x.flatten()[:0]
    )


@claim(
    "`torch.where(mask)` and `nonzero(as_tuple=True)` give the same positions as one tensor for each dimension, which is ready to be an index."
)
@given(tensors(shapes(least=1), extremes=False))
def test_positions_are_an_index(x: Tensor) -> None:
    mask = x != 0
    positions = torch.where(mask)
    assert len(positions) == x.ndim
    same(positions, mask.nonzero(as_tuple=True))
    same(torch.stack(positions, dim=1), mask.nonzero())
    same(x[positions], x[mask])


@claim(
    "`torch.argwhere` and `nonzero()` give the positions of the `True` elements, one row for each, with a number for each dimension: the shape is `(0, 2)` if a matrix has none."
)
@given(tensors(extremes=False))
def test_nonzero(x: Tensor) -> None:
    same(torch.argwhere(x), x.nonzero())
    assert x.nonzero().shape == (int((x != 0).sum()), x.ndim)
    assert torch.zeros(2, 3).nonzero().shape == (0, 2)


@claim("`masked_select` is `m[mask]`, except that it broadcasts the mask.")
@given(tensors(shapes(2, 2)))
def test_masked_select(x: Tensor) -> None:
    full, row = torch.rand(x.shape) < 0.5, torch.rand(x.shape[1]) < 0.5
    same(x.masked_select(full), x[full])
    same(x.masked_select(row), x[row.expand(x.shape)])


@claim(
    "A list or tensor of integers selects positions in the given order; positions may repeat.",
    "`index_select(dim, index)` selects whole rows or columns, in a dimension given as a number.",
)
@given(SOME, st.lists(st.integers(-2, 1), min_size=1, max_size=5))
def test_lists(x: Tensor, index: list[int]) -> None:
    same(x[index], torch.stack([x[i] for i in index]))
    positive = torch.tensor([i % len(x) for i in index])
    same(x.index_select(0, positive), x[positive])


@claim("With `rows` as a column, broadcasting pairs every row with every column.")
@given(tensors(shapes(2, 2, low=2)))
def test_rows_and_columns(x: Tensor) -> None:
    rows, columns = torch.tensor([0, 1, 1]), torch.tensor([1, 0])
    same(x[rows[:, None], columns], x[rows][:, columns])


@claim(
    "The shape of the index replaces the dimension that it indexes.",
    "If a slice separates two index tensors, their shape moves to the front.",
)
@given(shapes(1, 2, low=1))
def test_shape_of_the_index(shape: tuple[int, ...]) -> None:
    big, index = torch.zeros(4, 5, 6, 7), torch.zeros(shape, dtype=torch.int64)
    assert big[:, index].shape == (4, *shape, 6, 7)
    assert big[:, index, index].shape == (4, *shape, 7)
    assert big[:, index, :, index].shape == (*shape, 4, 6)


@claim(
    "`take(index)` reads the tensor as if it had one dimension.",
    "`argmax()` counts through all elements too, so its result fits `take`.",
)
@given(tensors(shapes(low=1), dtypes=[dtype for dtype in DTYPES if not dtype.is_complex and dtype != torch.bool]))
def test_take(x: Tensor) -> None:
    index = torch.randint(-x.numel(), x.numel(), (3,))
    same(x.take(index), x.flatten()[index])
    same(x.take(x.argmax()), x.max())


@claim(
    "Both need a tensor as index, not a list.",
    "`index_select` rejects negative positions, while brackets and `take` accept them.",
)
def test_index_select_and_take() -> None:
    x = torch.arange(4)
    assert result(x.index_select, 0, [1]) is TypeError
    assert result(x.take, [1]) is TypeError
    assert result(x.index_select, 0, torch.tensor([-1])) in (IndexError, RuntimeError)
    assert x.take(torch.tensor([-1])) == x[torch.tensor([-1])] == 3


@claim(
    "`gather` needs an index with as many dimensions as the tensor and returns the shape of the index.",
    "`take_along_dim` does the same and broadcasts.",
)
@given(tensors(shapes(2, 2, low=1)), st.integers(1, 4))
def test_gather(x: Tensor, n: int) -> None:
    index = torch.randint(x.shape[1], (len(x), n))
    y = x.gather(1, index)
    assert y.shape == index.shape
    same(y, x[torch.arange(len(x))[:, None], index])
    same(x.take_along_dim(index, dim=1), y)
    same(x.take_along_dim(index[:1], dim=1), x.gather(1, index[:1].expand(len(x), n)))


@claim("`scatter_` is the opposite of `gather`: it writes to such positions.", "`scatter_add_` adds them up.")
@given(st.lists(st.integers(0, 2), min_size=1, max_size=6))
def test_scatter(group: list[int]) -> None:
    index, values = torch.tensor(group), torch.arange(1.0, len(group) + 1)
    kept = torch.zeros(3).scatter_(0, index, values)
    for place in range(3):
        mine = values[index == place]
        assert kept[place] in (mine if len(mine) else torch.zeros(1))
    same(
        torch.zeros(3).scatter_add_(0, index, values), torch.stack([values[index == place].sum() for place in range(3)])
    )


@claim("With one pair of brackets an assignment writes to the tensor itself, for every kind of index.")
@pytest.mark.parametrize(
    "index",
    [
        0,
        slice(1, 3),
        [0, 2],
        torch.tensor([1]),
        torch.tensor(1),
        [True, False, True],
        (slice(None), 1),
        None,
        ...,
        torch.eye(3, dtype=torch.bool),
    ],
    ids=str,
)
def test_assignment_writes(index: object) -> None:
    x, y = torch.zeros(3, 3), torch.zeros(3, 3)
    x[index] = 7
    assert (x[index] == 7).all()
    y[index] += 7
    same(y, x)


@claim("The tensor keeps its dtype, so an integer tensor cuts off the fraction of a number without a message.")
@given(st.floats(-100, 100))
def test_assignment_cuts_off(value: float) -> None:
    for dtype in (torch.int64, torch.int32, torch.int8):
        x = torch.zeros(2, dtype=dtype)
        x[0] = value
        assert (x.dtype, x[0].item()) == (dtype, int(value))


@claim(
    "If the index is a list or an index tensor, a tensor of another dtype raises an error instead (with a mask, if it has several elements):"
)
def test_assignment_of_another_dtype() -> None:
    for index in ([0, 1], torch.tensor([0, 1]), [True, True, False]):
        x = torch.zeros(3, dtype=torch.int64)
        raises("requires the source and destination dtypes match", x.__setitem__, index, torch.ones(2))


@claim("If that result is a view, the tensor changes; if it is a copy, the write is lost.")
@pytest.mark.parametrize("index", [0, slice(0, 2), [0, 1], torch.tensor([0]), None, [True, False, True]], ids=str)
def test_chained_assignment(index: object) -> None:
    x = torch.zeros(3, 3)
    view = one_memory(x[index], x)
    x[index][:] = 7
    assert (x != 0).any() == view


@claim(
    "It writes a repeated position twice, both times with the same number.",
    "`index_add_` adds every time, and `bincount` counts directly.",
)
@given(st.lists(st.integers(0, 3), min_size=1, max_size=9))
def test_repeated_positions(group: list[int]) -> None:
    index, counts = torch.tensor(group), torch.zeros(4)
    counts[index] += 1
    assert counts.tolist() == [float(place in group) for place in range(4)]
    right = [group.count(place) for place in range(4)]
    assert torch.zeros(4).index_add_(0, index, torch.ones(len(group))).tolist() == right
    assert torch.bincount(index, minlength=4).tolist() == right


@claim(
    "In brackets, a tensor on an accelerator takes an index on the same device or on the CPU.",
    "The reverse, a GPU index with at least one dimension into a CPU tensor, raises an error.",
)
def test_index_on_a_device(device: torch.device) -> None:
    x, index = torch.arange(9, device=device), torch.tensor([0, 8])
    assert x[index].tolist() == x[index.to(device)].tolist() == [0, 8]
    assert x[index].device.type == device.type
    assert (result(lambda: torch.arange(9)[index.to(device)]) is RuntimeError) == (device.type != "cpu")


@claim("NumPy reverses with a step of -1; a tensor raises an error, and `flip` returns a reversed copy.")
@given(tensors(shapes(least=1), layouts=["contiguous", "every second"], dtypes=(torch.float32, torch.int8, torch.bool)))
@example(torch.arange(4))
def test_reversed(x: Tensor) -> None:
    raises("step must be greater than zero", lambda: x[::-1])
    np.testing.assert_array_equal(x.numpy()[::-1], x.flip(0).numpy())
    assert not one_memory(x.flip(0), x)


@claim("`x[..., 0]`, `x[None]` | all dimensions in between; a new dimension | view")
@given(tensors(shapes(1, 3, low=1)))
def test_ellipsis_and_none(x: Tensor) -> None:
    assert x[..., 0].shape == x.shape[:-1]
    assert x[None].shape == (1, *x.shape)
    assert one_memory(x[..., 0], x)
    assert one_memory(x[None], x)


@claim("Neither raises an error, but a single index past the end does.")
@given(st.integers(0, 5), st.integers(0, 9))
def test_past_the_end(n: int, start: int) -> None:
    x = torch.arange(n)
    assert x[start : start + 100].tolist() == list(range(n))[start : start + 100]
    assert x[start:start].tolist() == []
    raises("out of bounds", lambda: x[n])


@claim("A chain like `x[0][1][1]` indexes three times, and each time it starts again at dimension 0 of what is left.")
@given(tensors(shapes(3, 3, low=2)))
def test_chain(x: Tensor) -> None:
    same(x[0][1][1], x[0, 1, 1])
    same(x[:][1], x[1])


@claim("`m[1]` and `m[[1]]` select the same row, but only `m[1]` is a view.")
@given(tensors(shapes(1, 3, low=2)))
def test_one_row(m: Tensor) -> None:
    same(m[[1]][0], m[1].resolve_conj())
    assert one_memory(m[1], m)
    assert not one_memory(m[[1]], m)


@claim(
    "To pick the score of the right class in each row, index with row numbers and class numbers, or call `gather(dim, index)`."
)
@given(st.lists(st.integers(0, 3), min_size=1, max_size=5))
def test_right_class(classes: list[int]) -> None:
    scores, targets = torch.rand(len(classes), 4), torch.tensor(classes)
    picked = scores[torch.arange(len(classes)), targets]
    same(scores.gather(1, targets[:, None]).flatten(), picked)
    assert picked.tolist() == [row[one].item() for row, one in zip(scores, classes, strict=True)]


@claim(
    "To swap two rows, put a list on both sides. Python's swap reads and writes views, and loses a row without a message:"
)
@given(tensors(shapes(1, 3, low=2), layouts=["contiguous"]))
def test_swap(m: Tensor) -> None:
    first, second = m[0].clone(), m[1].clone()
    swapped = m.clone()
    swapped[[0, 1]] = swapped[[1, 0]]
    same(swapped[0], second)
    same(swapped[1], first)
    m[0], m[1] = m[1], m[0]
    if m.ndim > 1:
        same(m[0], m[1])


@claim("`counts[index] += 1` reads all the elements, adds, and writes them back.")
@given(st.lists(st.integers(0, 4)))
def test_repeated(index: list[int]) -> None:
    counts = torch.zeros(5)
    counts[torch.tensor(index, dtype=torch.int64)] += 1
    assert counts.tolist() == [float(place in index) for place in range(5)]


@claim(
    "Python's `and` needs one truth value, and [raises an error](../errors/boolean-value-of-tensor-is-ambiguous.md) for a mask of several elements."
)
def test_and() -> None:
    m = torch.arange(3)
    raises("Boolean value of Tensor with more than one value is ambiguous", lambda: m > 0 and m < 2)
    assert ((m > 0) & (m < 2)).tolist() == [False, True, False]


@claim("To take one example and keep the batch dimension, write `x[0:1]` instead of `x[0]`.")
def test_one_example() -> None:
    for shape in ((1, 3), (4, 3), (2, 3, 4)):
        x = torch.rand(shape)
        assert x[0:1].shape == (1, *shape[1:])
        assert x[0].shape == shape[1:]


@claim(
    "With a slice they differ: `x[:, 1]` selects in dimension 1, but `x[:]` is all of `x`, so `x[:][1:]` selects in dimension 0 again and finds nothing."
)
def test_chain_of_slices() -> None:
    x = torch.rand(1, 3, 2)
    assert x[:, 1].shape == (1, 2)
    same(x[:], x)
    assert x[:][1:].shape == (0, 3, 2)


@claim("`gather`, `scatter_`, `index_select`, `take` and `masked_fill` need theirs on the same device.")
@on_cuda
def test_methods_on_a_gpu() -> None:
    x, index, mask = torch.ones(3, device="cuda"), torch.tensor([0]), torch.tensor([True, False, True])
    for index_, mask_, refused in ((index, mask, True), (index.cuda(), mask.cuda(), False)):
        assert refuses(x.gather, 0, index_) is refused
        assert refuses(x.scatter_, 0, index_, 1.0) is refused
        assert refuses(x.index_select, 0, index_) is refused
        assert refuses(x.take, index_) is refused
        assert refuses(x.masked_fill, mask_, 0) is refused
    assert x[index].device == x[mask].device == x.device
