"""Pages as they should not be: links, encodings, line ends, sizes; and recordings whose page is gone."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from faults.conftest import Checkout


TWO = "# Two\n\n```python\nprint('one')\n```\n\n```python\nprint('two')\n```\n"
OUTSIDE = "{}: this is a link out of the repository; put the file itself in its place"
PAGE_OUTSIDE = "docs/{}.md:1: this page is a link out of the repository; put the file itself in its place"

links = pytest.mark.skipif(sys.platform == "win32", reason="only an administrator makes links there")


@links
@pytest.mark.parametrize("what", ["file", "folder", "circle"])
def test_a_page_that_is_a_link_out_of_the_repository_is_not_run(recorded: Checkout, what: str) -> None:
    """Whoever reviews the repository has not seen that code."""
    outside, ran = recorded.root.parent / "outside", recorded.root.parent / "ran"
    outside.mkdir()
    (outside / "linked.md").write_text(f"```python\nopen({str(ran)!r}, 'w')\n```\n")
    link = recorded.root / "docs" / ("linked" if what == "folder" else "linked.md")
    targets: dict[str, Path | str] = {"file": outside / "linked.md", "folder": outside, "circle": "linked.md"}
    link.symlink_to(targets[what])
    told = PAGE_OUTSIDE.format("linked/linked" if what == "folder" else "linked")
    if what == "file":  # pytest enters no linked folder, and takes a circle for no file
        assert told in recorded.run("pytest")
    output = recorded.build("--strict")
    assert f"ERROR   -  {told}\n" in output
    assert "Traceback" not in output
    assert not ran.exists()


@links
def test_a_file_that_is_a_link_out_of_the_repository_is_not_published(recorded: Checkout) -> None:
    """It may be anybody's key."""
    secret = recorded.root.parent / "secret"
    secret.write_text("secret")
    (recorded.root / "docs/picture.png").symlink_to(secret)
    output = recorded.build()
    assert f"ERROR   -  {OUTSIDE.format('docs/picture.png')}\n" in output
    assert not (recorded.temporary.parent / "site/picture.png").exists()


@links
def test_a_page_that_is_a_link_within_the_repository_is_a_page(recorded: Checkout) -> None:
    """A change log is often both in the root and on the site."""
    (recorded.root / "NOTES.md").write_text(TWO)
    (recorded.root / "docs/notes.md").symlink_to("../NOTES.md")
    assert "4 passed" in recorded.record()
    assert "6 passed" in recorded.run("pytest")
    assert "Documentation built" in recorded.build("--strict")
    assert "notes.json" in recorded.recordings


@links
def test_a_link_that_leads_nowhere_is_told(recorded: Checkout) -> None:
    """Git keeps links as they are, also where their target was deleted."""
    (recorded.root / "docs/dead.md").symlink_to("nowhere.md")
    output = recorded.build("--strict")
    assert "ERROR   -  docs/dead.md:1: this page cannot be read (No such file or directory); put it back, or" in output


def test_a_page_that_is_not_utf_8_any_more_keeps_its_recording(recorded: Checkout) -> None:
    """An editor saved it in another encoding; that is all that has to be mended."""
    before = recorded.recordings
    path = recorded.root / "docs/page.md"
    path.write_bytes(path.read_bytes() + "caf\xe9\n".encode("latin-1"))
    line = path.read_bytes().count(b"\n")
    told = f"docs/page.md:{line}: this line is not UTF-8; save the page as UTF-8"
    for output in (recorded.record(), recorded.run("pytest"), recorded.build("--strict")):
        assert told in output
        assert "Traceback" not in output
        assert "belongs to no" not in output
        assert "there is no page" not in output
    assert recorded.recordings == before


def test_a_page_with_the_line_ends_of_windows_is_the_same_page(recorded: Checkout) -> None:
    """Git may check pages, recordings and figures out so."""
    html = site(recorded)
    for path in [*recorded.root.rglob("*.md"), *recorded.root.rglob("tests/recordings/**/*.*")]:
        path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))
    before = recorded.recordings
    assert "3 passed" in recorded.run("pytest")
    assert "2 passed" in recorded.record()
    assert recorded.recordings == before
    assert site(recorded) == html


def site(checkout: Checkout) -> str:
    """The HTML of the page, built without a cache."""
    shutil.rmtree(checkout.root / ".cache", ignore_errors=True)
    assert "Documentation built" in checkout.build("--strict")
    return (checkout.temporary.parent / "site/page/index.html").read_text(encoding="utf-8")


def test_the_recording_of_a_deleted_page_stays_and_is_told(recorded: Checkout) -> None:
    """It may have been deleted by mistake; whoever meant it removes its recording too."""
    before = recorded.recordings
    (recorded.root / "docs/page.md").unlink()
    (recorded.root / "docs/two.md").write_text(TWO)
    gone = "there is no page docs/page; if it has another name now, rename this file and its figures alike; else delete"
    told = f"tests/recordings/page.json: {gone}"
    assert told in recorded.record()
    assert told in recorded.run("pytest")
    output = recorded.build("--strict")
    assert f"WARNING -  {told} them with git rm\n" in output
    assert "Aborted with 1 warnings in strict mode" in output
    assert before.items() <= recorded.recordings.items()


def test_the_recording_of_a_renamed_page_can_be_renamed_as_the_message_says(recorded: Checkout) -> None:
    """The day and the device on which it was recorded stay; a GPU is not at hand to record it again."""
    folder = recorded.root / "tests/recordings"
    before = recorded.recordings
    (recorded.root / "docs/topic").mkdir()
    (recorded.root / "docs/page.md").rename(recorded.root / "docs/topic/new.md")
    told = "tests/recordings/page.json: there is no page docs/page; if it has another name now, rename this file and"
    assert told in recorded.run("pytest")
    assert told in recorded.build("--strict")
    assert recorded.recordings == before
    (folder / "topic").mkdir()
    for path in folder.glob("page*.*"):
        path.rename(folder / "topic" / path.name.replace("page", "new"))
    output = recorded.run("pytest")
    assert "3 passed" in output
    assert "= recordings =" not in output
    assert "Documentation built" in recorded.build("--strict")


def test_a_figure_that_a_killed_run_left_is_told(recorded: Checkout) -> None:
    """It would be committed, and belong to nothing."""
    (recorded.root / "tests/recordings/page@000000000000.svg").write_text("<svg/>")
    told = "tests/recordings/page@000000000000.svg: this figure belongs to no recording; delete it"
    assert told in recorded.run("pytest")
    assert told in recorded.build()


def test_a_page_of_5000_blocks_is_recorded_tested_and_built_in_time(
    checkout: Checkout, whole: Callable[[int, int], int]
) -> None:
    """What takes the square of the number of blocks takes minutes for a book in one file."""
    count = whole(1000, 5000)
    blocks = (f"```python\nx{number} = {number}\nprint(x{number})\n```\n" for number in range(count))
    checkout.page("# Many\n\n" + "\n".join(blocks))
    for command, told in (
        (checkout.record, f"{count} passed"),
        (lambda: checkout.run("pytest"), f"{count + 1} passed"),
        (lambda: checkout.build("--strict"), "Documentation built"),
    ):
        before = os.times()
        assert told in command()
        after = os.times()  # other programs may run meanwhile, so what counts is the processor's time
        assert after.children_user + after.children_system - before.children_user - before.children_system < 60
    html = (checkout.temporary.parent / "site/page/index.html").read_text(encoding="utf-8")
    assert html.count('<pre class="sd-text"') == count
