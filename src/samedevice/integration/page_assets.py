"""page_assets: the style and the scripts that outputs need, which ship in this package, whatever builds the site."""

from __future__ import annotations

import json
import re
from pathlib import Path

from samedevice.devices import DEVICES
from samedevice.project import PACKAGE

FOLDER = PACKAGE / "assets"
"""Where they are in this package."""
STYLE = "assets/samedevice/outputs.css"
SCRIPT = "assets/samedevice/outputs.js"
"""Where they are on the site."""
LOADS = re.compile(rf"(?:\n[ \t]*)?(?:<link\b[^>]*{STYLE}[^>]*>|<script\b[^>]*{SCRIPT}[^>]*></script>)")
"""What loads them, with the white space before it."""
ARTICLE = re.compile(r"<article\b[^>]*>(?P<content>.*)</article>", re.S)
"""The content of a page in a theme that has an element for it."""
USES = re.compile(r'class="sd-|\bdata-block="(?![^>]*\bdata-part=)')
"""What a page has that uses them: an output, or a block with a button that copies a program."""
CHOICE = "choice.js"
"""The script of a page's head: it runs before the outputs are seen, so that none of them moves."""


def text_of(name: str) -> str:
    """The text of one of them. Raises OSError."""
    return (FOLDER / Path(name).name).read_text(encoding="utf-8")


def where_used(html: str, instant: bool) -> str:
    """A page's HTML with that script if it shows blocks or outputs; without style and scripts if it does not.

    A theme that takes readers from page to page without loading one (`instant`) runs the scripts of a page's content
    when it shows the page, and no others. So they are in the content there. Raises OSError.
    """
    if not USES.search(html):
        return LOADS.sub("", html)
    article = ARTICLE.search(html) if instant else None
    if article is None:
        head, end, body = html.partition("</head>")
        return f"{head}<script>{_choice()}</script>{end}{body}" if end else html
    style, script = ("".join(tag.strip() for tag in LOADS.findall(html) if tag.strip()[1] == kind) for kind in "ls")
    begin, content, end = html[: article.start("content")], article["content"], html[article.end("content") :]
    begin, end = (LOADS.sub("", part) for part in (begin, end))
    return f"{begin}{style}<script>{_choice()}</script>{content}{script}{end}"


def within() -> str:
    """Style and scripts as HTML for a page's content, where a site takes no files from this package. Raises OSError."""
    return f"<style>{text_of(STYLE)}</style><script>{_choice()}</script><script>{text_of(SCRIPT)}</script>"


def _choice() -> str:
    """Its text with the kinds of device, without lines and spaces; no string of it has any."""
    text = text_of(CHOICE).partition("*/\n")[2].replace("DEVICES", json.dumps(DEVICES))
    return re.sub(r"\n *| (?=[=}])|(?<=[={>]) ", "", text)
