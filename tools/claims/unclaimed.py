"""List sentences of the topic pages that say much, and have neither a claim in tests/claims nor a link to a source.

    python tools/claims/unclaimed.py [PAGE ...]

It is a list to work through, not a gate: many of these sentences are about the example at hand, or a block shows them.
Such a sentence needs a claim, a source, or to say less.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path

from same_device_site.claims import Claim, claims_in
from same_device_site.statements import passages, quotable

ROOT = Path(__file__).parents[2]
TOPICS = ("tensors", "devices", "training", "memory", "amp", "parallel")
WORDS = re.compile(
    r"\b(every|each|all|any|always|only|never|none|both|neither|must|cannot|exactly|at most|at least|up to|equals?"
    r"|does the same|do the same|the same as|no error|no message|without a message|in silence)\b",
    re.IGNORECASE,
)
OUTSIDE = re.compile(r"\]\(https?:")
MARK = "⇗"
"""Stands at the end of a link's text if it leads to another site."""
PASSED = ("Error messages", "Exercises")
"""Sections whose blocks show what they say."""


def saying_much(markdown: str) -> Iterator[tuple[int, str]]:
    """The sentences of a page with such words and without a source, with their lines."""
    passed = False
    for passage in passages(OUTSIDE.sub(f"{MARK}](", markdown)):
        if passage.source.startswith("## "):
            passed = passage.text in PASSED
        for sentence, line in () if passed or passage.kind == "heading" else passage.sentences:
            if MARK not in sentence and WORDS.search(sentence):
                yield line, sentence


def unclaimed(page: Path, claims: list[Claim]) -> list[tuple[int, str]]:
    """The sentences that no claim quotes."""
    own = [quotable(claim.sentence) for claim in claims if page.as_posix().endswith(f"docs/{claim.page}")]
    found = saying_much(page.read_text(encoding="utf-8"))
    return [(line, text) for line, text in found if not any(quote in text or text in quote for quote in own)]


def main() -> None:
    """Print them by page, and how many there are."""
    given = [Path(name).resolve() for name in sys.argv[1:]]
    pages = given or sorted(page for topic in TOPICS for page in (ROOT / "docs" / topic).glob("*.md"))
    claims, total = claims_in(ROOT / "tests/claims"), 0
    for page in pages:
        found = unclaimed(page, claims)
        total += len(found)
        name = page.relative_to(ROOT).as_posix()
        print(*(f"{name}:{line}: {text}" for line, text in found), sep="\n", end="\n\n" if found else "")
    print(f"{total} sentences on {len(pages)} pages have neither a claim nor a source; {len(claims)} have a claim.")


if __name__ == "__main__":
    main()
