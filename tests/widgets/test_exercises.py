"""An answer is compared as the site's own tests compare outputs."""

from __future__ import annotations

import json
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from samedevice.outputs.comparison import VARYING, same_text

CASES = json.loads((Path(__file__).parents[1] / "samples/exercises/same.json").read_text(encoding="utf-8"))
"""Of each pair of texts whether it is the same: one set for pytest and for the page."""


@pytest.mark.parametrize(("recorded", "given", "same"), CASES)
def test_the_page_and_the_tests_agree(ask: Any, recorded: str, given: str, same: bool) -> None:
    """Otherwise a page would call an answer wrong that a test takes for right, or `7` right for `7.`."""
    (found,) = ask("exercises", "difference", [[recorded, given]])
    assert (found is None, same_text(recorded, given)) == (same, same)


def test_the_line_that_differs_is_named(ask: Any) -> None:
    """With both texts; blank lines around the answer do not count."""
    (found,) = ask("exercises", "difference", [["one\ntwo\nthree", "\none\n2\nthree\n"]])
    assert found == {"line": 2, "wanted": "two", "got": "2"}


ROUNDED = [
    ("5.22 GiB", "5.2", True),
    ("5.22 GiB", "5.2154", True),
    ("5.22 GiB", "5.2 GiB", True),
    ("5.22 GiB", "5.22 MiB", False),
    ("5.22 GiB", "5.3", False),
    ("5.22 GiB", "5", False),
    ("1 and 2", "1", False),
    ("3", "3", False),
    ("12.", "12", False),
    ("12.0", "12.", False),
]


@pytest.mark.parametrize(("recorded", "given", "right"), ROUNDED)
def test_one_number_may_be_rounded(ask: Any, recorded: str, given: str, right: bool) -> None:
    """An exercise asks for a number, and not for the form in which the solution prints it."""
    assert ask("exercises", "rounded", [[recorded, given]]) == [right]


HINTS = [
    ("tensor(7.)", "tensor(7)", "The value is equal. The solution printed it as a float."),
    ("48", "48.0", "The value is equal. The solution printed it as a whole number, without a point."),
    ("1234", "1234.0", "The value is equal. The solution printed it as a whole number, without a point."),
    ("0.0", "0", "The value is equal. The solution printed it as a float."),
    ("0.2", "0.20", "The value is equal. The solution printed it with another number of digits."),
    ("7.", "7.0", "The value is equal. The solution printed it with another number of digits."),
    ("0.", "-0.", "The value is equal. The solution printed it with another sign."),
    ("0.001", "1e-3", "The value is equal. The solution printed it without an exponent."),
    ("1.5e-3", "1.5e-03", "The value is equal. The solution printed it in another form."),
    ("[0.0, 8.0]", "[0,8]", "The values are equal. The solution printed them as floats, and with other blanks."),
    ("[0.0, 1, 2]", "[0, 1, 2]", "The values are equal. The solution printed 1 of them as a float."),
    ("[0, 0.2]", "[0.0, 0.20]", "printed them as whole numbers, without a point or with another number of digits."),
    ("0.1235 5", "0.12346 5.0", "The values are equal, but for rounding. The solution printed 1 of them as a whole"),
    ("0.1235  5", "0.12346 5", "Only the blanks differ."),
    ("[0.0, 8.0]", "[0.0,8.0]", "Only the blanks differ."),
    ("[0.0, 1.0, 8.0]", "[0,1,9]", "1 of 3 numbers is another one"),
    ("[0.0, 1.0, 8.0]", "[0,2,9]", "2 of 3 numbers are other ones"),
    ("9007199254740992", "9007199254740993.0", "The number is another one"),
    ("1\n2", "1\n2.0", "Line 2: the value is equal. The solution printed it as a whole number"),
    ("1\n2", "1 2", "1 line, the solution 2. All else but blanks is the same."),
    ("2.1000.5", "2.10004.5", "It differs in more than its numbers"),
    ("a\nb", "a", "1 line, the solution 2"),
    ("tensor([1., 2.])", "tensor([1., 3.])", "1 of 2 numbers"),
    ("12", "13", "The number is another one"),
    ("tensor(1., device='cuda:0')", "tensor(1.)", "another device"),
    ("tensor(1., requires_grad=True)", "tensor(1.)", "whether there is a gradient"),
    ("a\n1  2", "a\n1 2", "Line 2: only the blanks differ"),
    ("right", "wrong", "differs in more than its numbers"),
]


@pytest.mark.parametrize(("recorded", "given", "said"), HINTS)
def test_a_hint_says_what_to_look_at(ask: Any, recorded: str, given: str, said: str) -> None:
    """And not what the solution printed: a reader wants to find it."""
    (found,) = ask("exercises", "hint", [[recorded, given]])
    assert said in found
    assert recorded not in found


def numbers(text: str) -> list[Decimal]:
    """Its numbers, exactly."""
    return [Decimal(one) for one in VARYING.findall(text)]


def test_equal_numbers_are_not_called_other_ones(ask: Any) -> None:
    """A reader who is told so looks for a mistake in a program that has none."""
    wrong = [[recorded, given] for recorded, given, same in CASES if not same]
    for (recorded, given), said in zip(wrong, ask("exercises", "hint", wrong), strict=True):
        equal = numbers(recorded) == numbers(given)
        assert not (equal and ("another one" in said or "other ones" in said)), said
        assert equal or "equal." not in said, said
