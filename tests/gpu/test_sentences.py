"""What an archive speaks of: the sentences beside its outputs, and the claims that ran on that machine."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from run_claims import ClaimsRun
from sentences import beside, claims_of_archive

from same_device_site.passed import Passed, fingerprint, read
from samedevice.pages.page import Page

CLAIMS = """from claims.claimlib import claim

@claim("A sum is exact.")
def test_sum():
    assert 1 + 1 == {two}

@claim("A product is exact.")
def test_product():
    assert 2 * 2 == 4
"""


def test_only_sentences_about_devices_in_sections_with_new_outputs_are_listed(write: Callable[..., Page]) -> None:
    """A person reads them beside the output; the rest of the page is as true as it was."""
    page = write(
        "# Page\n\n## One\n\nA GPU adds fast. A list has items.\n\n```python\n1\n```\n\nIt takes 3 MiB.\n\n"
        "## Two\n\nA GPU waits.\n\n```python\n2\n```\n"
    )
    assert list(beside(page, {0})) == ["docs/page.md:5: A GPU adds fast.", "docs/page.md:11: It takes 3 MiB."]
    assert list(beside(page, {1})) == ["docs/page.md:15: A GPU waits."]
    assert list(beside(page, set())) == []


def test_claims_that_passed_are_recorded_and_those_that_failed_name_their_sentences(root: Path) -> None:
    """A claim that fails on a device is a sentence that is false there."""
    folder = root / "tests/claims"
    folder.mkdir(parents=True)
    (root / "docs/sums.md").write_text("# Sums\n\nA sum is exact. A product is exact.\n")
    text = CLAIMS.format(two=2)
    (folder / "test_sums.py").write_text(text)
    passed = Passed("h100-2.13.0+cu130", "test_sums.py", fingerprint(text), ("test_product",))
    failed = {"h100-2.13.0+cu130": [["tests/claims/test_sums.py::test_sum", "assert 2 == 3"]]}
    assert claims_of_archive(root, [passed], failed) == [
        "h100-2.13.0+cu130: 1 tests passed, 1 failed",
        "  tests/claims/test_sums.py::test_sum: assert 2 == 3",
        "    docs/sums.md:3: A sum is exact.",
    ]
    assert read(folder) == [passed]


@pytest.mark.parametrize("two", [2, 3])
def test_the_claims_run_in_a_kit_and_say_what_failed(tmp_path: Path, two: int) -> None:
    """There is one chance to run them on that machine."""
    (tmp_path / "tests/claims").mkdir(parents=True)
    (tmp_path / "tests/claims/test_sums.py").write_text(
        CLAIMS.split("\n\n", 1)[1].replace("@claim", "# ").format(two=two)
    )
    (tmp_path / "tests/claims/conftest.py").write_text(
        "def pytest_addoption(parser):\n    parser.addoption('--claims-record', action='store_true')\n"
    )
    (tmp_path / "pytest.ini").write_text("[pytest]\naddopts = -p no:samedevice -p no:xdist\n")
    run = ClaimsRun(tmp_path, "cpu-2.13.0+cpu", {})
    run.process.wait(60)
    failures = list(run.failures())
    assert "1 passed" in run.summary() or two == 2
    assert failures == ([] if two == 2 else [("tests/claims/test_sums.py::test_sum", "assert (1 + 1) == 3")])


def test_claims_that_did_not_run_are_not_said_to_have_failed(tmp_path: Path) -> None:
    """Without tests, or on a machine where pytest does not start, nothing is known of them."""
    run = ClaimsRun(tmp_path, "cpu-2.13.0+cpu", {})
    run.process.wait(60)
    assert run.broken.startswith("pytest ended with status 4: ")
    assert list(run.failures()) == []
