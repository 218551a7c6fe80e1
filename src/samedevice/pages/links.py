"""links: the grammar of code and links in Markdown, for all that looks for links."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

CODE = (
    r"(?P<fence>^(?P<indent>[ \t>]*)(?P<mark>`{3,}|~{3,})[^\n]*\n(?:.*?\n)??[ \t>]*(?P=mark)[`~]*[ \t]*$)"
    r"|(?P<span>(?<![`\\])(?P<ticks>`+)(?!`)(?:(?!\n[ \t]*\n)[\s\S])+?(?<!`)(?P=ticks)(?!`))"
    r"|(?P<comment><!--.*?-->)"
)
"""Code and comments, in which nothing is a link."""
TEXT = r"(?P<text>(?:\\.|`[^`\n]*`|\[(?:\\.|[^\[\]\\])*\]|[^\[\]\\`])*)"
"""Each character can be read in one way only: with two, an open bracket before many links took forever."""
URL = r"(?:<(?P<angled>[^<>\n]*)>|(?P<url>[^()<\s][^()\s]*(?:\([^()\s]*\)[^()\s]*)*))"
LINK = rf"(?P<image>!?)\[{TEXT}\]\([ \t]*{URL}(?P<title>[ \t\n]+(?:\"[^\"]*\"|'[^']*'))?[ \t]*\)"
DEFINITION = r"(?P<start>^ {0,3}\[(?!\^)[^\]\n]+\]:[ \t]+)(?P<defined>\S+)"
GRAMMAR = re.compile(rf"{CODE}|{DEFINITION}|{LINK}", re.M | re.S)
ONLY_CODE = re.compile(CODE, re.M | re.S)


@dataclass(frozen=True)
class Link:
    """A link, or an image."""

    text: str
    """What stands for it, as Markdown; for an image its alternative text; empty for a definition of a link."""
    url: str
    """Where it leads, as written."""
    image: bool
    """Whether it is an image."""

    @property
    def outside(self) -> bool:
        """Whether it leads to another site."""
        return bool(re.match(r"[A-Za-z][\w+.-]*:|//", self.url))


def find_links(markdown: str) -> Iterator[Link]:
    """The links, images and definitions of links in a text, in order; none that are in code."""
    return (_link(found) for found in GRAMMAR.finditer(markdown) if _is_link(found))


def relink(markdown: str, change: Callable[[str], str]) -> str:
    """The text with the address of each link replaced by what `change` gives for it; images are left as they are."""
    return replace_links(markdown, lambda link: link.url if link.image else change(link.url))


def replace_links(markdown: str, change: Callable[[Link], str | None]) -> str:
    """The text with the address of each link replaced; where `change` gives None, only the link's text is left."""

    def write(found: re.Match[str]) -> str:
        if not _is_link(found):
            return found[0]
        link = _link(found)
        url = change(link)
        if found["defined"] is not None:
            return found[0] if url is None else found["start"] + url
        text = found["text"] if link.image else replace_links(found["text"], change)
        if url is None:
            return text
        return f"{found['image']}[{text}]({f'<{url}>' if found['angled'] is not None else url}{found['title'] or ''})"

    return GRAMMAR.sub(write, markdown)


def outside_code(markdown: str, change: Callable[[str], str]) -> str:
    """The text with `change` applied to each part of it that is neither code nor a comment."""
    parts, at = [], 0
    for code in ONLY_CODE.finditer(markdown):
        parts += [change(markdown[at : code.start()]), code[0]]
        at = code.end()
    return "".join([*parts, change(markdown[at:])])


def _is_link(found: re.Match[str]) -> bool:
    return found["url"] is not None or found["angled"] is not None or found["defined"] is not None


def _link(found: re.Match[str]) -> Link:
    url = found["url"] if found["url"] is not None else found["angled"]
    return Link(found["text"] or "", url if url is not None else found["defined"], bool(found["image"]))
