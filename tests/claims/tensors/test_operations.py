"""Tensor operations: broadcasting, operators and functions, in place, comparing."""

from __future__ import annotations

import itertools
import math
import operator
from collections.abc import Callable

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor

from claims.claimlib import (
    DTYPES,
    FLOATS,
    INTEGERS,
    NAN,
    claim,
    one_memory,
    raises,
    refuses,
    result,
    same,
    shapes,
    tensors,
)

NUMBERS = (*FLOATS, *INTEGERS)
OPERATORS = {
    "add": operator.add,
    "sub": operator.sub,
    "mul": operator.mul,
    "div": operator.truediv,
    "floor_divide": operator.floordiv,
    "remainder": operator.mod,
    "pow": operator.pow,
}
IN_PLACE = {
    "add": operator.iadd,
    "sub": operator.isub,
    "mul": operator.imul,
    "div": operator.itruediv,
    "floor_divide": operator.ifloordiv,
    "remainder": operator.imod,
    "pow": operator.ipow,
}


def by_the_rule(a: tuple[int, ...], b: tuple[int, ...]) -> tuple[int, ...] | None:
    """The shape that the page's three rules give, or None if two sizes do not fit."""
    shape = []
    for first, second in itertools.zip_longest(a[::-1], b[::-1]):
        if first is not None and second is not None and first != second and 1 not in (first, second):
            return None
        sizes = [size for size in (first, second) if size not in (1, None)]
        shape.append(sizes[0] if sizes else 1)
    return tuple(shape[::-1])


@claim(
    "In each place, two sizes fit if they are equal, if one of them is 1, or if one is missing.",
    "The result has the size that is not 1 and not missing, or 1 if there is none.",
    "`()` is the shape of a scalar, which fits everything. A size of 0 with a size of 1 gives 0, an empty tensor.",
)
@given(shapes(high=3), shapes(high=3))
def test_broadcasting(a: tuple[int, ...], b: tuple[int, ...]) -> None:
    found = result(lambda: torch.ones(a) + torch.ones(b))
    assert (None if found is RuntimeError else tuple(found.shape)) == by_the_rule(a, b)


@claim("`torch.broadcast_shapes` answers for shapes alone:")
@given(shapes(high=3), shapes(high=3))
def test_broadcast_shapes(a: tuple[int, ...], b: tuple[int, ...]) -> None:
    found = result(torch.broadcast_shapes, a, b)
    assert (None if found is RuntimeError else tuple(found)) == by_the_rule(a, b)


@claim(
    "A vector lines up with the last dimension.",
    "For one value per row, give it a last dimension of size 1, with `unsqueeze` or `[:, None]`:",
)
@given(st.integers(1, 4), st.integers(1, 4))
def test_rows_and_columns(m: int, n: int) -> None:
    x, row, column = torch.zeros(m, n), torch.arange(n), torch.arange(m)
    same(x + row, row.expand(m, n).float())
    same(x + column[:, None], column.unsqueeze(1).expand(m, n).float())


@claim("A repeated dimension has a stride of 0: each index in it reads the same memory.")
@given(tensors(shapes(least=1)))
def test_stride_of_zero(x: Tensor) -> None:
    wide = x.unsqueeze(0).expand(3, *x.shape)
    assert wide.stride(0) == 0
    assert one_memory(wide, x)


@claim(
    "Each arithmetic operator is also a function of `torch` and a method of the tensor.",
    "The three spellings compute the same:",
    "`b` is a tensor or a Python number.",
)
@pytest.mark.parametrize("name", OPERATORS)
@given(x=tensors(dtypes=NUMBERS), number=st.sampled_from([1, 2, 3]))
def test_three_spellings(name: str, x: Tensor, number: int) -> None:
    y = torch.ones(x.shape, dtype=x.dtype) + 1
    for b in (y, number):
        expected = OPERATORS[name](x, b)
        same(getattr(torch, name)(x, b), expected)
        same(getattr(x, name)(b), expected)


@claim(
    "`a + b` | `torch.add` | `a += b`, `a.add_(b)`", "`a - b` | `torch.sub` | `a -= b`, `a.sub_(b)`", "`a * b` | `torch.mul` | `a *= b`, `a.mul_(b)`",
    "`a / b` | `torch.div` | `a /= b`, `a.div_(b)`", "`a // b` | `torch.floor_divide` | `a //= b`, `a.floor_divide_(b)`",
    "`a % b` | `torch.remainder` | `a %= b`, `a.remainder_(b)`", "`a ** b` | `torch.pow` | `a **= b`, `a.pow_(b)`",
    "In-place arithmetic keeps the dtype and the shape of the tensor that it writes into.",
)  # fmt: skip
@pytest.mark.parametrize("name", OPERATORS)
@given(x=tensors(dtypes=FLOATS, layouts=("contiguous", "transposed", "every second")))
def test_in_place(name: str, x: Tensor) -> None:
    y = torch.ones(x.shape, dtype=x.dtype) + 1
    expected, plain, method = OPERATORS[name](x, y), x.clone(), x.clone()
    again = IN_PLACE[name](plain, y)
    assert again is plain
    same(plain, expected, rtol=1e-6)
    assert getattr(method, f"{name}_")(y) is method
    same(method, expected, rtol=1e-6)


@claim(
    "`/` is true division, and turns integers into floats.",
    "The other kinds keep integers, and differ for negative numbers:",
    '`//` rounds down, like Python; `rounding_mode="trunc"` rounds toward zero, like C.',
    "`%` takes the sign of the divisor, and `torch.fmod` the sign of the dividend.",
)
@given(st.integers(-50, 50), st.integers(-9, 9).filter(bool))
def test_division(a: int, b: int) -> None:
    x, y = torch.tensor(a), torch.tensor(b)
    assert (x / y).item() == pytest.approx(a / b)
    assert (x // y).item() == a // b
    assert torch.div(x, y, rounding_mode="trunc").item() == math.trunc(a / b)
    assert (x % y).item() == a % b
    assert torch.fmod(x, y).item() == math.fmod(a, b)


@claim(
    "`/` divides by zero without an error, integers too.",
    "Integers raise an error on the CPU in `//`, `%` and the other divisions that keep them integers.",
)
@pytest.mark.parametrize("dtype", NUMBERS, ids=str)
def test_division_by_zero(dtype: torch.dtype) -> None:
    x, zero = torch.tensor([1, 0]).to(dtype), torch.zeros(2, dtype=dtype)
    assert (x / zero).isfinite().sum() == 0
    for call in (torch.floor_divide, torch.remainder, torch.fmod):
        assert (result(call, x, zero) is RuntimeError) == (not dtype.is_floating_point)


@claim("Two names for one tensor, and its views, see what an in-place operation wrote.")
@given(tensors(shapes(least=1, low=1), dtypes=FLOATS, layouts=("contiguous",), extremes=False))
def test_views_see_it(x: Tensor) -> None:
    view, copy = x.view(-1), x.clone()
    x.add_(1)
    same(view, x.flatten())
    same(copy + 1, x)


@claim("Arithmetic converts operands of different dtypes to a common one, without a warning.")
def test_common_dtype() -> None:
    for first, second in itertools.combinations(DTYPES, 2):
        assert (torch.ones(2, dtype=first) + torch.ones(2, dtype=second)).dtype == torch.promote_types(first, second)


@claim("Where the result is not a real number, floats give `nan` or infinity, not an error.")
@pytest.mark.parametrize(
    "name", ["sqrt", "log", "log2", "log10", "log1p", "rsqrt", "reciprocal", "asin", "acos", "acosh", "atanh"]
)
@given(x=tensors(dtypes=FLOATS))
def test_no_error(name: str, x: Tensor) -> None:
    assert getattr(torch, name)(x).dtype == x.dtype


@claim("`round` sends a half to the even neighbor: 0.5 to 0, 1.5 and 2.5 to 2.")
@given(st.integers(-1000, 1000))
def test_round(n: int) -> None:
    assert torch.tensor(n + 0.5).round().item() == round(n + 0.5)


@claim("Without `posinf=`, `nan_to_num` turns infinity into the largest number of the dtype.")
@pytest.mark.parametrize("dtype", FLOATS, ids=str)
def test_nan_to_num(dtype: torch.dtype) -> None:
    x = torch.tensor([math.inf, -math.inf, NAN], dtype=dtype)
    assert x.nan_to_num().tolist() == [torch.finfo(dtype).max, torch.finfo(dtype).min, 0]


@claim("The `logical_` functions read every number but zero as true.")
@given(tensors())
def test_logical(x: Tensor) -> None:
    same(torch.logical_not(x), x == 0)
    same(torch.logical_and(x, x), x != 0)


@claim('`~` of integers is not a "not": `~1` is -2, which counts as true.')
@given(st.integers(-100, 100))
def test_tilde(n: int) -> None:
    assert (~torch.tensor(n)).item() == -n - 1


@claim(
    "Same shape and same elements? | `torch.equal(a, b)` | `bool`",
    "Which elements are equal? | `a == b` | boolean tensor",
)
@given(tensors(), tensors())
def test_equal(x: Tensor, y: Tensor) -> None:
    assert torch.equal(x, x.clone()) == (not x.isnan().any().item())
    assert (x == x).dtype == torch.bool
    if x.shape != y.shape:
        assert torch.equal(x, y.to(x.dtype)) is False


@claim(
    "All close? | `torch.allclose(a, b, rtol=1e-05, atol=1e-08)` | `bool`", "Both broadcast, so compare the shapes too:"
)
@given(tensors(shapes(least=1, low=1), dtypes=FLOATS))
def test_allclose(x: Tensor) -> None:
    y = x * (1 + 1e-3)
    assert torch.allclose(x, y) == bool(torch.isclose(x, y).all())
    assert torch.allclose(x[None], x) == torch.allclose(x, x)


@claim("`nan` equals nothing, not even itself, unless you pass `equal_nan=True` to `isclose` or `allclose`:")
@pytest.mark.parametrize("dtype", [*FLOATS, torch.complex64], ids=str)
def test_nan(dtype: torch.dtype) -> None:
    x = torch.tensor([NAN], dtype=dtype)
    assert not (x == x).any()
    assert not torch.equal(x, x)
    assert not torch.allclose(x, x)
    assert torch.allclose(x, x, equal_nan=True)


@claim("It compares the dtype and the device too:", "`check_dtype=False` and `check_device=False` turn that off.")
def test_assert_close() -> None:
    x = torch.ones(2)
    raises("dtype", torch.testing.assert_close, x, x.double())
    torch.testing.assert_close(x, x.double(), check_dtype=False)
    raises("device", torch.testing.assert_close, x, x.to("meta"))


@claim("Python's `and`, `or`, `not` and `if` need one truth value: for several elements they raise an error.")
@given(tensors(extremes=False))
def test_truth(x: Tensor) -> None:
    found = result(bool, x)
    assert found == bool(x.item()) if x.numel() == 1 else found is RuntimeError


@claim("`/` gives infinity, minus infinity and `nan` (not a number), `%` only `nan`.")
@pytest.mark.parametrize("dtype", FLOATS, ids=str)
def test_infinities(dtype: torch.dtype) -> None:
    x = torch.tensor([1.0, -1.0, 0.0], dtype=dtype)
    same(x / 0, torch.tensor([float("inf"), -float("inf"), NAN], dtype=dtype))
    assert (x % 0).isnan().all()


@claim("An integer result that does not fit into its dtype wraps around without a message.")
@pytest.mark.parametrize("dtype", INTEGERS, ids=str)
def test_wraps(dtype: torch.dtype) -> None:
    info = torch.iinfo(dtype)
    assert (torch.tensor([info.max], dtype=dtype) + 1).item() == info.min


@claim("`()` is the shape of a scalar, which fits everything. A size of 0 with a size of 1 gives 0, an empty tensor.")
@given(shapes())
def test_scalar_shape(shape: tuple[int, ...]) -> None:
    assert torch.broadcast_shapes(shape, ()) == shape
    assert torch.broadcast_shapes((0,), (1,)) == (0,)


@claim(
    "With a square table there is no error: the vector lines up with the last dimension, whether you mean that or not."
)
@given(st.integers(2, 5))
def test_square(n: int) -> None:
    table, vector = torch.zeros(n, n), torch.arange(float(n))
    same((table + vector)[0], vector)
    assert not (table + vector).equal(table + vector[:, None])


@claim("`any()` and `all()` reduce a boolean tensor to one value.")
@given(tensors(dtypes=[torch.bool]))
def test_any_and_all(x: Tensor) -> None:
    values = x.flatten().tolist()
    assert (x.any().item(), x.all().item()) == (any(values), all(values))


@claim(
    "A method of arithmetic whose name ends in an underscore writes into the memory of the tensor.",
    "So do `+=`, `-=`, `*=` and `/=`.",
)
@pytest.mark.parametrize(
    "call",
    [
        operator.iadd,
        operator.isub,
        operator.imul,
        operator.itruediv,
        Tensor.add_,
        Tensor.sub_,
        Tensor.mul_,
        Tensor.div_,
    ],
)
def test_writes_in_place(call: Callable[..., Tensor]) -> None:
    x = torch.tensor([3.0, 4.0])
    before = x.tolist()
    assert call(x, 2) is x
    assert x.tolist() != before


@claim("`torch.add` and `torch.sub` take a factor for the second operand.")
@given(st.integers(-3, 3))
def test_factor(factor: int) -> None:
    x, y = torch.tensor([1, 2]), torch.tensor([10, 20])
    same(torch.add(x, y, alpha=factor), x + factor * y)
    same(torch.sub(x, y, alpha=factor), x - factor * y)


@claim("PyTorch does not compare a tensor with a list: the last line is a plain `False`, without an error.")
def test_no_list() -> None:
    for other in ([1, 2], (1, 2), [torch.tensor(1)]):
        assert (torch.tensor([1, 2]) == other) is False


@claim("It and `allclose` need one dtype.")
def test_one_dtype() -> None:
    for call in (torch.isclose, torch.allclose):
        assert refuses(call, torch.ones(2), torch.ones(2, dtype=torch.float64))
        assert refuses(call, torch.ones(2), torch.tensor(1))
        assert not refuses(call, torch.ones(2), torch.ones(2))


@claim("Near zero, `log1p(x)` and `expm1(x)` keep the digits that `log(1 + x)` and `exp(x) - 1` lose:")
def test_near_zero() -> None:
    x = torch.tensor(1e-10)
    assert x.log1p().item() == pytest.approx(1e-10) == x.expm1().item()
    assert (1 + x).log().item() == x.exp().item() - 1 == 0


@claim("If `expand` repeated elements, arithmetic in place raises an error too.")
def test_expanded() -> None:
    for call in (Tensor.add_, Tensor.mul_, Tensor.div_):
        assert refuses(call, torch.ones(3, 1).expand(3, 2), 2)
        assert not refuses(call, torch.ones(3, 1).expand(3, 1), 2)


@claim("Most pairs with `uint16` or `float8` raise an error instead, and matrix products do not convert at all.")
def test_newer_types() -> None:
    others = (torch.int64, torch.int32, torch.int8, torch.float32, torch.float16)
    for dtype in (torch.uint16, torch.float8_e4m3fn):
        x = torch.ones(2).to(dtype)
        assert sum(refuses(operator.add, x, torch.ones(2, dtype=other)) for other in others) > len(others) / 2
    assert refuses(operator.matmul, torch.ones(2, 2), torch.ones(2, 2, dtype=torch.float64))


@claim("Shapes that fit by accident hide mistakes: `(3, 1)` and `(3,)` give `(3, 3)`.")
def test_accident() -> None:
    assert (torch.ones(3, 1) - torch.ones(3)).shape == (3, 3)


@claim("`maximum` takes two tensors; for a plain number, use `clamp(min=...)`.")
def test_maximum() -> None:
    x = torch.tensor([-1.0, 2.0])
    assert refuses(torch.maximum, x, 0)
    same(x.clamp(min=0), torch.maximum(x, torch.tensor(0.0)))
