"""Join and split: which calls do the same, what copies and what shares memory."""

from __future__ import annotations

import torch
from hypothesis import example, given
from hypothesis import strategies as st
from torch import Tensor
from torch.nn.utils.rnn import pad_sequence

from claims.claimlib import claim, one_memory, raises, refuses, same, shapes, tensors

VECTORS = tensors(shapes(1, 1, low=1))


@claim("to append a vector as a row of a matrix | `torch.cat([matrix, vector.unsqueeze(0)])`")
@given(VECTORS, st.integers(0, 3))
def test_append_a_row(x: Tensor, rows: int) -> None:
    matrix = torch.zeros(rows, len(x), dtype=x.dtype)
    longer = torch.cat([matrix, x.unsqueeze(0)])
    assert longer.shape == (rows + 1, len(x))
    same(longer[-1], x.resolve_conj())


@claim("vectors as the columns of a matrix | `torch.stack(vectors, dim=1)`")
@given(VECTORS)
def test_columns(x: Tensor) -> None:
    columns = torch.stack([x, x.flip(0)], dim=1)
    same(columns[:, 0], x.resolve_conj())
    same(columns[:, 1], x.flip(0))


@claim("a batch of sequences of different lengths | `torch.nn.utils.rnn.pad_sequence(sequences, batch_first=True)`")
@given(st.lists(st.integers(0, 4), min_size=1, max_size=4))
def test_padded(lengths: list[int]) -> None:
    batch = pad_sequence([torch.ones(length) for length in lengths], batch_first=True)
    assert batch.shape == (len(lengths), max(lengths))
    assert batch.sum(dim=1).tolist() == lengths


@claim("the rows one by one | `x.unbind()`, or a loop over `x`")
@given(tensors(shapes(least=1)))
def test_rows(x: Tensor) -> None:
    for one, other in zip(x.unbind(), x, strict=True):
        same(one, other)


@claim(
    "A tensor has no `append`: collect the tensors in a list, and join them once after the loop.",
    "Each `cat` copies all that it joins, so a `cat` in every step copies the first tensors again and again.",
)
@given(tensors(shapes(least=1)), st.integers(1, 3))
def test_cat_copies(x: Tensor, n: int) -> None:
    assert not hasattr(x, "append")
    assert not one_memory(torch.cat([x] * n), x)
    assert not one_memory(torch.stack([x] * n), x)


@claim("`torch.cat(tensors, dim=0)`, also `concat` and `concatenate`")
@given(tensors(shapes(least=1)))
def test_other_names(x: Tensor) -> None:
    same(torch.concat([x, x]), torch.cat([x, x]))
    same(torch.concatenate([x, x]), torch.cat([x, x]))


@claim("The dtypes may differ if PyTorch promotes them.")
@given(tensors(shapes(1, 1), extremes=False), tensors(shapes(1, 1), extremes=False))
def test_promoted(x: Tensor, y: Tensor) -> None:
    assert torch.cat([x, y]).dtype == torch.result_type(x, y)


@claim("a tuple of views; an integer is the number of pieces")
@given(tensors(shapes(least=1)), st.integers(1, 5))
def test_number_of_pieces(x: Tensor, number: int) -> None:
    pieces = x.tensor_split(number)
    assert len(pieces) == number
    assert all(one_memory(piece, x) for piece in pieces)


@claim("`cat` needs equal sizes in all other dimensions, but accepts an empty tensor of shape `(0)`.")
@given(tensors(shapes(2, 2, low=1)), st.integers(1, 3))
def test_cat_sizes(x: Tensor, more: int) -> None:
    other = torch.zeros(1, x.shape[1] + more, dtype=x.dtype)
    assert refuses(torch.cat, [x, other])
    same(torch.cat([torch.zeros(0, dtype=x.dtype), x]), x.resolve_conj())


@claim(
    "`torch.stack(tensors, dim=0)` joins tensors of one shape along a new dimension.",
    "`stack` adds a dimension of size 4; the last line does the same with `unsqueeze` and `cat`.",
)
@given(tensors(), st.integers(1, 4))
def test_stack_by_hand(x: Tensor, n: int) -> None:
    for dim in range(x.ndim + 1):
        parts = [x] * n
        same(torch.stack(parts, dim), torch.cat([part.unsqueeze(dim) for part in parts], dim))


@claim("For vectors `hstack` is `cat`, as the last line shows.", "`vstack` and `stack` agree for vectors only.")
@given(tensors(shapes(1, 3, low=1)))
def test_vectors(x: Tensor) -> None:
    parts = [x, x]
    assert torch.vstack(parts).equal(torch.stack(parts)) == (x.ndim == 1) or x.isnan().any()
    if x.ndim == 1:
        same(torch.hstack(parts), torch.cat(parts))
        same(torch.column_stack(parts), torch.stack(parts, dim=1))


@claim("For matrices `vstack` is `cat` with `dim=0`, and `hstack` is `cat` with `dim=1`.")
@given(tensors(shapes(2, 2)))
def test_matrices(x: Tensor) -> None:
    same(torch.vstack([x, x]), torch.cat([x, x], dim=0))
    same(torch.hstack([x, x]), torch.cat([x, x], dim=1))


@claim("`stack` needs equal shapes.")
@given(tensors(), tensors())
def test_stack_needs_equal_shapes(x: Tensor, y: Tensor) -> None:
    if x.shape != y.shape:
        raises("stack expects each tensor to be equal size", torch.stack, [x, y])


@claim(
    "`unbind(dim=0)` takes a stack apart, `split(size, dim=0)` cuts into pieces of one size (the last may be smaller), and `chunk(chunks, dim=0)` into a number of pieces."
)
@given(tensors(shapes(least=1, high=9)), st.integers(1, 5))
def test_split(x: Tensor, size: int) -> None:
    same(torch.stack(x.unbind()) if len(x) else x, x)
    pieces = [len(piece) for piece in x.split(size)]
    assert sum(pieces) == len(x)
    assert set(pieces[:-1]) <= {size}
    assert pieces[-1] <= size
    for part in (*x.unbind(), *x.split(size), *x.chunk(size)):
        assert one_memory(part, x)


@claim("`chunk(4)` gave 3 pieces, because it takes the number as an upper limit. `tensor_split(4)` gives exactly 4.")
@given(tensors(shapes(least=1, low=1, high=9)))
@example(torch.zeros(9))
def test_chunk(x: Tensor) -> None:
    assert len(x.chunk(4)) <= 4
    assert len(x.tensor_split(4)) == 4


@claim(
    "the rows of several matrices below each other | `torch.cat(matrices)`",
    "their columns beside each other | `torch.cat(matrices, dim=1)`",
)
@given(st.integers(0, 3), st.integers(1, 3), st.integers(1, 3))
def test_rows_and_columns(one: int, other: int, size: int) -> None:
    x, y = torch.rand(one, size), torch.rand(other, size)
    same(torch.cat([x, y]), torch.tensor([*x.tolist(), *y.tolist()]).reshape(one + other, size))
    same(torch.cat([x.mT, y.mT], dim=1), torch.cat([x, y]).mT)


@claim(
    "`hstack` gives one vector of 36 elements; it does not put the vectors side by side as columns.",
    "For columns use `stack` with `dim=1`, or `column_stack`.",
)
def test_side_by_side() -> None:
    vectors = list(torch.arange(36).reshape(4, 9))
    assert torch.hstack(vectors).shape == (36,)
    columns = torch.column_stack(vectors)
    same(columns, torch.stack(vectors, dim=1))
    same(columns[:, 2], vectors[2])
