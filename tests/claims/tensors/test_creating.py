"""Creating tensors: what each function copies, and which dtype it takes."""

from __future__ import annotations

import numpy as np
import pytest
import torch
import torch.nn.functional as F
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor

from claims.claimlib import DTYPES, FLOATS, anything, claim, one_memory, raises, refuses, same, shapes, tensors


@claim("`ndim` is the number of dimensions. It is also the number of opening brackets before the first number.")
@given(tensors(shapes(low=1), dtypes=(torch.int64, torch.float32, torch.bool)))
def test_ndim_counts_brackets(x: Tensor) -> None:
    text = repr(x.tolist())
    assert len(text) - len(text.lstrip("[")) == x.ndim == len(x.shape)


@claim("`numel()` is the number of elements: the sizes multiplied.")
@given(tensors())
def test_numel(x: Tensor) -> None:
    assert x.numel() == int(np.prod(x.shape))


@claim(
    "`item()` turns a tensor with exactly one element into a plain Python number. With any other number of elements it raises an error."
)
@given(tensors(extremes=False))
def test_item(x: Tensor) -> None:
    if x.numel() == 1:
        assert isinstance(x.item(), bool | int | float | complex)
    else:
        raises("cannot be converted to Scalar", x.item)


@claim("`torch.tensor(data)` copies a number, a list, a tuple or a NumPy array into a new tensor.")
@pytest.mark.parametrize("data", [np.ones(2), np.array(1.0), np.ones((2, 3), dtype=np.int8)[:, ::2]], ids=str)
def test_tensor_copies(data: np.ndarray) -> None:
    x = torch.tensor(data)
    data += 1
    assert (x == 1).all()


@claim(
    "Whole numbers become `int64`, numbers with a point `float32`, `True` and `False` become `bool`.",
    "In a mixed list, `float32` wins over whole numbers, and whole numbers win over `bool`.",
)
@given(st.lists(st.one_of(st.integers(-9, 9), st.floats(-9, 9), st.booleans()), min_size=1))
def test_dtype_follows_the_data(data: list[float]) -> None:
    kinds = {type(value) for value in data}
    wins = torch.float32 if float in kinds else torch.int64 if int in kinds else torch.bool
    assert torch.tensor(data).dtype == wins


@claim("NumPy arrays and NumPy numbers keep their own type.")
@pytest.mark.parametrize(
    "kind", ["float64", "float32", "float16", "int64", "int32", "int8", "uint8", "bool", "complex64"]
)
def test_numpy_keeps_its_type(kind: str) -> None:
    for value in (np.ones(2, dtype=kind), np.ones((), dtype=kind), np.dtype(kind).type(1)):
        assert torch.tensor(value).dtype == getattr(torch, kind)


@claim("Both are `float32`, the default data type, unless you pass `dtype=`.")
@anything
def test_zeros_and_ones(dtype: torch.dtype) -> None:
    for make in (torch.zeros, torch.ones):
        assert make(2).dtype == torch.float32
        assert make(2, dtype=dtype).dtype == dtype


@claim("`torch.full` takes a shape and a value, and the data type follows the value:")
@pytest.mark.parametrize(
    ("value", "dtype"),
    [(7, torch.int64), (7.0, torch.float32), (True, torch.bool), (1j, torch.complex64), (float("nan"), torch.float32)],
)
def test_full(value: complex, dtype: torch.dtype) -> None:
    assert torch.full((2, 0), value).dtype == dtype


@claim(
    "`torch.arange(start, end, step)` counts from `start` up to `end`, which is not included, as in Python's `range`."
)
@given(st.integers(-20, 20), st.integers(0, 20), st.integers(1, 7), st.booleans())
def test_arange_is_range(start: int, more: int, step: int, back: bool) -> None:
    sign = -1 if back else 1
    end = start + sign * more
    assert torch.arange(start, end, sign * step).tolist() == list(range(start, end, sign * step))


@claim(
    "`torch.linspace(start, end, steps)` takes the number of elements, and from two elements on it includes both ends:"
)
@given(st.floats(-100, 100, width=32), st.floats(-100, 100, width=32), st.integers(2, 50))
def test_linspace(start: float, end: float, steps: int) -> None:
    x = torch.linspace(start, end, steps)
    assert (len(x), x[0].item(), x[-1].item()) == (steps, start, end)


@claim("A function whose name ends in `_like` takes the shape, the data type and the device from another tensor.")
@pytest.mark.parametrize("name", [name for name in dir(torch) if name.endswith("_like")])
@given(tensors(dtypes=FLOATS))
def test_like(name: str, x: Tensor) -> None:
    arguments = {"full_like": (7,), "randint_like": (7,)}.get(name, ())
    for given_tensor in (x, x.to("meta")):
        y = getattr(torch, name)(given_tensor, *arguments)
        assert (y.shape, y.dtype, y.device) == (x.shape, x.dtype, given_tensor.device)


@claim(
    "`dtype=` and `device=` override what they name, and `x.new_zeros(size)` takes the data type and the device, but not the shape:"
)
@given(tensors())
def test_new_zeros(x: Tensor) -> None:
    y = x.to("meta").new_zeros(5)
    assert (y.shape, y.dtype, y.device.type) == ((5,), x.dtype, "meta")
    assert torch.zeros_like(x, dtype=torch.int8, device="meta").device.type == "meta"


@claim("`rand_like` of an integer tensor raises an error, unless you name a float `dtype=`.")
@pytest.mark.parametrize(
    "dtype", [dtype for dtype in DTYPES if not dtype.is_floating_point and not dtype.is_complex], ids=str
)
def test_rand_like(dtype: torch.dtype) -> None:
    x = torch.ones(2, dtype=dtype)
    raises("not implemented for", torch.rand_like, x)
    assert torch.rand_like(x, dtype=torch.float16).dtype == torch.float16


@claim("`torch.diag` writes a vector onto a diagonal, or reads the diagonal of a matrix.")
@given(tensors(shapes(1, 2), dtypes=(torch.float32, torch.int64), extremes=False))
def test_diag(x: Tensor) -> None:
    y = torch.diag(x)
    if x.ndim == 1:
        assert y.shape == 2 * x.shape
        same(torch.diag(y), x)
    else:
        assert y.tolist() == [x[i, i].item() for i in range(min(x.shape))]


@claim("`torch.tril` keeps the lower triangle of a matrix and sets the rest to 0; `torch.triu` keeps the upper one.")
@given(tensors(shapes(2, 2), extremes=False))
def test_tril_and_triu(x: Tensor) -> None:
    row, column = torch.meshgrid(*map(torch.arange, x.shape), indexing="ij")
    same(torch.tril(x), x.masked_fill(row < column, 0))
    same(torch.triu(x), x.masked_fill(row > column, 0))


@claim("`one_hot` turns each class number into a row of zeros with a single 1.")
@given(st.lists(st.integers(0, 9), min_size=1), st.integers(10, 12))
def test_one_hot(labels: list[int], classes: int) -> None:
    rows = F.one_hot(torch.tensor(labels), classes)
    assert rows.shape == (len(labels), classes)
    assert rows.sum(dim=1).eq(1).all()
    assert rows.argmax(dim=1).tolist() == labels


@claim(
    "`torch.as_tensor` shares if it can.",
    "`torch.from_numpy` does not: the tensor and the array are two names for the same memory.",
)
@pytest.mark.parametrize("kind", ["float64", "float32", "int64", "uint8", "bool"])
def test_as_tensor_shares(kind: str) -> None:
    array = np.zeros(3, dtype=kind)
    shared = torch.as_tensor(array), torch.from_numpy(array)
    array[1] = 1
    assert [x.tolist() for x in shared] == [[0, 1, 0]] * 2


@claim("For tensors, `=` gives a second name and `clone()` makes a copy.")
@given(tensors())
def test_clone_copies(x: Tensor) -> None:
    alias, copy = x, x.clone()
    assert alias is x
    assert not one_memory(copy, x)
    same(copy, x)


@claim("A tensor there has a shape and a data type, but no numbers and no memory.")
@given(tensors())
def test_meta(x: Tensor) -> None:
    there = x.to("meta")
    assert (there.shape, there.dtype) == (x.shape, x.dtype)
    raises("meta", there.tolist)


@claim("`torch.Tensor` with a capital T is the class that every tensor belongs to.")
@given(tensors())
def test_class(x: Tensor) -> None:
    for tensor in (x, x.to("meta"), torch.nn.Parameter(torch.ones(1)), torch.eye(2).to_sparse()):
        assert isinstance(tensor, torch.Tensor)


@claim("For a single whole number the two disagree: `torch.tensor` reads a value, `torch.Tensor` a size.")
@given(st.integers(0, 50))
def test_capital_t_reads_a_size(n: int) -> None:
    assert torch.tensor(n).item() == n
    assert torch.Tensor(n).shape == (n,)


@claim("`torch.__version__` names your version. It compares as a version, not as text: 2.13 comes after 2.9.")
def test_version() -> None:
    assert torch.torch_version.TorchVersion("2.13.0") > "2.9.1"
    assert type(torch.__version__) is torch.torch_version.TorchVersion


@claim("The class numbers have to be `int64`, not negative, and smaller than `num_classes`.")
@anything
def test_class_numbers(dtype: torch.dtype) -> None:
    assert refuses(F.one_hot, torch.tensor([0, 1], dtype=dtype), 2) == (dtype != torch.int64)
    assert refuses(F.one_hot, torch.tensor([0, -1]), 2)
    assert refuses(F.one_hot, torch.tensor([0, 2]), 2)


@claim(
    "These functions share three arguments: `dtype`, `device=None` (the current default, normally the CPU, unless the data is a tensor), and `requires_grad=False`, which matters in training (see Autograd)."
)
@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("tensor", (1,)),
        *((name, (2,)) for name in ("zeros", "ones", "empty", "eye", "arange", "rand", "randn", "randperm")),
        ("full", ((2,), 7)),
        ("linspace", (0, 1, 2)),
        ("randint", (5, (2,))),
    ],
)
def test_shared_arguments(name: str, arguments: tuple[object, ...]) -> None:
    make = getattr(torch, name)
    assert make(*arguments).device.type == "cpu"
    assert not make(*arguments).requires_grad
    x = make(*arguments, dtype=torch.float64, device="meta", requires_grad=True)
    assert (x.dtype, x.device.type, x.requires_grad) == (torch.float64, "meta", True)


@claim('With `indexing="ij"`, the first argument changes from row to row, with `"xy"` from column to column.')
@given(st.integers(1, 4), st.integers(1, 4))
def test_meshgrid(n: int, m: int) -> None:
    a, b = torch.arange(n), torch.arange(m)
    same(torch.meshgrid(a, b, indexing="ij")[0], a[:, None].expand(n, m))
    same(torch.meshgrid(a, b, indexing="xy")[0], a.expand(m, n))


@claim(
    "As a context, `torch.device` sets the device for most calls that create a tensor and name no device (not for `from_numpy`, for example):"
)
def test_context() -> None:
    with torch.device("meta"):
        made = [torch.tensor(1), torch.zeros(1), torch.arange(2), torch.rand(2), torch.eye(2)]
        named, array = torch.zeros(1, device="cpu"), torch.from_numpy(np.ones(1))
    assert {one.device.type for one in made} == {"meta"}
    assert (named.device.type, array.device.type) == ("cpu", "cpu")


@claim("`torch.tensor(original)` copies too, with a warning.")
@given(tensors())
def test_copy_of_a_tensor(x: Tensor) -> None:
    with pytest.warns(UserWarning, match="copy construct"):
        assert not one_memory(torch.tensor(x), x)
