"""Escaping: text stays text, in each format that the engine writes, as that format's own reader reads it."""

from __future__ import annotations

import ast
import io
import tokenize
from html.parser import HTMLParser
from urllib.parse import unquote, urlsplit
from xml.etree import ElementTree as ET

import pytest
from markdown import markdown as render
from markdown_it import MarkdownIt

from samedevice.outputs import escaping

HOSTILE = [
    "plain text of 3 words",
    "\nimport os; os.system('echo INJECTED')\n#",
    "\rimport os\x0cimport os\x0bimport os\x85import os\u2028import os",
    "</script><script>alert(1)</script><!-- ",
    '" onload="alert(1)" \' x=\'',
    "](javascript:alert(1)) [x]: y ![z](q) <http://a.b> http://a.b",
    "**bold** _em_ `code` ~~x~~ $x$ {{ x }} {: .x } &lt; &#60; \\* | x |",
    "```python\nprint(1)\n```",
    "- item",
    "1. item",
    "> quote",
    "# heading",
    "    code",
    '=== "tab"\n!!! note',
    "\x1b[2J\x1b]0;title\x07\x9b31m \u202egnp.exe",
    "]]>&x;\x00\x0b\ufffe\ud800",
    "a/../b?c#d%2fe é\\",
    "",
]


class Reader(HTMLParser):
    """Reads what a page says and which elements and attributes it has."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.text = ""
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note it."""
        self.elements.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        """Note it."""
        self.text += data


@pytest.mark.parametrize("text", HOSTILE)
def test_html_reads_as_text_in_elements_and_attributes(text: str) -> None:
    """A name could otherwise bring a script into every page."""
    found = Reader(f'<p title="{escaping.html(text)}">{escaping.html(text, quotes=False)}</p>')
    assert found.elements == [("p", {"title": text})]
    assert found.text == text


@pytest.mark.parametrize("text", HOSTILE)
def test_markdown_reads_as_text_in_every_markdown(text: str) -> None:
    """Downloads are read by others than this site's renderer."""
    written = escaping.markdown(text)
    for html in (render(written), MarkdownIt("js-default").render(written)):
        found = Reader(html)
        assert {tag for tag, _ in found.elements} <= {"p"}
        assert found.text.strip() == escaping.one_line(text)


@pytest.mark.parametrize("text", HOSTILE)
def test_a_comment_is_no_code(text: str) -> None:
    """Readers run the scripts that they download."""
    written = f"{escaping.python_comment(text)}\n"
    assert ast.parse(written.encode("utf-8", "replace")).body == []
    kinds = {token.type for token in tokenize.generate_tokens(io.StringIO(written).readline)}
    assert kinds <= {tokenize.COMMENT, tokenize.NL, tokenize.ENDMARKER}


@pytest.mark.parametrize("text", HOSTILE)
def test_a_terminal_is_told_nothing(text: str) -> None:
    """A server's page could wipe the list of blocks from the screen before the question."""
    written = escaping.terminal(text)
    assert all(sign.isprintable() or sign in "\n\t\u2028\ufffe" for sign in written)
    assert escaping.terminal("two\nlines\t1") == "two\nlines\t1"
    written.encode()


@pytest.mark.parametrize("text", HOSTILE)
def test_xml_can_be_read_again(text: str) -> None:
    """A commit's subject holds any character."""
    element = ET.Element("title")
    element.text = escaping.xml(text)
    assert ET.fromstring(ET.tostring(element)).text in (element.text.replace("\r", "\n"), element.text, None)


@pytest.mark.parametrize("text", [text for text in HOSTILE if "\ud800" not in text])
def test_a_path_stays_a_path_in_a_url(text: str) -> None:
    """A page's name may hold what separates the parts of a URL."""
    found = urlsplit(f"https://example.org/{escaping.url(text)}")
    assert (found.netloc, found.query, found.fragment) == ("example.org", "", "")
    assert unquote(found.path) == f"/{unquote(text)}"
    assert escaping.url(escaping.url(text)) == escaping.url(text)
