"""page_head: the order of a page's head: title, the sentence that answers, then the row of what ran where.

The engine puts its row right below the title, since it knows nothing of a page's sentences. Here the first sentence
goes above it, and places for the switches and for what can be done with the page go into it. A sentence ends where its
line does: the pages have semantic newlines.
"""

from __future__ import annotations

import re

HEAD = re.compile(
    r'(?P<title><h1\b.*?</h1>)\s*(?P<row><div class="sd-ran".*?</div>)?\s*(?:<p>(?P<lead>(?:(?!</p>).)*)</p>)?', re.S
)
"""A page's title, the engine's row if there is one, and the paragraph that follows, if one does."""
SENTENCE = re.compile(r"(?:(?<=[.!?])|(?<=\"></a>))\n")
"""The end of a sentence and of its line; a mark, which is an empty link, may come between them."""
BUILDS = re.compile(r"<p>(?=This (?:page|notebook) builds on )")
"""The paragraph at the end of a page that says what to read before."""
SWITCHED = 'class="sd-switch"'
"""What is in a page whose outputs differ: then there is room for switches, so that the page does not move."""
BAR, TAKE = '<span class="sd-bar"></span>', '<span class="sd-take"></span>'


def with_head(html: str) -> str:
    """The HTML of a page with its head in order; what comes after the head stays."""

    def ordered(found: re.Match[str]) -> str:
        if not found["row"] and found["lead"] is None:
            return found[0]
        lead, *rest = SENTENCE.split(found["lead"] or "", maxsplit=1)
        parts = [found["title"], f'<p class="sd-lead">{lead}</p>' if lead else ""]
        if found["row"]:
            parts.append(f'<div class="sd-row">{found["row"]}{BAR if SWITCHED in html else ""}{TAKE}</div>')
        return "\n".join(filter(None, [*parts, *(f"<p>{text}</p>" for text in rest)]))

    return BUILDS.sub('<p class="sd-builds">', HEAD.sub(ordered, html, count=1))
