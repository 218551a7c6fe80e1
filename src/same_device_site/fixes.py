"""fixes: the heading "Fix" on pages about messages, above the paragraph that says what to do.

It is written where the build can tell: after a block that raises, and before one that does not, if the paragraph
between them begins with an imperative. It is no heading of the Markdown: there, a heading would begin another section.
"""

from __future__ import annotations

import re

VERBS = """Add Allocate Allow Ask Bring Build Call Check Choose Compare Compute Convert Copy Create Decide Detach
Divide Do Draw Drop End Fill Find Flatten Give Go Install Keep Leave Let List Load Look Loop Make Move
Name Pad Pass Pin Print Put Read Reduce Remove Return Run Save Say Select Set Split Stack Start Store
Swap Take Test Transpose Try Turn Use Wait Wrap Write""".split()
"""What a paragraph that says what to do begins with."""
IMPERATIVE = re.compile(
    rf"(?:First, |Instead, |So )?(?:{'|'.join(VERBS)}|{'|'.join(verb.lower() for verb in VERBS)})\b"
)
PART = re.compile(
    r"^<(?:(?P<heading>h[12])\b|div (?=[^>]*data-block=)(?P<block>[^>]*)>|p>(?P<text>.*?)</p>)", re.M | re.S
)
"""A heading of a section, a block of code, or a paragraph, that is in no list and no box."""
FIX = '<p class="sd-what" role="heading" aria-level="{level}">Fix</p>\n'


def with_fixes(html: str) -> str:
    """The HTML of a page about a message with a heading above each paragraph that begins a fix."""
    level, raised, paragraph = 2, False, None
    found: list[tuple[int, int]] = []
    for part in PART.finditer(html):
        if part["heading"]:
            level, raised, paragraph = int(part["heading"][1]) + 1, False, None
        elif part["text"] is not None:
            paragraph = paragraph or part
        elif "data-raises" in part["block"]:
            raised, paragraph = True, None
        else:
            if raised and paragraph and IMPERATIVE.match(re.sub(r"<[^>]*>", "", paragraph["text"])):
                found.append((paragraph.start(), level))
            raised, paragraph = False, None
    for at, depth in reversed(found):
        html = html[:at] + FIX.format(level=depth) + html[at:]
    return html
