"""tested: the pages that show each statement with its test, and where the test passed.

A mark behind a statement leads there (`marks`). The address is in the box with the test's code, which browsers open
when a link leads into it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from html import escape
from itertools import groupby
from pathlib import Path

from same_device_site.claims import Claim, claims_in
from same_device_site.passed import Passed, fingerprint, read
from same_device_site.site import Site, link
from same_device_site.statements import quotable
from samedevice import Page

CLAIMS = "tests/claims"
"""The folder of the tests, below the repository's root."""
PAGE = "about/claims.md"
"""The page, below `docs`, that leads to those with the statements of one section each: `about/claims-tensors.md`."""


@dataclass(frozen=True)
class Claimed:
    """All claims of the site, and what is recorded of them."""

    claims: Sequence[Claim] = ()
    """The claims, in the order of their files."""
    passed: Sequence[Passed] = ()
    """The record of what passed."""
    texts: Mapping[Path, str] = field(default_factory=dict)
    """The text of each file of tests."""

    @classmethod
    def read(cls, root: Path) -> Claimed:
        """The claims of a repository. Raises ClaimError."""
        claims = claims_in(root / CLAIMS)
        texts = {path: path.read_text(encoding="utf-8") for path in {claim.path for claim in claims}}
        return cls(claims, read(root / CLAIMS), texts)

    def where(self, claim: Claim) -> list[str]:
        """The environments in which a claim's test passed as it is now."""
        file, now = Path(claim.page).with_name(claim.path.name).as_posix(), fingerprint(self.texts[claim.path])
        return [one.where for one in self.passed if (one.file, one.hash) == (file, now) and claim.test in one.tests]

    def code(self, claim: Claim) -> str:
        """The code of a claim's test."""
        return "\n".join(self.texts[claim.path].split("\n")[claim.line - 1 : claim.end])


def place(claim: Claim) -> str:
    """The page, below `docs`, that shows a claim's test."""
    return PAGE.replace(".md", f"-{section(claim)}.md")


def section(claim: Claim) -> str:
    """The folder of the page that makes a claim, such as `tensors`."""
    return claim.page.partition("/")[0]


def address(claim: Claim) -> str:
    """The id of a claim's test on that page."""
    words = (claim.page.removesuffix(".md").replace("/", "-"), claim.test.removeprefix("test_").replace("_", "-"))
    return "--".join(words)


def claims_page(page: Page, site: Site, tested: Claimed) -> str:
    """The Markdown of a section's statements, by the pages that make them; on `PAGE`, a list of these sections."""
    here = [claim for claim in tested.claims if f"docs/{place(claim)}" == page.path]
    if here:
        claimed = replace(tested, claims=here)
        return "\n\n".join(part for target in site.pages for part in _of_page(page, target, claimed))
    counts = Counter((place(claim), section(claim)) for claim in tested.claims)
    rows = [f"- [{name}]({Path(path).name}): {count:,}" for (path, name), count in sorted(counts.items())]
    return "\n".join(rows) or "None yet."


def _of_page(page: Page, target: Page, tested: Claimed) -> Iterator[str]:
    """The statements of one page, each group with its test."""
    claims = [claim for claim in tested.claims if f"docs/{claim.page}" == target.path]
    if claims:
        name = target.path.removeprefix("docs/").removesuffix(".md")
        yield f"## {link(page, target)} {{ #{name.replace('/', '-')} data-search-exclude }}"
    for _, group in groupby(claims, key=lambda one: one.line):
        of_test = list(group)
        yield "\n".join(f"- {quotable(claim.sentence)}" for claim in of_test)
        yield _box(of_test[0], tested)


def _box(claim: Claim, tested: Claimed) -> str:
    """The closed box with a test's code, as HTML: Markdown would take the code for an example of the page."""
    code = escape(tested.code(claim), quote=False).replace("`", "&#96;")
    passed = "; ".join(tested.where(claim))
    told = f"passed on {escape(passed)}" if passed else "has changed since it was last recorded, or never was"
    return (
        f'<details class="sd-subject"><summary><code>{claim.test}</code> {told}</summary>'
        f'<div id="{address(claim)}"><pre tabindex="0"><code>{code}</code></pre></div></details>'
    )
