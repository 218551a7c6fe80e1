"""sentences: what pages say beside outputs that a device printed for the first time, and what claims say there."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path

from same_device_site.claims import ClaimError, claims_in, line_on_page
from same_device_site.passed import Passed, write
from same_device_site.statements import passages
from samedevice.pages.page import Page

SPEAKS = re.compile(
    r"\b(?:GPUs?|CUDA|cuBLAS|cuDNN|MPS|simulated|[AHBLVT]\d{2,3}|(?:Gi|Mi|Ki)B|ms|µs|TFLOPS|times)\b", re.I
)
"""Words of sentences that a device's output may prove wrong."""


def beside(page: Page, indices: Collection[int]) -> Iterator[str]:
    """The sentences about devices in the sections of these blocks, by index, with page and line, in order."""
    starts = [part.line for part in page.parts] or [1]
    ends = [*starts[1:], page.text.count("\n") + 2]
    lines = {page.blocks[index].line for index in indices}
    own = [range(start, end) for start, end in zip(starts, ends, strict=True) if lines & {*range(start, end)}]
    for passage in passages(page.text):
        for sentence, line in passage.sentences if passage.kind != "heading" else ():
            if SPEAKS.search(sentence) and any(line in one for one in own):
                yield f"{page.path}:{line}: {sentence}"


def claims_of_archive(root: Path, passed: Sequence[Passed], failed: Mapping[str, Sequence[Sequence[str]]]) -> list[str]:
    """Record which claims passed on a machine, and say how many; then the sentences of those that failed."""
    folder = root / "tests/claims"
    if passed:
        write(folder, passed)
    found = []
    for name in sorted({one.environment for one in passed} | failed.keys()):
        count = sum(len(one.tests) for one in passed if one.environment == name)
        found.append(f"{name}: {count} tests passed, {len(failed.get(name, ()))} failed")
        for test, why in failed.get(name, ()):
            found += [f"  {test}: {why}", *(f"    {one}" for one in _quoted(root, test))]
    return found


def _quoted(root: Path, test: str) -> Iterator[str]:
    """The sentences that a test quotes, with page and line."""
    file, _, name = test.partition("::")
    for claim in claims_in(root / "tests/claims"):
        if claim.path == root / file and claim.test == name.partition("[")[0]:
            try:
                yield f"docs/{claim.page}:{line_on_page(claim, root / 'docs')}: {claim.sentence}"
            except ClaimError as error:
                yield str(error)
