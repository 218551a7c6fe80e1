"""What pages say of their sections: which one fits a pasted error, and what it says with the reader's numbers."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from same_device_site.error_sections import error_sections
from same_device_site.fits import NAME, Fit, fits
from same_device_site.settings import parse_page
from samedevice import Page, PageError

Write = Callable[..., Page]
ROOT = Path(__file__).parents[2]
TOLD = [
    (page, section, fits(page, [one.id for one in error_sections(page)])[section.id])
    for page in (parse_page(path, ROOT) for path in sorted((ROOT / "docs/errors").glob("*.md")))
    for section in error_sections(page)
    if section.id in fits(page, [one.id for one in error_sections(page)])
]
"""Each section that its page says more of."""


def told(write: Write, fit: str) -> Page:
    """A page with one section, and what it says of it."""
    front = f"---\nfits:\n  err-a:\n    {fit}\n---\n\n"
    return write(f"{front}# `size (3) is wrong` {{ #err-a }}\n\nIt is so.\n", "docs/errors/a.md")


def test_a_fit_is_read(write: Write) -> None:
    """Words of a traceback, and a text with numbers of the message."""
    page = told(write, """{seen: [x.py], numbers: "size ({a})", says: {"a == 3 and a + 1 != 2": "It is {a}."}}""")
    (fit,) = fits(page, ["err-a"]).values()
    assert fit == Fit(("x.py",), (), "size ({a})", {"a == 3 and a + 1 != 2": "It is {a}."})
    assert fit.to_json() == {
        "seen": ("x.py",),
        "numbers": "size ({a})",
        "says": [["a == 3 and a + 1 != 2", "It is {a}."]],
    }


WRONG = [
    ("{sees: [x.py]}", "sees is unknown in err-a"),
    ('{numbers: "size ({a})", otherwise: "It is {b}."}', "b is no number of err-a"),
    ('{numbers: "size ({a})", shapes: [[a, c]]}', "c is no number of err-a"),
    ('{numbers: "size ({a})", says: {a: It is.}}', '"a" is no condition; write a == b'),
]


@pytest.mark.parametrize(("fit", "said"), WRONG)
def test_what_is_not_understood_is_an_error_that_says_where(write: Write, fit: str, said: str) -> None:
    """An author who mistypes a word would otherwise see no answer in the box, and no reason."""
    with pytest.raises(PageError, match=re.escape(f"docs/errors/a.md:3: fits: {said}")):
        fits(told(write, fit), ["err-a"])


def test_a_section_that_is_not_there_is_an_error(write: Write) -> None:
    """It was renamed, and what is told of it would be lost."""
    with pytest.raises(PageError, match="no section has the id err-a; this page has err-b"):
        fits(told(write, "{seen: [x.py]}"), ["err-b"])


@pytest.mark.parametrize(("page", "section", "fit"), TOLD, ids=[one.id for _, one, _ in TOLD])
def test_the_numbers_are_those_of_the_message(page: Page, section: object, fit: Fit) -> None:
    """A form that does not find the numbers of the page's own message finds no reader's."""
    form = r"(-?\d+)".join(re.escape(part) for part in NAME.split(fit.numbers)[::2])
    assert re.search(form, " ".join(section.messages))  # type: ignore[attr-defined]
