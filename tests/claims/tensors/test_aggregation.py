"""Reductions: which dtype and shape they give, and which calls do the same."""

from __future__ import annotations

import operator

import numpy as np
import pytest
import torch
from hypothesis import example, given
from hypothesis import strategies as st
from torch import Tensor

from claims.claimlib import (
    DTYPES,
    FLOATS,
    INF,
    INTEGERS,
    LAYOUTS,
    NAN,
    claim,
    close,
    raises,
    refuses,
    result,
    same,
    shapes,
    tensors,
)

REAL = (*FLOATS, *INTEGERS)
FULL = shapes(least=1, low=1)
VECTORS = st.lists(st.floats(-100, 100, width=32), min_size=1, max_size=9)


@claim(
    "`dim` is the dimension that disappears.",
    "`keepdim=True` keeps the dimension with size 1.",
    "Negative numbers count from the end, and `axis` is another name for `dim`.",
)
@pytest.mark.parametrize(
    "name", ["sum", "mean", "amin", "amax", "argmax", "argmin", "prod", "std", "var", "all", "any"]
)
@pytest.mark.filterwarnings("ignore:.*degrees of freedom")
@given(x=tensors(FULL, dtypes=[torch.float32], extremes=False))
def test_dim_disappears(name: str, x: Tensor) -> None:
    reduce = getattr(x, name)
    for dim in range(x.ndim):
        assert reduce(dim=dim).shape == (*x.shape[:dim], *x.shape[dim + 1 :])
        assert reduce(dim=dim, keepdim=True).shape == (*x.shape[:dim], 1, *x.shape[dim + 1 :])
        same(reduce(dim=dim), reduce(dim=dim - x.ndim))
        same(reduce(dim=dim), reduce(axis=dim))


@claim(
    "Each reduction is a method of the tensor and a function of `torch`.",
    "A reduction of all elements is a tensor without dimensions, on the device of its input.",
)
@pytest.mark.parametrize(
    "name",
    [
        "sum",
        "mean",
        "min",
        "max",
        "amin",
        "amax",
        "argmax",
        "argmin",
        "prod",
        "std",
        "var",
        "all",
        "any",
        "median",
        "nansum",
        "nanmedian",
    ],
)
@pytest.mark.filterwarnings("ignore:.*degrees of freedom")
@given(x=tensors(FULL, dtypes=FLOATS))
def test_method_and_function(name: str, x: Tensor) -> None:
    y = getattr(x, name)()
    same(getattr(torch, name)(x), y)
    assert y.shape == ()
    assert getattr(x.to("meta"), name)().device.type == "meta"


@claim("`x.min()` and `x.max()` keep the dtype of `x`.")
@given(tensors(FULL, dtypes=[*REAL, torch.bool]))
def test_min_and_max_keep_the_dtype(x: Tensor) -> None:
    assert x.min().dtype == x.max().dtype == x.dtype


@claim("With `dim`, `max`, `min`, `median` and `mode` return a named tuple of values and indices.")
@pytest.mark.parametrize("name", ["max", "min", "median", "mode"])
@given(x=tensors(FULL, dtypes=REAL, extremes=False, layouts=LAYOUTS[:4]))  # median of an expanded one: the next test
def test_values_and_indices(name: str, x: Tensor) -> None:
    found = getattr(x, name)(dim=0)
    same(found.values, x.gather(0, found.indices[None])[0])


@claim(
    "`a.max(dim=1)` | elements of `a` along one dimension | values and indices",
    "`a.amax(dim=(0, 1))` | elements of `a` along one or several dimensions | values",
    "`torch.maximum(a, b)` | `a` and `b`, element by element | a tensor of the broadcast shape",
)
@given(tensors(shapes(2, 2, low=1), dtypes=REAL))
def test_max_amax_maximum(x: Tensor) -> None:
    same(x.max(dim=1).values, x.amax(dim=1))
    same(x.amax(dim=(0, 1)), x.max())
    same(torch.maximum(x, x[:1]), torch.stack([x, x[:1].expand(x.shape)]).amax(dim=0))


@claim(
    "`max()` and `amax` share the gradient among the equal elements; `max(dim=...)` gives it to the element whose index it returned."
)
@given(st.lists(st.integers(0, 2), min_size=1, max_size=6))
def test_gradient_of_equal_elements(data: list[int]) -> None:
    x = torch.tensor(data, dtype=torch.float32, requires_grad=True)
    shared = (x == x.max()).float() / (x == x.max()).sum()
    for largest in (x.max(), x.amax(), x.amax(dim=0)):
        close(torch.autograd.grad(largest, x)[0], shared.detach())
    found = x.max(dim=0)
    assert torch.autograd.grad(found.values, x)[0].nonzero().item() == found.indices


@claim(
    "For a tensor of more dimensions the index counts through all elements, row by row.",
    "`torch.unravel_index` turns it into one index for each dimension.",
)
@given(tensors(FULL, dtypes=REAL, extremes=False))
def test_argmax_counts_through(x: Tensor) -> None:
    same(x.flatten()[x.argmax()], x.max())
    same(x[torch.unravel_index(x.argmax(), x.shape)], x.max())


@claim(
    "If the largest value occurs more than once, `argmax` and `max(dim=...)` give the index of the first one, as the documentation of `argmax` and `max` says."
)
@given(st.lists(st.integers(0, 2), min_size=1, max_size=40))
def test_first_of_the_largest(data: list[int]) -> None:
    assert torch.tensor(data).argmax() == torch.tensor(data).max(dim=0).indices == data.index(max(data))


@claim(
    "The mean of integers is rarely an integer, so `mean` takes floating-point and complex tensors only; integers raise an error.",
    "`float32` is not required: the result has the dtype of the tensor.",
)
def test_mean() -> None:
    for dtype in DTYPES:
        x = torch.ones(3, dtype=dtype)
        if dtype.is_floating_point or dtype.is_complex:
            assert x.mean().dtype == dtype
        else:
            raises("could not infer output dtype", x.mean)


@claim(
    "Sums of integers and booleans are `int64`, so that small dtypes do not overflow.",
    "A sum of floats keeps their dtype, which matters for half precision.",
    "The sum of a boolean tensor counts its `True` elements.",
)
@given(tensors(extremes=False))
def test_sum(x: Tensor) -> None:
    whole = not x.dtype.is_floating_point and not x.dtype.is_complex
    for total in (x.sum(), x.cumsum(0) if x.ndim else x.sum()):
        assert total.dtype == (torch.int64 if whole else x.dtype)
    if whole:
        assert x.sum().item() == sum(int(value) for value in x.flatten().tolist())


@claim(
    "`cumsum` adds up, `cummax` and `cummin` give the largest and the smallest so far, with their indices.",
    "Running totals keep the shape:",
)
@given(st.lists(st.integers(-5, 5), min_size=1))
def test_running(data: list[int]) -> None:
    x = torch.tensor(data)
    assert x.cumsum(0).tolist() == [sum(data[: i + 1]) for i in range(len(data))]
    assert x.cummax(0).values.tolist() == [max(data[: i + 1]) for i in range(len(data))]
    assert x[x.cummin(0).indices].tolist() == [min(data[: i + 1]) for i in range(len(data))]


@claim(
    "`any` asks whether at least one element is true, `all` whether every element is. An element is true if it is not zero.",
    "The result is a `bool` tensor, except for `uint8`, whose result is `uint8` too.",
)
@given(tensors())
def test_any_and_all(x: Tensor) -> None:
    true = [value != 0 for value in x.flatten().tolist()]
    assert (bool(x.any()), bool(x.all())) == (any(true), all(true))
    assert x.any().dtype == x.all().dtype == (torch.uint8 if x.dtype == torch.uint8 else torch.bool)


@claim(
    "By default `std` and `var` divide the sum of the squared distances from the mean by `n - 1`, so one number gives `nan`; `std` then takes the root.",
    "`correction=0` divides by `n`, as NumPy does by default.",
)
@pytest.mark.filterwarnings("ignore:.*degrees of freedom")
@given(VECTORS)
@example([3.0])
def test_std(data: list[float]) -> None:
    x = torch.tensor(data, dtype=torch.float64)
    squares = (x - x.mean()).square().sum()
    close(x.var(), squares / (len(x) - 1) if len(x) > 1 else torch.tensor(NAN, dtype=torch.float64))
    close(x.std(), x.var().sqrt())
    close(x.std(correction=0), torch.tensor(np.std(data)))


@claim(
    "With an even number of elements, `median` gives the lower of the two in the middle, and `quantile(0.5)` the point halfway between them."
)
@given(VECTORS)
def test_median(data: list[float]) -> None:
    x = torch.tensor(data, dtype=torch.float64)
    assert x.median() == sorted(data)[(len(data) - 1) // 2]
    assert x.quantile(0.5).item() == pytest.approx(np.median(data))


@claim(
    "`median(dim=...)` and `nanmedian(dim=...)` along a dimension that `expand` repeated give arbitrary numbers on the CPU (PyTorch 2.9 to 2.15), without a message: call `contiguous()` first."
)
def test_median_of_an_expanded_tensor() -> None:
    x = torch.arange(60)[:1].expand(9)
    for median in (torch.median, torch.nanmedian):
        assert median(x.contiguous(), dim=0).values == 0
        assert median(x, dim=0).values != 0  # a number beside it


@claim("`kthvalue(k)` gives the k-th smallest element along the last dimension, and its index; `k` starts at 1.")
@given(VECTORS)
def test_kthvalue(data: list[float]) -> None:
    x = torch.tensor(data)
    for k in range(1, len(data) + 1):
        value, index = x.kthvalue(k)
        assert value == x[index] == x.sort().values[k - 1]


@claim(
    "`sort` and `topk` work along the last dimension unless you pass `dim`, and return values and indices.",
    "Indexing with the result of `argsort` sorts, whole rows too; the same index puts a second tensor, such as labels, into the same order.",
)
@given(tensors(FULL, dtypes=REAL, extremes=False))
def test_sort(x: Tensor) -> None:
    values, indices = x.sort()
    same(values, x.gather(-1, indices))
    assert (values[..., :-1] <= values[..., 1:]).all()
    same(x.topk(1).values, x.amax(dim=-1, keepdim=True))
    first = x.reshape(len(x), -1)[:, 0]
    same(first[first.argsort()], first.sort().values)


@claim("If equal elements must keep their order, pass `stable=True`; `topk` has no such option.")
@given(st.lists(st.integers(0, 2), max_size=60))
def test_stable(data: list[int]) -> None:
    x = torch.tensor(data)
    assert x.sort(stable=True).indices.tolist() == sorted(range(len(data)), key=data.__getitem__)
    assert result(torch.ones(3).topk, 1, stable=True) is TypeError


@claim("`unique` returns each value once, sorted, and can count them (but each `nan` counts as another value).")
@given(st.lists(st.integers(-3, 3)))
def test_unique(data: list[int]) -> None:
    values, counts = torch.tensor(data, dtype=torch.int64).unique(return_counts=True)
    assert values.tolist() == sorted(set(data))
    assert counts.tolist() == [data.count(value) for value in sorted(set(data))]
    assert len(torch.tensor([NAN, NAN]).unique()) == 2


@claim(
    "`logsumexp(dim)` is `exp().sum(dim).log()` without the overflow in between.",
    "`torch.linalg.vector_norm` is the length: the root of the sum of squares, of all elements or along `dim`.",
    "`ord=1` adds the absolute values.",
)
@given(VECTORS)
def test_logsumexp_and_norms(data: list[float]) -> None:
    x = torch.tensor(data, dtype=torch.float64)
    close(x.logsumexp(0), x.exp().sum(0).log())
    assert torch.tensor([1000.0, 1000.0]).logsumexp(0).isfinite()
    close(torch.linalg.vector_norm(x), x.square().sum().sqrt())
    close(torch.linalg.vector_norm(x, ord=1), x.abs().sum())


@claim(
    "If one element is `nan`, then the minimum, maximum, sum, mean and median are `nan`, and `argmax` gives its position.",
    "`nansum`, `nanmean`, `nanmedian` and `nanquantile` leave it out.",
)
@given(st.lists(st.floats(-9, 9, width=32), max_size=5), st.integers(0, 5))
def test_nan(data: list[float], place: int) -> None:
    place = min(place, len(data))
    x = torch.tensor([*data[:place], NAN, *data[place:]])
    for name in ("min", "max", "amin", "amax", "sum", "mean", "median"):
        assert getattr(x, name)().isnan()
    assert x.argmax() == place
    rest = torch.tensor(data)
    close(x.nansum(), rest.sum())
    close(x.nanmean(), rest.mean())
    if data:
        close(x.nanmedian(), rest.median())
        close(x.nanquantile(0.3), rest.quantile(0.3))


@claim("The sum of nothing is 0, its product is 1, its mean is `nan`, and a maximum does not exist.")
@pytest.mark.parametrize("dtype", FLOATS, ids=str)
def test_nothing(dtype: torch.dtype) -> None:
    x = torch.ones(0, dtype=dtype)
    assert (x.sum(), x.prod(), x.mean().isnan(), refuses(x.max), refuses(x.argmax)) == (0, 1, True, True, True)


@claim("`sum(matrix)` adds the rows; it is not the sum of all elements.")
@given(tensors(shapes(2, 2, low=1), dtypes=(torch.int64, torch.float64), extremes=False))
def test_builtin_sum(x: Tensor) -> None:
    close(sum(x), x.sum(dim=0))


@claim(
    "For a vector of `float32` or `int64` numbers without `nan` the built-in functions work, but in one small step for each element, as a loop does."
)
@given(tensors(shapes(1, 1, low=1), dtypes=(torch.float32, torch.int64), extremes=False))
def test_builtins_of_a_vector(x: Tensor) -> None:
    same(max(x), x.max())
    same(min(x), x.min())
    close(sum(x), x.sum())


@claim(
    "`amin`, `amax` | value | yes | one or several", "`aminmax` | both values | yes | one", "`argmin`, `argmax` | index | yes, but not bool | one",
    "`sum` | value | yes | one or several", "`prod` | value | yes | one", "`mean` | value | no | one or several", "`std`, `var` | value | no | one or several",
    "`median` | value; with `dim`, value and index | yes | one", "`quantile` | value | no | one", "`any`, `all` | `bool`; `uint8` for `uint8` | yes | one or several",
    "`min`, `max` | value; with `dim`, value and index | yes | one",
)  # fmt: skip
@pytest.mark.parametrize(
    ("names", "whole", "several"),
    [
        ("amin amax any all sum", True, True),
        ("aminmax argmin argmax prod median min max", True, False),
        ("mean std var", False, True),
        ("quantile", False, False),
    ],
)
def test_which_takes_what(names: str, whole: bool, several: bool) -> None:
    x = torch.ones(2, 2)
    for name in names.split():
        more = (0.5,) if name == "quantile" else ()
        for dtype in INTEGERS:
            assert refuses(getattr(x.to(dtype), name), *more) == (not whole), (name, dtype)
        assert refuses(getattr(x, name), *more, dim=(0, 1)) == (not several), name
    assert refuses(x.bool().argmax)


@claim(
    "Three of four are equal.",
    "Converted to float, a boolean tensor's mean is the fraction that is `True`. That is how you compute an accuracy:",
)
@given(st.lists(st.booleans(), min_size=1))
def test_accuracy(data: list[bool]) -> None:
    assert torch.tensor(data).float().mean().item() == pytest.approx(sum(data) / len(data))


@claim("An image of a single color has the range 0 and becomes `nan`.")
@given(st.floats(0, 1, width=32))
def test_single_color(color: float) -> None:
    x = torch.full((3, 2, 2), color)
    assert ((x - x.min()) / (x.max() - x.min())).isnan().all()


@claim("Floating-point addition rounds after every step, so the order of the elements can change the sum.")
def test_order_of_a_sum() -> None:
    x = torch.tensor([1e8, 1.0, -1e8])
    assert x[0] + x[1] + x[2] != x[0] + x[2] + x[1]


@claim("Every result is a tensor without dimensions, on the device of `x`.")
@pytest.mark.parametrize("name", ["min", "max", "sum", "mean", "argmin", "argmax"])
@given(st.data())
def test_no_dimensions(name: str, device: torch.device, data: st.DataObject) -> None:
    x = data.draw(tensors(shapes(low=1), dtypes=(torch.float32, torch.float64), device=device))
    found = getattr(x, name)()
    assert found.shape == ()
    assert found.device == x.device


@claim("`argsort` returns only the indices, in the order that sorts the tensor.")
@given(tensors(shapes(1, 2, low=1), dtypes=(torch.float32, torch.int64)), st.booleans())
def test_argsort(x: Tensor, descending: bool) -> None:
    order = x.argsort(descending=descending)
    assert order.dtype == torch.int64
    same(x.take_along_dim(order, dim=-1), x.sort(descending=descending).values)


@claim("Each reduces all elements, unless `dim` names one dimension or, for some functions, several.")
@pytest.mark.parametrize("name", ["amin", "amax", "sum", "mean", "std", "var", "any", "all"])
def test_several_dimensions(name: str) -> None:
    x = torch.rand(2, 3, 4)
    reduce = getattr(x, name)
    assert reduce().shape == ()
    assert reduce(dim=1).shape == (2, 4)
    assert reduce(dim=(0, 2)).shape == (3,)


@claim(
    'Further arguments are `keepdim=False` (for `min`, `max`, `sum`, `prod`, `mean` and `median` only together with `dim`), `dtype=None` for `sum`, `prod` and `mean`, `correction=1` for `std` and `var`, and `interpolation="linear"` for `quantile`.'
)
def test_further_arguments() -> None:
    x = torch.rand(3, 4)
    for name in ("min", "max", "sum", "prod", "mean", "median"):
        assert refuses(getattr(x, name), keepdim=True)
        assert not refuses(getattr(x, name), dim=0, keepdim=True)
    for name in ("amin", "amax", "argmin", "argmax", "std", "var", "any", "all"):
        assert getattr(x, name)(keepdim=True).shape == (1, 1)
    for name in ("sum", "prod", "mean"):
        assert getattr(x, name)(dtype=torch.float64).dtype == torch.float64
    same(x.var(), x.var(correction=1))
    same(x.quantile(0.3), x.quantile(0.3, interpolation="linear"))


@claim("The tuple is not a tensor: `>` and `<` with it raise an error, and `==` gives plain `False`.")
def test_tuple_is_no_tensor() -> None:
    found = torch.rand(2, 3).max(dim=1)
    assert refuses(operator.gt, found, 3)
    assert refuses(operator.lt, found, torch.ones(2))
    assert (found == 3) is False
    assert (found == torch.ones(2)) is False


@claim("There is no `nanmax`; the last line replaces `nan` by minus infinity first.")
def test_no_nanmax() -> None:
    assert not hasattr(torch, "nanmax")
    x = torch.tensor([1.0, NAN, -INF])
    assert x.nan_to_num(nan=-INF, posinf=INF, neginf=-INF).max().item() == 1


@claim("`dim=0` of a matrix adds up the rows, so one number is left for each column.")
@given(st.integers(0, 3), st.integers(0, 3))
def test_rows_added(rows: int, columns: int) -> None:
    x = torch.randint(9, (rows, columns))
    assert x.sum(dim=0).shape == (columns,)
    same(x.sum(dim=0), sum(x, start=torch.zeros(columns, dtype=torch.int64)))


@claim("A `dim` that the tensor does not have raises `Dimension out of range`.")
def test_no_such_dim() -> None:
    for shape, dim in (((3,), 1), ((2, 3), 2), ((2, 3), -3)):
        raises("Dimension out of range", torch.ones(shape).sum, dim=dim)


@claim("Write `correction=`, because `std(0)` means `dim=0`.")
def test_std_of_zero() -> None:
    x = torch.rand(3, 4)
    same(x.std(0), x.std(dim=0))
    assert x.std(correction=0).dim() == 0
