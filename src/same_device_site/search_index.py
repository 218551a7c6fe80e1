"""searchindex: the index of the search, made when the site is built, so that a phone answers at once.

MkDocs's plugin writes each section with its HTML. This keeps what the search reads: prose without elements, lines of
code that name something, and what people ask of the section. `docs/assets/search.js` reads it. The rest of the code and
its outputs found two of 1,566 questions and logs more, and were 20 kB.
"""

from __future__ import annotations

import html
import json
import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from same_device_site.asked import asked_by_location

FILE = "search/search_index.json"
"""Where MkDocs's plugin writes its index, below the site's folder."""
PRE = re.compile(r"<pre[^>]*>(.*?)</pre>", re.S)
TOLD = re.compile(r"<(p|li)>(.*?)</\1>", re.S)
TAG = re.compile(r"<[^>]+>")
NAMES = re.compile(r"(?!self\.)\b[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+")
RAISED = re.compile(r"^(?:\w+\.)*\w*(?:Error|Warning|Exception)(?=:|$)", re.M)
WIDE = 90
"""Characters of a line of code that a result shows."""
COMMON = 20
"""Sections with a line from which on it says nothing about any of them, such as an import."""
LISTS = re.compile(r"reference/apis\.")
"""Pages whose table lists what is on other pages: its words would find it instead of them."""
MORE = "Read more: "
"""How the last line of a page about a message begins: its words are those of other pages."""


@dataclass(frozen=True)
class Section:
    """A section of the plugin's index, in parts."""

    location: str
    """Its address below the site's."""
    title: str
    """Its heading, as HTML."""
    told: tuple[str, ...]
    """Its paragraphs and items of lists, without elements."""
    rest: str
    """What else it says: its tables."""
    code: tuple[str, ...]
    """The lines of its code, each once."""
    raised: str
    """The name of the first exception or warning that its outputs show; empty if none."""

    @classmethod
    def read(cls, doc: Mapping[str, str]) -> Section:
        """A section from the plugin's words for it."""
        shown, prose = PRE.findall(doc["text"]), PRE.sub(" ", doc["text"])
        told = tuple(_plain(found[2]) for found in TOLD.finditer(prose))
        code = [line.strip() for one in shown if one.startswith("<code") for line in _unescaped(one).split("\n")]
        raised = RAISED.search("\n".join(_unescaped(one) for one in shown if not one.startswith("<code")))
        rest = _plain(TOLD.sub(" ", prose))
        once = tuple(dict.fromkeys(line for line in code if re.search(r"[a-z_]{2}", line)))
        return cls(doc["location"], doc["title"], told, rest, once, raised[0] if raised else "")


def _unescaped(text: str) -> str:
    return html.unescape(TAG.sub("", text))


def _plain(text: str) -> str:
    return " ".join(_unescaped(text).split())


def rows(docs: Iterable[Mapping[str, str]], asked: Mapping[str, Sequence[str]]) -> list[list[str]]:
    """The rows of the index: location, title, prose, lines of code, questions.

    The location of a section is its anchor; that of the page comes before. `asked` has the questions by location.
    """
    sections = [Section.read(doc) for doc in docs]
    often = Counter(line for one in sections for line in one.code)
    found = []
    for one in sections:
        page, _, anchor = one.location.partition("#")
        told = [text for text in one.told if not text.startswith(MORE)]
        rest = [] if not one.rest or LISTS.match(one.location) else [f"|{one.rest}"]
        lines = [line[:WIDE] for line in _naming(one.code) if often[line] <= COMMON]
        prose = "\n".join([*told, *rest])
        code = "\n".join([*([f"{one.raised}:"] if one.raised else []), *lines])
        location = f"#{anchor}" if anchor else page
        found.append([location, one.title, prose, code, "\n".join(asked.get(one.location, ()))])
    return [_without_empty_end(row) for row in found]


def _naming(code: Iterable[str]) -> Iterable[str]:
    """The lines of a section's code that have a dotted name which none before has."""
    seen: set[str] = set()
    for line in code:
        names = set(NAMES.findall(line))
        if names - seen:
            yield line
        seen |= names


def _without_empty_end(row: list[str]) -> list[str]:
    while not row[-1]:
        row = row[:-1]
    return row


def write(site: Path, root: Path, paths: Collection[Path]) -> None:
    """Put the index in the place of the plugin's, which the theme's script hands to the worker as it is.

    Raises PageError if a page has questions for a section that is not there.
    """
    path = site / FILE
    index: dict[str, Any] = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {"docs": {}}
    if isinstance(index["docs"], list):
        questions = asked_by_location(root, paths, [doc["location"] for doc in index["docs"]])
        index["docs"] = {"rows": rows(index["docs"], questions)}
        path.write_text(json.dumps(index, ensure_ascii=False, separators=(",", ":")), encoding="utf-8")
