"""escaping: text of a page, a recording or a server as it is written into each format, so that it stays text there.

One function a format. What is read from files is checked as well (see `schema`); this holds whatever passed there.
"""

from __future__ import annotations

import re
from html import escape
from urllib.parse import quote, unquote

from samedevice.outputs.cleaning import VISIBLE

BREAKS = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]+")
"""Line ends of every kind, and control characters."""
MARKDOWN = re.compile(r"^(?:[>+:-]|\d{1,9}(?=[.)]))|[\\`*_\[\]<&\"'~^=$|{}!#]")
"""What Markdown, its extensions and HTML give a meaning: where a line begins, and within it."""
NOT_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
"""The characters that XML cannot hold, not even by their numbers."""
ON_TERMINALS = {**VISIBLE, ord("\r"): "\u240d"}


def html(text: str, quotes: bool = True) -> str:
    """Text for an element of HTML, or, with its quotes escaped, for an attribute."""
    return escape(text, quote=quotes)


def markdown(text: str) -> str:
    """Text for one line of Markdown, by numbers for what has a meaning there: every Markdown shows them as text."""
    return MARKDOWN.sub(lambda found: "".join(f"&#{ord(sign)};" for sign in found[0]), one_line(text))


def python_comment(text: str) -> str:
    """Text as a comment of Python, on one line."""
    return f"# {BREAKS.sub(' ', text)}".rstrip()


def terminal(text: str) -> str:
    """Text for a terminal: what would move its cursor, colour it or turn its direction is visible instead."""
    return text.encode("utf-8", "backslashreplace").decode().translate(ON_TERMINALS)


def xml(text: str) -> str:
    """Text for an element of XML, for a writer that escapes the brackets: without what XML cannot hold."""
    return NOT_XML.sub("\ufffd", text)


def url(text: str) -> str:
    """A path as it is in a URL; what was escaped before stays so."""
    return quote(unquote(text), safe="/")


def one_line(text: str) -> str:
    """Text on one line, each row of line ends and control characters as a blank."""
    return BREAKS.sub(" ", text).strip()
