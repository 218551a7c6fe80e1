"""searchindex: the index of the search, made when the site is built, so that a phone answers at once.

MkDocs's plugin writes each section with its HTML. This keeps what the search reads: the first sentences without
elements, the names in the code, and what people ask of the section. `docs/assets/search.js` reads it. All sentences and
lines of code found no more of 1,200 questions and 576 logs, and weighed 190 kB more, compressed.
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
NAMES = re.compile(r"(?!self\.)\b[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+|\b[a-z]\w*_\w+(?==)")
"""Names of modules and methods, and of arguments such as `non_blocking=`."""
RAISED = re.compile(r"^(?:\w+\.)*\w*(?:Error|Warning|Exception)(?=:|$)", re.M)
SENTENCE = re.compile(r"(?<=[.:!?])\s")
ENOUGH, ENOUGH_OF_A_MESSAGE, ENOUGH_OF_A_TABLE = 700, 250, 250
"""Characters of a section's sentences, of one about a message, and of its tables, that are kept."""
COMMON = 20
"""Sections with a line from which on it says nothing about any of them, such as an import."""
LISTS = re.compile(r"reference/apis\.")
"""Pages whose table lists what is on other pages: its words would find it instead of them."""
MESSAGES = "errors/"
"""Where the pages about messages are. A message is found by its title, and its code is on its page alone."""
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
    """The rows of the index: location, title, prose, names in the code, questions.

    The location of a section is its anchor; that of the page comes before. `asked` has the questions by location.
    """
    sections = [Section.read(doc) for doc in docs]
    often = Counter(line for one in sections for line in one.code)
    found = []
    for one in sections:
        page, _, anchor = one.location.partition("#")
        told = [text for text in one.told if not text.startswith(MORE)]
        rest = [] if not one.rest or LISTS.match(one.location) else [f"|{_first(one.rest, ENOUGH_OF_A_TABLE)}"]
        enough = ENOUGH_OF_A_MESSAGE if page.startswith(MESSAGES) else ENOUGH
        prose = "\n".join([_first("\n".join(told), enough), *rest])
        names = _names(line for line in one.code if often[line] <= COMMON)
        code = "\n".join([*([f"{one.raised}:"] if one.raised else []), *names])
        location = f"#{anchor}" if anchor else page
        found.append([location, one.title, prose, code, "\n".join(asked.get(one.location, ()))])
    return found


def _names(code: Iterable[str]) -> Iterable[str]:
    """The names in a section's code, each once."""
    return dict.fromkeys(name for line in code for name in NAMES.findall(line))


def _first(text: str, most: int) -> str:
    """The first sentences of a text, of about so many characters together."""
    kept = most
    for end in SENTENCE.finditer(text):
        if end.start() > most:
            break
        kept = end.start()
    return text if len(text) <= most else text[:kept]


def columns(found: Sequence[Sequence[str]]) -> list[list[str]]:
    """The rows as columns, which compress by 15 kB more: like stands beside like."""
    return [list(column) for column in zip(*found, strict=True)]


def write(site: Path, root: Path, paths: Collection[Path]) -> None:
    """Put the index in the place of the plugin's, which the theme's script hands to the worker as it is.

    Raises PageError if a page has questions for a section that is not there.
    """
    path = site / FILE
    index: dict[str, Any] = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {"docs": {}}
    if isinstance(index["docs"], list):
        questions = asked_by_location(root, paths, [doc["location"] for doc in index["docs"]])
        index["docs"] = {"columns": columns(rows(index["docs"], questions))}
        path.write_text(json.dumps(index, ensure_ascii=False, separators=(",", ":")), encoding="utf-8")
