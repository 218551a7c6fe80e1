"""Matrix multiplication: shapes, and which functions do the same."""

from __future__ import annotations

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor, nn

from claims.claimlib import DTYPES, FLOATS, claim, close, one_memory, refuses, result, same, shapes, tensors

NUMBERS = (torch.float64, torch.int64, torch.complex128)
SIZE = st.integers(0, 4)


def pair(first: tuple[int, ...], second: tuple[int, ...]) -> tuple[Tensor, Tensor]:
    """Two tensors of random numbers."""
    return torch.randn(first, dtype=torch.float64), torch.randn(second, dtype=torch.float64)


@claim("`A @ B` multiplies matrices; `torch.matmul(A, B)` is the same function.")
@given(tensors(shapes(2, 2), dtypes=NUMBERS, extremes=False))
def test_operator(x: Tensor) -> None:
    same(x @ x.mT, torch.matmul(x, x.mT))


@claim("The inner sizes must be equal, and the outer sizes are the shape of the result: `(3, 2) @ (2, 3)` is `(3, 3)`.")
@given(SIZE, SIZE, SIZE, SIZE)
def test_two_rules(m: int, n: int, k: int, p: int) -> None:
    a, b = pair((m, n), (k, p))
    found = result(torch.matmul, a, b)
    assert (found is RuntimeError) == (n != k)
    assert n != k or found.shape == (m, p)


@claim("A matrix product consists of dot products, one for each element of the result:")
@given(SIZE, SIZE, SIZE)
def test_dot_products(m: int, n: int, p: int) -> None:
    a, b = pair((m, n), (n, p))
    for i in range(m):
        for j in range(p):
            close((a @ b)[i, j], torch.dot(a[i], b[:, j]))


@claim(
    "For a batch of matrices use `.mT`, which swaps the last two dimensions.",
    "`.T` copies nothing: it is a view with swapped strides.",
)
@given(tensors(shapes(2, 3)))
def test_transpose(x: Tensor) -> None:
    same(x.mT, x.transpose(-2, -1))
    assert one_memory(x.mT, x)
    assert x.ndim != 2 or (one_memory(x.T, x) and x.T.stride() == x.stride()[::-1])


@claim(
    "`(n)` and `(n)` | dot product | `()`",
    "`(m, n)` and `(n)` | matrix times vector | `(m)`",
    "`(m)` and `(m, n)` | vector times matrix | `(n)`",
)
@given(SIZE, SIZE)
def test_vectors(m: int, n: int) -> None:
    a, x = pair((m, n), (n,))
    close(x @ x, (x * x).sum())
    close(a @ x, (a * x).sum(dim=1))
    close(x @ a.T, (a @ x[:, None]).squeeze(1))


@claim(
    "`(..., m, n)` and `(n)` | each matrix times the vector; for a batch of vectors, `(A @ x.unsqueeze(-1)).squeeze(-1)` | `(..., m)`"
)
@given(shapes(1, 2, low=1), SIZE, SIZE)
def test_batch_and_vector(batch: tuple[int, ...], m: int, n: int) -> None:
    a, x = pair((*batch, m, n), (n,))
    close((a @ x).flatten(), torch.cat([matrix @ x for matrix in a.flatten(0, -3)]))
    xs = x.expand(*batch, n)
    close((a @ xs.unsqueeze(-1)).squeeze(-1), a @ x)


@claim(
    "`(..., m, n)` and `(..., n, p)` | one product for each pair of matrices; the leading dimensions broadcast | `(..., m, p)`"
)
@given(SIZE, SIZE)
def test_batches_broadcast(m: int, n: int) -> None:
    a, b = pair((2, 1, m, n), (3, n, 2))
    product = a @ b
    assert product.shape == (2, 3, m, 2)
    for i in range(2):
        for j in range(3):
            close(product[i, j], a[i, 0] @ b[j])


@claim(
    "A vector has no orientation: on the left it counts as a row, on the right as a column, and that extra dimension is gone in the result."
)
@given(SIZE, SIZE)
def test_no_orientation(m: int, n: int) -> None:
    a, x = pair((m, n), (n,))
    close(a @ x, (a @ x[:, None])[:, 0])
    close(x @ a.T, (x[None] @ a.T)[0])


@claim(
    "Each of these four takes exactly one combination of dimensions and does not broadcast; `matmul` takes several, and broadcasts."
)
@pytest.mark.parametrize(("name", "dims"), [("mm", (2, 2)), ("bmm", (3, 3)), ("mv", (2, 1)), ("dot", (1, 1))])
def test_one_combination(name: str, dims: tuple[int, int]) -> None:
    for first in range(5):
        for second in range(5):
            a, b = pair(first * (2,), second * (2,))
            assert (not refuses(getattr(torch, name), a, b)) == ((first, second) == dims)
            assert (not refuses(torch.matmul, a, b)) == (first > 0 and second > 0)
    assert result(torch.bmm, *pair((1, 2, 2), (3, 2, 2))) is RuntimeError


@claim("`A @= B` means `A = A @ B`, so other names of the tensor keep the old value.")
@given(tensors(shapes(2, 2), dtypes=NUMBERS, extremes=False))
def test_in_place_operator(x: Tensor) -> None:
    alias, before, y = x, x.clone(), x
    y @= x.mT
    assert y is not alias
    same(alias, before)


@claim(
    "`torch.nn.Linear(in_features, out_features)` stores its weight as `(out_features, in_features)` and computes `x @ weight.T + bias`.",
    "The last dimension of the input must equal `in_features`; the layer keeps the others.",
)
@given(shapes(0, 3, low=1), st.integers(1, 4), st.integers(1, 4))
def test_linear(shape: tuple[int, ...], given_size: int, out: int) -> None:
    layer = nn.Linear(given_size, out).double()
    x = torch.randn(*shape, given_size, dtype=torch.float64)
    assert layer.weight.shape == (out, given_size)
    assert layer(x).shape == (*shape, out)
    close(layer(x), x @ layer.weight.T + layer.bias)
    assert result(layer, torch.randn(*shape, given_size + 1, dtype=torch.float64)) is RuntimeError


@claim("A letter that is missing on the right of the arrow is summed over.")
@given(SIZE, SIZE)
def test_einsum(m: int, n: int) -> None:
    a, b = pair((m, n), (m, n))
    close(torch.einsum("ij->i", a), a.sum(dim=1))
    close(torch.einsum("ij->j", a), a.sum(dim=0))
    close(torch.einsum("ij->", a), a.sum())
    close(torch.einsum("ij,kj->ik", a, b), a @ b.T)
    close(torch.einsum("ij,ij->", a, b), (a * b).sum())


@claim(
    "A matrix product does not promote dtypes: both operands need the same dtype, or it raises an error (autocast first converts floats, except `float64`)."
)
def test_one_dtype() -> None:
    a = torch.ones(2, 2)
    for first in DTYPES:
        for second in DTYPES:
            assert refuses(torch.matmul, a.to(first), a.to(second)) == (first != second or first == torch.bool)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        for first in FLOATS:
            for second in FLOATS:
                works = not refuses(torch.matmul, a.to(first), a.to(second))
                assert works == (torch.float64 not in (first, second) or first == second)


@claim(
    "The result has that dtype too, even if its values do not fit:",
    "The CPU multiplies matrices of most integer dtypes, as above.",
)
def test_dtype_of_the_result() -> None:
    for dtype in set(DTYPES) - {torch.bool}:
        assert (torch.ones(2, 2, dtype=dtype) @ torch.ones(2, 2, dtype=dtype)).dtype == dtype


@claim("TF32 is off for matrix products by default.")
def test_tf32_is_off() -> None:
    assert torch.get_float32_matmul_precision() == "highest"
    assert not torch.backends.cuda.matmul.allow_tf32


@claim("The inner sizes, on both sides of the `@`, must be equal.")
@given(st.lists(st.integers(0, 3), min_size=4, max_size=4))
def test_inner_sizes(sizes: list[int]) -> None:
    a, b, c, d = sizes
    assert refuses(torch.matmul, torch.ones(a, b), torch.ones(c, d)) == (b != c)


@claim(
    "For a batch of matrices use `.mT`, which swaps the last two dimensions.",
    "`.T` copies nothing: it is a view with swapped strides.",
)
@given(tensors(shapes(2, 3)))
def test_transposes(x: Tensor) -> None:
    same(x.mT, x.transpose(-2, -1))
    assert one_memory(x.mT, x)
    if x.ndim == 2:
        assert x.T.stride() == x.stride()[::-1]
        assert one_memory(x.T, x)


@claim("`torch.matmul(input, other, *, out=None)` takes tensors of one dimension or more.")
def test_no_numbers() -> None:
    assert refuses(torch.matmul, torch.tensor(1.0), torch.ones(1))
    assert torch.matmul(torch.ones(1), torch.ones(1)).shape == ()


@claim("`.T` would reverse all of them.")
@pytest.mark.filterwarnings("ignore:The use of `x.T`")
def test_t_reverses() -> None:
    x = torch.rand(2, 3, 4)
    same(x.T, x.permute(2, 1, 0))
    same(x.mT, x.permute(0, 2, 1))


@claim("Of these functions only `matmul` accepts the last pair, a matrix and a batch.")
def test_matrix_and_batch() -> None:
    matrix, batch = torch.rand(2, 3), torch.rand(5, 3, 4)
    assert (matrix @ batch).shape == (5, 2, 4)
    for call in (torch.mm, torch.bmm, torch.mv, torch.dot):
        assert refuses(call, matrix, batch)
