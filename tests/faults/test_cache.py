"""What the build keeps: made by another version, or in the future of a clock that was set back, it is not trusted."""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING

import pytest

from same_device_site.settings import parse_page
from samedevice.outputs.output import Output
from samedevice.outputs.recording_files import Recordings
from samedevice.outputs.recordings import update
from samedevice.project import CACHE

if TYPE_CHECKING:
    from faults.conftest import Checkout

TEXT = "# Page\n\n```python\nprint('printed')\n```\n"
FUTURE = time.time() + 10 * 365 * 86_400


def built(checkout: Checkout) -> tuple[str, str]:
    """What mkdocs says, and the HTML of the page."""
    output = checkout.build("--strict")
    assert "Documentation built" in output
    return output, (checkout.temporary.parent / "site/page/index.html").read_text(encoding="utf-8")


@pytest.fixture
def printing(checkout: Checkout) -> Checkout:
    """A checkout whose page prints a word, recorded and built."""
    checkout.page(TEXT)
    assert "1 passed" in checkout.record()
    assert ">printed</pre>" in built(checkout)[1]
    assert "ran docs/page.md" not in built(checkout)[0]
    return checkout


def test_what_an_engine_kept_that_ran_blocks_in_another_way_is_not_shown(printing: Checkout) -> None:
    """It may have cut or cleaned the text otherwise."""
    files, page = (
        Recordings(printing.root, CACHE / "outputs"),
        parse_page(printing.root / "docs/page.md", printing.root),
    )
    ((found,), _) = files.load(page)
    old = update(None, page, found.environment, [Output("old")])
    assert old is not None
    files.save(page, old)
    assert ">old</pre>" in printing.build() + built_html(printing)
    (printing.root / ".cache/samedevice/engine").write_text('{"key": "another engine", "found": true}')
    output, html = built(printing)
    assert "ran docs/page.md" in output
    assert ">printed</pre>" in html


def built_html(checkout: Checkout) -> str:
    """The HTML of the page as it is."""
    return (checkout.temporary.parent / "site/page/index.html").read_text(encoding="utf-8")


def test_a_cache_that_is_a_heap_of_rubbish_is_made_again(printing: Checkout) -> None:
    """A disk may be restored from a copy, a merge may go wrong; it is not worth a word."""
    _, html = built(printing)
    for path in (printing.root / ".cache").rglob("*"):
        if path.is_file():
            path.write_bytes(b"\xff\x00{" * 7)
    assert built(printing)[1] == html


def test_a_clock_that_was_set_back_changes_nothing(printing: Checkout) -> None:
    """All files are from the future then; what is fresh is told by what they hold."""
    _, html = built(printing)
    before = printing.recordings
    for path in printing.root.rglob("*"):
        os.utime(path, (FUTURE, FUTURE))
    output, again = built(printing)
    assert "ran docs/page.md" not in output
    assert again == html
    assert "2 passed" in printing.run("pytest")
    assert "1 passed" in printing.record()
    assert printing.recordings == before


def test_a_page_saved_after_the_clock_was_set_back_is_run_again(printing: Checkout) -> None:
    """It is older than what was made of its predecessor."""
    path = printing.page(TEXT.replace("printed", "other"))
    os.utime(path, (0, 0))
    assert "1 failed" in printing.run("pytest")
    assert "1 passed" in printing.record()
    assert ">other</pre>" in built(printing)[1]
