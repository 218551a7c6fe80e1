"""Comparison: which two outputs count as the same."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from samedevice.outputs.comparison import FLOAT, difference, same_text
from samedevice.outputs.output import Figure, Output, Raised
from samedevice.project import RECORDINGS

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("same", "same"),
        ("tensor([0.2500, 1.000])", "tensor([0.25000, 1.0000])"),
        ("loss 0.001234", "loss 1.234e-3"),
        ("0.1235", "0.12345678"),
        ("-1.500", "-1.5000"),
        ("1.0000", "0.99996"),
        ("1.2345 s", "1.23449 s"),
    ],
)
def test_floats_of_four_digits_may_be_rounded(one: str, other: str) -> None:
    """How many digits a tensor prints follows from its other numbers, and is no difference."""
    assert same_text(one, other)
    assert same_text(other, one)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("0.5", "0.4812"),
        ("0.5", "0.5499"),
        ("0.150", "0.2"),
        ("1e-3", "1.4e-3"),
        ("1e-3", "1e-4"),
        ("PyTorch 2.1", "PyTorch 2.13"),
        ("PyTorch 2.1", "PyTorch 2.10"),
        ("driver 580.95.05", "driver 580.952.05"),
        ("2.1.0", "2.10.0"),
        ("2.13.0", "2.13.1"),
    ],
)
def test_in_a_short_number_each_digit_counts(one: str, other: str) -> None:
    """A version is no rounded number, and a number of one digit says nothing about the digits that it lacks."""
    assert not same_text(one, other)
    assert not same_text(other, one)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("0.1234", "0.1235"),
        ("1.0", "-1.0"),
        ("1.0000", "-1.0000"),
        ("1.0000", "1.0001"),
        ("0.1235", "0.12356"),
        ("1.234e-3", "1.234e-4"),
        ("1.0000e99999999", "1.00010e99999999"),
        ("0.5", "5.0"),
        ("0.0", "0.4"),
        ("0.0000", "0.00004"),
        ("torch.Size([2, 3])", "torch.Size([2, 4])"),
        ("torch.Size([2, 3])", "torch.Size([2, 3, 1])"),
        ("torch.float32", "torch.float16"),
        ("device='cuda:0'", "device='cuda:1'"),
        ("device(type='cpu')", "device(type='cuda', index=0)"),
        ("tensor([1])", "tensor([1.])"),
        ("tensor([1., 2.])", "tensor([1., 2.], dtype=torch.float64)"),
        ("tensor([1., 2.])", "tensor([1.4000, 2.4000])"),
        ("1234.", "1234.3"),
        ("100", "101"),
        ("1.0 s", "1.0 ms"),
        ("nan", "1.0"),
        ("inf", "-inf"),
        ("True", "False"),
        ("a b", "a  b"),
        ("a\nb", "a b"),
        ("", "0.0"),
        ("0.0e+00", "0.0e+01"),
    ],
)
def test_everything_else_counts(one: str, other: str) -> None:
    """Shape, dtype, device and whole numbers are facts; a comparison that lets them pass tests nothing."""
    assert not same_text(one, other)
    assert not same_text(other, one)


def recorded_floats() -> Iterator[str]:
    """The floats that are recorded of any page on any device, as printed."""
    for path in (ROOT / RECORDINGS).rglob("*.json"):
        for output in json.loads(path.read_text(encoding="utf-8"))["outputs"].values():
            yield from FLOAT.findall(Output.from_json({**output, "figures": []}).shown)


def others(number: str) -> Iterator[str]:
    """The number and its neighbours, up to 30 % away, at all lengths and in both notations."""
    for factor in (1.0, 0.7, 0.95, 0.985, 0.9895, 1.0105, 1.015, 1.05, 1.3):
        for digits in range(8):
            yield from (f"{float(number) * factor:.{digits}{kind}}" for kind in "ef")


def test_no_recorded_float_can_drift_by_one_percent() -> None:
    """A number that may change by more is not compared. Before, 368 of 1,669 could."""
    found = {number for number in recorded_floats() if float(number)}
    assert len(found) > 300
    far = lambda one, other: abs(float(other) / float(one) - 1) > 0.01  # noqa: E731
    drift = {(a, b) for a in found for b in others(a) if far(a, b) and same_text(a, b)}
    assert drift == set()


def test_where_numbers_vary_only_the_text_around_them_counts() -> None:
    """Times and memory differ from run to run, the sentence around them does not."""
    assert same_text("took  1.25 s\non 3 runs", "took 10.5 s\non 12 runs", numbers_vary=True)
    assert same_text("-1.5e-3 W", "2 W", numbers_vary=True)
    assert same_text("1,383/s", "784/s", numbers_vary=True)
    assert not same_text("1,38", "784", numbers_vary=True)
    assert not same_text("took 1.25 s", "took 1.25 ms", numbers_vary=True)
    assert not same_text("1 2", "1 2 3", numbers_vary=True)
    assert not same_text("took 1 s", "took # s", numbers_vary=True)
    assert not same_text("a # b", "a #b", numbers_vary=True)
    assert not same_text("torch.float32 1.0", "torch.float16 1.0", numbers_vary=True)


def test_a_difference_is_shown_line_by_line() -> None:
    """A person must see at a glance what was recorded and what came now."""
    found = difference(Output("a\nb\nc\n"), Output("a\nB\nc\n"))
    assert found.splitlines() == ["--- recorded", "+++ now", "@@ -1,3 +1,3 @@", " a", "-b", "+B", " c"]
    assert difference(Output("a\n"), Output("a\n")) == ""
    assert difference(Output("1.5"), Output("2.5"), numbers_vary=True) == ""


def test_a_difference_in_the_exception_is_a_difference() -> None:
    """Error messages are content."""
    assert "-ValueError: a" in difference(
        Output(raised=Raised("ValueError", "a")), Output(raised=Raised("ValueError", "b"))
    )
    trace = Raised("ValueError", "a", "Traceback")
    assert difference(Output(raised=Raised("ValueError", "a")), Output(raised=trace)) == ""


def test_figures_are_compared_by_their_bytes() -> None:
    """The same code draws the same picture."""
    old, new = Figure("<svg>1</svg>", "a line"), Figure("<svg>2</svg>", "a line")
    assert difference(Output(figures=(old,)), Output(figures=(old,))) == ""
    assert (
        difference(Output(figures=(old,)), Output(figures=(new,))) == "figure 1: another picture than the recorded one"
    )
    assert difference(Output(figures=(old,)), Output(figures=(new,)), numbers_vary=True) == ""
    assert difference(Output(figures=(old,)), Output()) == "recorded 1 figures, now 0"


def test_another_alt_text_is_no_difference() -> None:
    """The author wrote it, and may mend it without running the block again."""
    old, new = Figure("<svg>1</svg>", "a line"), Figure("<svg>1</svg>", "two lines")
    assert difference(Output(figures=(old,)), Output(figures=(new,))) == ""
