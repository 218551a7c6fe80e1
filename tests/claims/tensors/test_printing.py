"""Printing: digits, and what is left out."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from claims.claimlib import claim, refuses


@pytest.fixture(autouse=True)
def default_options() -> Iterator[None]:
    """Puts back how tensors are printed."""
    yield
    torch.set_printoptions(profile="default")


@claim("By default, PyTorch prints floats with at most four digits after the point.")
@given(st.lists(st.floats(-1000, 1000, width=32), min_size=1, max_size=5))
def test_four_digits(data: list[float]) -> None:
    numbers = repr(torch.tensor(data)).removeprefix("tensor([").split("]")[0].split(",")
    assert all(len(number.strip().partition(".")[2].partition("e")[0]) <= 4 for number in numbers)


@claim("In a tensor with more than 1,000 elements, PyTorch prints the first and the last three of each long dimension.")
@pytest.mark.parametrize(("shape", "short"), [((1000,), False), ((1001,), True), ((2, 501), True), ((11, 91), True)])
def test_left_out(shape: tuple[int, ...], short: bool) -> None:
    x = torch.zeros(shape)
    assert ("..." in repr(x)) == short
    if short:
        row = repr(x).replace("\n", "").split("]")[0].split("...")
        assert [part.count("0.") for part in row] == [3, 3]


@claim('all elements, without `...` | `torch.set_printoptions(profile="full")`')
def test_full() -> None:
    torch.set_printoptions(profile="full")
    assert repr(torch.zeros(3000)).count("0.") == 3000


@claim("Name `sci_mode` in each call: a call without it turns the automatic choice on again.")
def test_sci_mode() -> None:
    x = torch.tensor([1e-5, 1.0])
    automatic = repr(x)
    torch.set_printoptions(sci_mode=False)
    assert repr(x) != automatic
    torch.set_printoptions(precision=4)
    assert repr(x) == automatic


@claim(
    "In an f-string, a tensor without dimensions, such as a loss, prints as a Python number, and takes a format.",
    "An `nn.Parameter` does not: call its `.item()`.",
)
def test_f_string() -> None:
    for loss in (torch.tensor(1.5), torch.tensor(1.5, requires_grad=True) * 1):
        assert f"{loss} {loss:.2f}" == "1.5 1.50"
    parameter = torch.nn.Parameter(torch.tensor(1.5))
    assert refuses(format, parameter, ".2f")
    assert f"{parameter.item():.2f}" == "1.50"
    assert refuses(format, torch.tensor([1.5]), ".2f")


@claim("Without scientific notation, a number below 0.00005 prints as `0.0000`, such as a small gradient.")
def test_small_numbers() -> None:
    torch.set_printoptions(sci_mode=False)
    assert "0.0000" in str(torch.tensor([4.9e-5]))
    assert "0.0001" in str(torch.tensor([5.1e-5]))
