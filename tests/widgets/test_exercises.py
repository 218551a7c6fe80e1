"""An answer is compared as the site's own tests compare outputs."""

from __future__ import annotations

from typing import Any

import pytest

from samedevice.outputs.comparison import same_text

PAIRS = [
    ("tensor(0.3333)", "tensor(0.33333)"),
    ("tensor(0.3333)", "tensor(0.3334)"),
    ("0.5", "0.48"),
    ("2.1", "2.13"),
    ("[2, 3]", "[2, 4]"),
    ("torch.float32 cpu", "torch.float32 cpu"),
    ("torch.float32 cpu", "torch.float32 cuda"),
    ("took 1.23e-05 s", "took 1.24e-05 s"),
    ("1.0000 2.0000", "1.0000 2.0000"),
    ("12.345 kB", "12.346 kB"),
    ("one\ntwo", "one\nthree"),
    ("one\ntwo", "one"),
    ("3", "3.0"),
]


@pytest.mark.parametrize(("recorded", "given"), PAIRS)
def test_the_page_and_the_tests_agree(ask: Any, recorded: str, given: str) -> None:
    """Otherwise a page would call an answer wrong that a test takes for right."""
    (found,) = ask("exercises", "difference", [[recorded, given]])
    assert (found is None) == same_text(recorded, given)


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
]


@pytest.mark.parametrize(("recorded", "given", "right"), ROUNDED)
def test_one_number_may_be_rounded(ask: Any, recorded: str, given: str, right: bool) -> None:
    """An exercise asks for a number, and not for the form in which the solution prints it."""
    assert ask("exercises", "rounded", [[recorded, given]]) == [right]
