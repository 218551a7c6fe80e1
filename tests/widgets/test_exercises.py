"""An answer is compared as the site's own tests compare outputs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from samedevice.outputs.comparison import same_text

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
    ("tensor(7.)", "tensor(7)", "whole numbers"),
    ("a\nb", "a", "1 line, the solution 2"),
    ("tensor([1., 2.])", "tensor([1., 3.])", "1 of 2 numbers"),
    ("12", "13", "the number is another one"),
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
