"""fixes: on pages about messages the word "Cause" before the first sentence, and the heading "Fix" above what to do.

They are written where the build can tell. The fix comes after a block that raises, and before one that does not: it
begins with the first paragraph between them that is an imperative, or, if there is no paragraph, with the block. It is
no heading of the Markdown: there, a heading would begin another section. The first sentence of a page with such a
block says why it raises.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import zip_longest

VERBS = """Add Allocate Allow Ask Bring Build Call Check Choose Compare Compute Convert Copy Create Decide Detach
Divide Do Draw Drop End Fill Find Flatten Give Go Install Keep Leave Let List Load Look Loop Make Move
Name Pad Pass Pin Print Put Read Reduce Remove Return Run Save Say Select Set Split Stack Start Store
Swap Take Test Transpose Try Turn Use Wait Wrap Write""".split()
"""What a paragraph that says what to do begins with."""
ANY = "|".join([*VERBS, *(verb.lower() for verb in VERBS)])
IMPERATIVE = re.compile(rf"(?:First, |Instead, |So |(?:For|If|On|To) [^.:]{{1,80}}?, )?(?:{ANY})\b")
PART = re.compile(
    r"^<(?:(?P<heading>h[12])\b|div (?=[^>]*data-block=)(?P<block>[^>]*)>|p>(?P<text>.*?)</p>)", re.M | re.S
)
"""A heading of a section, a block of code, or a paragraph, that is in no list and no box."""
FIX = '<p class="sd-what" role="heading" aria-level="{level}">Fix</p>\n'
LEAD = re.compile(r'<p class="sd-lead">(?!An? )')
"""Begins the first sentence of a page, but for one that names the kind of the error: `A TypeError: ...`."""
CAUSE = '<p class="sd-lead"><b>Cause:</b> '


def with_fixes(html: str) -> str:
    """The HTML of a page about a message with a heading above each fix, and the cause called so."""
    found = list(_fixes([*PART.finditer(html)]))
    for at, level in reversed(found):
        html = html[:at] + FIX.format(level=level) + html[at:]
    return LEAD.sub(CAUSE, html, count=1) if any(level == 2 for _, level in found) else html


def _fixes(parts: Sequence[re.Match[str]]) -> Iterator[tuple[int, int]]:
    """Where a fix begins, and the level of its heading."""
    level, raised = 2, False
    between: list[re.Match[str]] = []
    for part, after in zip_longest(parts, parts[1:]):
        if part["text"] is not None:
            between.append(part)
            continue
        if part["heading"]:
            level, raised = int(part["heading"][1]) + 1, False
        elif _raises(part):
            raised = True
        else:
            begins = [one for one in between if IMPERATIVE.match(re.sub(r"<[^>]*>", "", one["text"]))]
            prepares = after is not None and _raises(after)
            shown = [] if between or prepares else [part]
            yield from ((one.start(), level) for one in (begins or shown)[:1] if raised)
            raised = False
        between = []


def _raises(part: re.Match[str]) -> bool:
    return "data-raises" in (part["block"] or "")
