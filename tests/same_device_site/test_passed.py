"""What is said to have passed: it was recorded, and the test has not changed since."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from same_device_site.claims import ClaimError, claims_in
from same_device_site.passed import RECORD, Passed, fingerprint, read, write
from same_device_site.site import Site
from same_device_site.tested import Claimed, address, claims_page
from samedevice.pages.page import Page

TEST = '@claim("It `copies` \\"`<b>`\\".")\ndef test_it_copies():\n    """A `mark`."""\n    assert 1 < x\n'
FILE = "a/test_b.py"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A repository's `tests/claims` with one test."""
    path = tmp_path / "tests/claims" / FILE
    path.parent.mkdir(parents=True)
    path.write_text(TEST, encoding="utf-8")
    return tmp_path / "tests/claims"


def line(environment: str = "cpu-2.13.0+cpu", text: str = TEST, tests: tuple[str, ...] = ("test_it_copies",)) -> Passed:
    """A line of the record."""
    return Passed(environment, FILE, fingerprint(text), tests)


def test_a_record_has_a_line_for_each_environment_and_file(folder: Path) -> None:
    """So that two people who record merge without a conflict in most cases."""
    write(folder, [line("h100-2.13.0+cu130")])
    write(folder, [line()])
    assert read(folder) == [line(), line("h100-2.13.0+cu130")]
    assert (folder / RECORD).read_text(encoding="utf-8").count("\n") == 4


def test_a_run_takes_the_place_of_the_one_before(folder: Path) -> None:
    """A test that fails now has not passed."""
    write(folder, [line()])
    write(folder, [line(tests=())])
    assert read(folder) == []


def test_lines_about_files_that_changed_are_left_out(folder: Path) -> None:
    """They would be kept for ever."""
    write(folder, [line(text="other"), Passed("cpu-2.13.0", "a/test_gone.py", fingerprint(""), ("test_x",))])
    assert (folder / RECORD).read_text(encoding="utf-8") == "[]\n"


@pytest.mark.parametrize(
    "change",
    [
        {"environment": "<b>"},
        {"file": "../test_b.py"},
        {"hash": "short"},
        {"hash": 1},
        {"tests": []},
        {"tests": ["test_b", "test_a"]},
        {"tests": ["test_a test_b"]},
        {"more": ""},
    ],
)
def test_a_record_that_was_changed_by_hand_is_refused(folder: Path, change: dict[str, object]) -> None:
    """The page repeats what it says."""
    write(folder, [line()])
    (found,) = json.loads((folder / RECORD).read_text(encoding="utf-8"))
    (folder / RECORD).write_text(json.dumps([found | change]), encoding="utf-8")
    with pytest.raises(ClaimError, match="make claims-record"):
        read(folder)


@pytest.mark.parametrize("text", ["", "{}", "[1]", "null", '[{"tests": []}]'])
def test_a_file_that_is_no_record_is_refused(folder: Path, text: str) -> None:
    """The message says which file, and what to do."""
    (folder / RECORD).write_text(text, encoding="utf-8")
    with pytest.raises(ClaimError, match="make claims-record"):
        read(folder)


def test_a_record_in_disorder_is_refused(folder: Path) -> None:
    """Or one with two lines about one file."""
    write(folder, [line(), line("h100-2.13.0+cu130")])
    lines = json.loads((folder / RECORD).read_text(encoding="utf-8"))
    for bad in (lines[::-1], [*lines, lines[-1]]):
        (folder / RECORD).write_text(json.dumps(bad), encoding="utf-8")
        with pytest.raises(ClaimError, match="not sorted, or two"):
            read(folder)


def shown(folder: Path, path: str = "docs/about/claims-a.md") -> str:
    """The page of statements of a site with one page."""
    about, target = Page(path, "", ()), Page("docs/a/b.md", "# The `B`\n", ())
    return claims_page(about, Site((target,), {}, {}), Claimed.read(folder.parents[1]))


def test_the_page_shows_each_statement_with_its_test(folder: Path) -> None:
    """Its code is text, whatever is in it."""
    write(folder, [line(), line("cuda-simulated-2.15.0+cu132"), line("rtx-4090-2.13.0+cu130")])
    assert shown(folder) == (
        "## [The `B`](../a/b.md) { #a-b data-search-exclude }\n\n"
        '- It `copies` "`<b>`".\n\n'
        '<details class="sd-subject"><summary><code>test_it_copies</code> passed on CPU, PyTorch 2.13.0+cpu; '
        "simulated CUDA, PyTorch 2.15.0+cu132; RTX 4090, PyTorch 2.13.0+cu130</summary>"
        '<div id="a-b--it-copies"><pre tabindex="0"><code>@claim("It &#96;copies&#96; \\"&#96;&lt;b&gt;&#96;\\".")\n'
        'def test_it_copies():\n    """A &#96;mark&#96;."""\n    assert 1 &lt; x</code></pre></div></details>'
    )


def test_the_first_page_leads_to_those_of_sections(folder: Path) -> None:
    """With the number of their statements."""
    assert shown(folder, "docs/about/claims.md") == "- [a](claims-a.md): 1"


def test_a_test_that_changed_is_no_longer_said_to_have_passed(folder: Path) -> None:
    """It may fail now; so may the others of its file, which share helpers with it."""
    write(folder, [line()])
    (folder / FILE).write_text(TEST + "\n", encoding="utf-8")
    assert "</code> has changed since it was last recorded, or never was</summary>" in shown(folder)


def test_each_test_has_an_address_of_its_own() -> None:
    """On the real site, where a mark behind each statement leads to it."""
    found = claims_in(Path(__file__).parents[1] / "claims")
    addresses = {(one.page, one.test) for one in found}
    assert len(addresses) > 200
    assert len({address(one) for one in found}) == len(addresses)
