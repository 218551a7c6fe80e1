"""fits: what says that a section is the one for a pasted error, and what it says with the reader's own numbers.

A page about errors has it in its front matter, below `fits`, by the ids of its sections:

    fits:
      err-linear-flattened:
        seen: [nn/modules/linear.py, "addmm:"]
        numbers: ({a}x{b} and {c}x{d})
        says:
          "b != c": Your layer expects {c} features and gets {b}.
        otherwise: No fix of this kind exists.
        shapes: [[a, b], [c, d]]
      err-list-index:
        only: [__getitem__, DataLoader]

Of several sections about one message, the box shows the one with words that are `seen` in the traceback or the
message, else the first one with a condition of `says` that holds. Without a word of `only` the text is no match. A
name in braces is a number of the message; `shapes` are two matrices of such numbers, which the box draws. A condition
compares sums of numbers and names with `==` or `!=`, joined by `and`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from same_device_site.front_matter import front_matter
from samedevice import Page, PageError

NAME = re.compile(r"\{(\w+)\}")
SUM = r"(?:\w+|\d+)(?: [-+*/%] (?:\w+|\d+))*"
CONDITION = re.compile(rf"{SUM} [=!]= {SUM}(?: and {SUM} [=!]= {SUM})*")


@dataclass(frozen=True)
class Fit:
    """What a page says of one of its sections."""

    seen: tuple[str, ...] = ()
    """Words of a traceback or a message that say that this section is the one; a path has slashes."""
    only: tuple[str, ...] = ()
    """Words of which a text must have one, or the section is no match."""
    numbers: str = ""
    """The part of the message with the reader's numbers, each as a name in braces."""
    says: Mapping[str, str] = field(default_factory=dict)
    """What the section says with these numbers, in Markdown with code spans alone, by the condition for it."""
    otherwise: str = ""
    """What it says if no condition holds."""
    shapes: tuple[tuple[str, ...], ...] = ()
    """The names of the numbers of two matrices, rows and columns, of which the inner ones should be equal."""

    def to_json(self) -> dict[str, Any]:
        """What the box reads: the fields that are not empty."""
        says = [[condition, text] for condition, text in self.says.items()]
        parts = {"seen": self.seen, "only": self.only, "numbers": self.numbers, "says": says}
        last = {"otherwise": self.otherwise, "shapes": self.shapes}
        return {name: part for name, part in {**parts, **last}.items() if part}


def fits(page: Page, ids: Sequence[str]) -> dict[str, Fit]:
    """What a page says of its sections, which have these ids. Raises PageError for what is not understood."""
    if "\nfits:\n" not in page.text:
        return {}
    return {id: _fit(page, id, told, ids) for id, told in front_matter(page.text)["fits"].items()}


def _fit(page: Page, id: str, told: Any, ids: Sequence[str]) -> Fit:
    """One of them, checked."""
    line = page.text[: page.text.find(f"\n  {id}:") + 1].count("\n") + 1
    if id not in ids:
        raise PageError(page.path, line, f"fits: no section has the id {id}; this page has {', '.join(ids)}")
    unknown = set(told) - {"seen", "only", "numbers", "says", "otherwise", "shapes"}
    if unknown:
        raise PageError(page.path, line, f"fits: {', '.join(sorted(unknown))} is unknown in {id}")
    listed = {name: tuple(told.get(name, ())) for name in ("seen", "only")}
    shapes = tuple(tuple(shape) for shape in told.get("shapes", ()))
    form, says, rest = told.get("numbers", ""), told.get("says", {}), told.get("otherwise", "")
    fit = Fit(**listed, numbers=form, says=says, otherwise=rest, shapes=shapes)
    named = set(NAME.findall(fit.numbers))
    used = {one for text in (*fit.says.values(), fit.otherwise) for one in re.findall(r"[a-z]\w*", _sums(text))}
    used |= {one for shape in shapes for one in shape}
    used |= {one for condition in fit.says for one in re.findall(r"\b[a-z]\w*", condition.replace(" and ", " "))}
    if used - named:
        raise PageError(page.path, line, f"fits: {', '.join(sorted(used - named))} is no number of {id}")
    wrong = [one for one in fit.says if not CONDITION.fullmatch(one)]
    if wrong:
        raise PageError(page.path, line, f'fits: "{wrong[0]}" is no condition; write a == b')
    return fit


def _sums(text: str) -> str:
    """What stands in braces in a text."""
    return " ".join(re.findall(r"\{([^}]*)\}", text))
