"""asked: what people ask of a section, in their words, as it stands in the front matter of its page.

    asked:
      page: |
        what is a tensor
      err-shapes: |
        mat1 and mat2 do not fit

`page` is the page itself, every other key the id of a section. The search takes a question that is like one of them to
that section.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from pathlib import Path

from same_device_site.front_matter import front_matter
from samedevice import PageError

WHOLE = "page"
"""The key for what is asked of the page itself."""


def asked(text: str) -> Mapping[str, Sequence[str]]:
    """The questions of a page by the id of their section."""
    if "asked:" not in text.partition("\n---\n")[0].partition("\n# ---\n")[0]:
        return {}
    told = front_matter(text).get("asked", {})
    return {id: [line for line in questions.split("\n") if line] for id, questions in told.items()}


def asked_by_location(root: Path, paths: Collection[Path], locations: Collection[str]) -> dict[str, Sequence[str]]:
    """The questions of all pages by the location of their section in the search's index.

    Raises PageError for a section that the index does not have: it was renamed, and its questions would be lost. A page
    that the index does not have is not made yet, as in `mkdocs serve`.
    """
    known = {(_name(page), anchor): location for location in locations for page, _, anchor in [location.partition("#")]}
    made, found = {name for name, _ in known}, {}
    for path in paths:
        text, name = path.read_text(encoding="utf-8"), path.relative_to(root / "docs").with_suffix("").as_posix()
        if name.removesuffix("index") not in made:
            continue
        for id, questions in asked(text).items():
            location = known.get((name.removesuffix("index"), "" if id == WHOLE else id))
            if location is None:
                line = text[: text.find(f"  {id}: |")].count("\n") + 1
                said = f"asked: no section that the search knows has the id {id}"
                raise PageError(path.relative_to(root).as_posix(), line, said)
            found[location] = questions
    return found


def _name(location: str) -> str:
    """The name of the page at a location, `tensors/creating`; empty for the home page."""
    return location.removesuffix(".html").rstrip("/").removesuffix("index")
