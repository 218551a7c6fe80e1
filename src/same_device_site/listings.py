"""listings: the HTML of code blocks, without elements that have no color, and with places where a phone breaks a line.

A line of code is wider than a phone, and most of them begin with a name such as
`torch.accelerator.current_accelerator`. Without such a place the browser breaks it in the middle of a word.
"""

from __future__ import annotations

import re

UNCOLORED = re.compile(r'<span class="(?:n|o|p|w)">([^<]*)</span>')
"""Names, operators, punctuation and blanks, three of four tokens, which have the color of the block."""
CODE = re.compile(r'(?<=<pre><span></span><code>).*?(?=</code></pre>)|(?<=<p class="sd-lead">).*?(?=</p>)', re.S)
"""What is in a block of code, and the first sentence of a page, which is set larger than others."""
LONG = re.compile(r"[^\s<>]{21,}(?=[^<>]*(?:<|$))")
"""A part of a line without a blank that does not fit behind another, outside a tag."""
PLACE = re.compile(r"(?<=[\w\])][.(\[=])(?=[A-Za-z_\"'&])|(?<=,)(?=\S)")
"""A place within it that a reader would break at: behind a dot, a bracket, an equals sign or a comma."""


def lean(html: str) -> str:
    """HTML without the elements that have no color of their own; without them a long page opens sooner on a phone."""
    return UNCOLORED.sub(r"\1", html)


def with_breaks(html: str) -> str:
    """HTML with places to break in the long parts of its code and of its first sentence."""
    return CODE.sub(lambda code: LONG.sub(lambda part: PLACE.sub("<wbr>", part[0]), code[0]), html)
